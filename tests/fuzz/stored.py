"""Stored data with anything at any place: run stores and recordings. Reading them ends in an error line at worst.

`python -m tests.fuzz.stored --seeds 10000 --first 1` runs more than the tests do.
"""

import argparse
import json
import random
import sqlite3
import sys
import tempfile
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.hostility.bait import CANARY, Victim
from waza_engine.project.store_location import FILE_NAME, FOLDER

_READING = (
    *("runs list", "runs list --format json", "runs show", "runs history", "report", "report --format json"),
    *("compare last last", "grade --run last", "check", "run eval.yaml --resume --dry-run"),
)
_COLUMNS = (
    *("runs.run_id", "runs.eval_path", "runs.suite_name", "runs.executor", "runs.model", "runs.started_at"),
    *("runs.finished_at", "runs.status", "runs.score", "runs.baseline_of", "runs.frame", "runs.ending"),
    *("trials.task_id", "trials.task_index", "trials.trial", "trials.status", "trials.score", "trials.error"),
    *("trials.weighted_score", "trials.attempts", "trials.started_at", "trials.checkpoints"),
    *("trials.workspace", "trials.trajectory", "results.position", "results.name", "results.type"),
    *("results.status", "results.score", "results.weight", "results.feedback", "results.details"),
    *("results.duration_ms", "results.path", "results.pointer", "results.parts"),
)
_VALUES: tuple[Any, ...] = (
    *(
        None,
        0,
        -1,
        2**62,
        1.5,
        1e308,
        float("inf"),
        "",
        "x",
        "error",
        "/dev/zero",
        "../../x",
        "\x1b[2J\n::error::x",
    ),
    *(
        "[]",
        "{}",
        "null",
        "[[]]",
        "[null]",
        '{"a": [1]}',
        "1e999",
        "[" * 50_000,
        b"",
        b"\xff\x00",
        b"x" * 10_000,
    ),
)
_STRANGE: tuple[Any, ...] = (
    *(
        None,
        True,
        0,
        -1,
        10**30,
        1e308,
        "",
        "x",
        "\ud800",
        "\x00",
        [],
        {},
        [[]],
        [None],
        {"": None},
        "2020-01-01",
    ),
    *(["a", 1], {"a": {"b": [{}]}}, "x" * 100_000),
)
_GRADERS = "- {type: text, name: t, config: {contains: [never]}}\n- {type: file, name: f, config: {must_exist: [a]}}\n"


def make(folder: Path) -> Victim:
    """A workspace with a stored run and a recording."""
    outside = folder / "outside" / "secret.txt"
    outside.parent.mkdir(parents=True)
    outside.write_text(CANARY, encoding="utf-8")
    victim = Victim(folder / "workspace", outside)
    victim.write_suite(graders=_GRADERS)
    assert victim.call("run", "eval.yaml", "--record", "recordings").returncode == 1
    return victim


def change_store(chance: random.Random, victim: Victim) -> str:
    """Change some values of the store, and return which."""
    path = victim.workspace / FOLDER / FILE_NAME
    changes: list[str] = []
    with closing(sqlite3.connect(path, isolation_level=None)) as sql:
        sql.execute("PRAGMA foreign_keys = OFF")
        for _ in range(chance.choice((1, 1, 1, 2, 5))):
            table, _, column = chance.choice(_COLUMNS).partition(".")
            [old, *_] = sql.execute(f"SELECT {column} FROM {table}").fetchone() or [None]  # noqa: S608  # our names
            new = _changed_value(chance, old)
            try:
                sql.execute(f"UPDATE {table} SET {column} = ?", (new,))  # noqa: S608
            except (sqlite3.Error, UnicodeEncodeError, OverflowError):
                continue
            changes.append(f"{table}.{column} = {new!r}"[:300])
    return "; ".join(changes)


def change_recording(chance: random.Random, victim: Victim) -> str:
    """Change some bytes or values of the recording, and return which."""
    [path, *_] = sorted((victim.workspace / "recordings").glob("*.json"))
    data = path.read_bytes()
    if chance.random() < 0.3:
        at = chance.randrange(len(data))
        new = chance.randbytes(chance.choice((0, 1, 3)))
        path.write_bytes(data[:at] + new + data[at + chance.choice((0, 1, 20)) :])
        return f"bytes at {at}: {new!r}"
    value = json.loads(data)
    changes = [_change(chance, value) for _ in range(chance.choice((1, 1, 2, 5)))]
    path.write_text(json.dumps(value), encoding="utf-8")
    return "; ".join(changes)


def read_store(victim: Victim) -> None:
    """Run the commands that read a store. They change nothing of it.

    Raises:
        AssertionError: one of them ends in an internal error, or changes the store.

    """
    path = victim.workspace / FOLDER / FILE_NAME
    before = path.read_bytes()
    for command in _READING:
        _run(victim, *command.split())
    assert path.read_bytes() == before
    _run(victim, "run", "eval.yaml")


def read_recording(victim: Victim) -> None:
    """Replay the recording, and grade it.

    Raises:
        AssertionError: a command ends in an internal error.

    """
    _run(victim, "run", "eval.yaml", "--executor", "replay", "--recordings", "recordings")
    _run(victim, "report")


def _run(victim: Victim, *arguments: str) -> None:
    done = victim.call(*arguments)
    assert done.returncode in {0, 1, 2, 3}, (arguments, done.stderr)
    assert victim.is_unharmed()


FUZZERS: dict[str, tuple[Callable[[random.Random, Victim], str], Callable[[Victim], None]]] = {
    "store": (change_store, read_store),
    "recording": (change_recording, read_recording),
}


def _changed_value(chance: random.Random, old: Any) -> Any:
    if chance.random() < 0.4 or old is None:
        return chance.choice(_VALUES)
    packed = isinstance(old, bytes)
    try:
        value = json.loads(zlib.decompress(old) if packed else str(old))
    except (ValueError, zlib.error):
        return chance.choice(_VALUES)
    holder = [value]
    _change(chance, holder)
    text = json.dumps(holder[0] if holder else None)
    return zlib.compress(text.encode()) if packed else text


def _change(chance: random.Random, value: Any) -> str:
    """Change one value inside, and return its path."""
    path: list[str] = []
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return "nothing"
        key = chance.choice(keys)
        path.append(str(key))
        inner = value[key]
        if isinstance(inner, dict | list) and inner and chance.random() < 0.85:
            value = inner
            continue
        new = chance.choice(_STRANGE)
        if chance.random() < 0.1:
            del value[key]
            return f"{'.'.join(path)} removed"
        value[key] = new
        return f"{'.'.join(path)} = {str(new)[:80]!r}"


def _main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seeds", type=int, default=100)
    options.add_argument("--first", type=int, default=1)
    found = options.parse_args()
    failures = 0
    for seed in range(found.first, found.first + found.seeds):
        for name, (change, read) in FUZZERS.items():
            with tempfile.TemporaryDirectory() as folder:
                victim = make(Path(folder))
                changes = change(random.Random(seed), victim)  # noqa: S311  # not for secrets
                try:
                    read(victim)
                except AssertionError as error:
                    failures += 1
                    sys.stdout.write(f"{name} {seed}: {changes}\n{str(error)[-1500:]}\n\n")
                    sys.stdout.flush()
    sys.stdout.write(f"{found.seeds} seeds, {failures} failures\n")
    sys.exit(failures > 0)


if __name__ == "__main__":
    _main()
