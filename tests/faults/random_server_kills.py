"""Breaks the server, its children or its connection off at random instants, or deletes its store: nothing else is lost.

    python -m tests.faults.random_server_kills FOLDER KILLS [SEED]

An author edits, runs and grades as fast as can be; then something is killed, or a pipe is closed. What becomes of it is
looked at, and the next server begins in the same folder. Prints what came of it as JSON: how often what was broken off,
how long it took until nothing of it was left, how many runs and trials there are.
"""

import json
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from tests.faults.author import Author
from tests.faults.leftovers import PATIENCE_SECONDS, finished_by_run, pids_with, problems_of, wait_for_nothing
from tests.faults.suites import Case
from waza_lsp.cli import main as waza_lsp

CASES = (Case("waza", "command", trials=2), Case("waza", "replay", trials=2), Case("waza", "mock", trials=2))
_LONGEST_LIFE_SECONDS = 2.0
_CHILDREN = {
    "run": "waza_lsp run",
    "worker": "helper.process",
    "grading": "waza_lsp grade",
    "guard": "WAZA_LSP_BIRTH",
    "interpreter": "-I -S -X utf8",
    "agent": "agent.sh",
}
"""What can be killed without the server's end, by a part of its command line."""
_CONNECTIONS = ("input", "output", "both", "half a message", "editor")
_KINDS = {
    "SIGKILL": 4,
    "SIGTERM": 2,
    "store": 4,
    **dict.fromkeys(_CONNECTIONS, 2),
    **dict.fromkeys(_CHILDREN, 4),
}


def main() -> None:
    folder, kills = Path(sys.argv[1]), int(sys.argv[2])
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else kills)  # noqa: S311  # instants, no secret
    told: dict[str, Any] = {"killed": Counter(), "seconds": {}, "runs": 0, "trials": 0}
    for number in range(kills):
        case = CASES[number % len(CASES)]
        place = folder / case.name
        if number < len(CASES):
            case.written(place, seconds=0.05)
        os.environ["WAZA_LSP_AGENT_COMMAND"] = str(place / "agent.sh")
        kind, seconds = _life(place, chance)
        told["killed"][kind] += 1
        told["seconds"][kind] = max(told["seconds"].get(kind, 0.0), round(seconds, 2))
    for it in CASES[:kills]:
        place = folder / it.name
        _last_life(place, chance)
        stored = finished_by_run(place / ".waza-lsp")
        told["runs"] += len(stored)
        told["trials"] += sum(map(len, stored.values()))
    sys.stdout.write(json.dumps(told) + "\n")


def _life(folder: Path, chance: random.Random) -> tuple[str, float]:
    """One server, up to what breaks it off: what that was, and how long it took until nothing of it was left."""
    author = Author(folder, chance)
    try:
        author.greet()
        if chance.random() < 0.3:
            author.everything_works()
        _busy(author, chance)
        kind = _broken_off(author, chance)
        began = time.monotonic()
        if kind in _CHILDREN or kind == "store":
            author.all_answered()
            if kind == "store":
                # What was over before is gone.
                author.told.clear()
            author.everything_works()
            author.leave()
            began = time.monotonic()
        _has_ended(author, kind)
        seconds = time.monotonic() - began
        author.listen()
    except BaseException:
        sys.stderr.write(f"what is left: {pids_with(author.wire.temporary)}\n")
        author.wire.process.kill()
        sys.stderr.write(
            f"what it said: {(author.wire.process.stderr or sys.stdin.buffer).read().decode()}\n"
        )
        raise
    finally:
        author.close()
    _nothing_is_lost(author, folder)
    return kind, seconds


def _last_life(folder: Path, chance: random.Random) -> None:
    """A server that is not broken off."""
    author = Author(folder, chance)
    try:
        author.greet()
        author.everything_works()
        author.leave()
        _has_ended(author, "")
    finally:
        author.close()
    _nothing_is_lost(author, folder)


def _busy(author: Author, chance: random.Random) -> None:
    """Do all kinds of things up to a random instant, or up to one shortly after so much was told of runs."""
    until = time.monotonic() + chance.uniform(0, _LONGEST_LIFE_SECONDS)
    events = author.events + chance.randint(1, 25) if chance.random() < 0.5 else None
    if events is not None:
        author.command("waza.runEval")
        until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until and (events is None or author.events < events):
        author.act()
        author.listen(chance.uniform(0, 0.1))
    time.sleep(chance.choice((0, chance.uniform(0, 0.03))))


def _broken_off(author: Author, chance: random.Random) -> str:
    """Break something off that is there: what it was."""
    wire = author.wire
    there = pids_with(wire.temporary)
    targets = {kind: [pid for pid, it in there.items() if word in it] for kind, word in _CHILDREN.items()}
    kinds = {it: weight for it, weight in _KINDS.items() if targets.get(it, True)}
    kind = chance.choices([*kinds], [*kinds.values()])[0]
    match kind:
        case "store":
            shutil.rmtree(wire.folder / ".waza-lsp", ignore_errors=True)
        case "editor":
            os.kill(author.editor, signal.SIGKILL)
        case "output":
            wire.hear_no_more()
        case "input":
            wire.input.close()
        case "both":
            wire.input.close()
            wire.hear_no_more()
        case "half a message":
            wire.write({"jsonrpc": "2.0", "id": 0, "method": "shutdown"}, part=chance.uniform(0, 0.9))
            wire.input.close()
        case _ if kind in _CHILDREN:
            with suppress(ProcessLookupError):
                number = chance.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM))
                os.kill(chance.choice(targets[kind]), number)
        case _:
            wire.process.send_signal(signal.Signals[kind])
    return kind


def _has_ended(author: Author, kind: str) -> None:
    """The server has ended as it should, and everything with it."""
    process = author.wire.process
    status = process.wait(PATIENCE_SECONDS)
    # A server that has nobody to talk to leaves at once after a few seconds, whatever it is at.
    wanted = {-signal.Signals[kind]} if kind.startswith("SIG") else {0, 1} if kind in _CONNECTIONS else {0}
    assert status in wanted, (kind, status)
    assert process.stderr
    said = process.stderr.read()
    assert said == b"", (kind, said)
    wait_for_nothing(author.wire.temporary)


def _nothing_is_lost(author: Author, folder: Path) -> None:
    """What was told is stored, the store is whole, and the command line reads it."""
    store = folder / ".waza-lsp"
    stored = finished_by_run(store)
    for run, trials in author.told.items():
        assert trials <= set(stored.get(run, ())), (run, trials, stored)
    if stored:
        assert problems_of(store) == []
        assert not [*store.glob("reports/.*")]
        for command in (["runs", "list"], ["runs", "show"], ["report"]):
            read = CliRunner().invoke(waza_lsp, [*command, "--store", str(store)])
            assert read.exit_code in {0, 1}, (command, read.output)
            assert "Traceback" not in read.output


if __name__ == "__main__":
    main()
