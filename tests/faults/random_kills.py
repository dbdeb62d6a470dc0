"""Breaks runs off at random instants, goes on with them, and sees that nothing is lost, doubled or left behind.

    python -m tests.faults.random_kills FOLDER KILLS [SEED]

A program of its own: everything is imported once, and each life of the run is a fork that goes through the whole
command, so that hundreds of instants take no longer than the runs themselves. Prints what came of it as JSON.
"""

import importlib
import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from tests.faults.leftovers import finished, problems_of, until, wait_for_nothing
from tests.faults.suites import CASES, Case, environment, performed

_LONGEST_LIFE_SECONDS = 0.8
_STATUSES = {signal.SIGTERM: {130, -signal.SIGTERM, 0}, signal.SIGKILL: {-signal.SIGKILL, 0}}


def main() -> None:
    folder, kills = Path(sys.argv[1]), int(sys.argv[2])
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else kills)  # noqa: S311  # instants, no secret
    _import_everything()
    told = {it.name: _broken_off(it, folder / it.name, kills, chance) for it in CASES}
    sys.stdout.write(json.dumps(told) + "\n")


def _import_everything() -> None:
    for name in (
        "asyncio",
        "waza_lsp.cli.run.command",
        "waza_lsp.cli.run.request",
        "waza_engine.graders.registry",
    ):
        importlib.import_module(name)


def _broken_off(case: Case, folder: Path, kills: int, chance: random.Random) -> dict[str, Any]:
    """Start, break off, go on, as often as is asked; then let it end. What the run was like at each of these."""
    case.written(folder)
    store, temporary, runs = folder / ".waza-lsp", folder / "tmp", 0
    killed, known = 0, list[tuple[int, int]]()
    while killed < kills:
        number = chance.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM))
        child = _born(case, folder, temporary, resumes=bool(finished(store)))
        _wait_a_while(child, folder, chance)
        os.kill(child, number)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status in _STATUSES[number], (case.name, number, status, _said(folder))
        killed += 1
        wait_for_nothing(temporary)
        now = finished(store)[-1] if finished(store) else []
        assert set(known) | set(_told(folder)) <= set(now), (known, _told(folder), now)
        known = now
        if now == case.wanted:
            # Over before the kill, or all but over: let it come to its end, and begin anew.
            runs += _ended(case, folder, temporary)
            known = []
    runs += _ended(case, folder, temporary)
    return {
        "killed": killed,
        "runs": runs,
        "begun": performed(folder) if case.executor == "command" else None,
        "wanted": runs * len(case.wanted),
        "most": runs * len(case.wanted) + killed * case.workers,
    }


def _ended(case: Case, folder: Path, temporary: Path) -> int:
    """Let the run come to its end; it has every trial once."""
    store = folder / ".waza-lsp"
    child = _born(case, folder, temporary, resumes=bool(finished(store)))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    said = _said(folder)
    # A run that was killed in its very last moment is over.
    assert status == 0 or (status == 2 and "has finished (passed)" in said), (case.name, status, said)
    wait_for_nothing(temporary)
    assert finished(store)[-1] == case.wanted, finished(store)
    assert problems_of(store) == []
    (folder / "events").unlink(missing_ok=True)
    count = len(finished(store))
    for it in store.iterdir():
        it.unlink()
    return count


def _wait_a_while(child: int, folder: Path, chance: random.Random) -> None:
    """Up to any instant of its life, or up to one at which it has told of so much, or at which an agent has begun."""
    begun, lines = performed(folder), _lines(folder) + chance.randint(1, 30)
    match chance.randint(0, 2):
        case 0:
            time.sleep(chance.uniform(0, _LONGEST_LIFE_SECONDS))
        case 1:
            until(lambda: _lines(folder) >= lines or _has_ended(child))
            time.sleep(chance.uniform(0, 0.02))
        case _:
            until(lambda: performed(folder) > begun or _lines(folder) >= lines or _has_ended(child))
            time.sleep(chance.uniform(0, 0.1))


def _lines(folder: Path) -> int:
    events = folder / "events"
    return events.read_bytes().count(b"\n") if events.exists() else 0


def _has_ended(child: int) -> bool:
    # Not waited for: its number stays its own.
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _told(folder: Path) -> list[tuple[int, int]]:
    """The trials of which the run has said that they are finished."""
    from tests.faults.suites import TASKS

    events = folder / "events"
    lines = events.read_text(encoding="utf-8").splitlines() if events.exists() else []
    found = []
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue  # Cut off by the kill.
        if event["event"] == "trial_finished" and event["attempts"]:
            found.append((TASKS.index(event["task"]), event["trial"]))
    return found


def _said(folder: Path) -> str:
    return (folder / "stderr").read_text(encoding="utf-8")


def _born(case: Case, folder: Path, temporary: Path, *, resumes: bool) -> int:
    child = os.fork()
    if not child:
        _live(case, folder, temporary, resumes=resumes)
    return child


def _live(case: Case, folder: Path, temporary: Path, *, resumes: bool) -> NoReturn:
    """Be the program `waza-lsp run`."""
    import tempfile

    from waza_lsp.cli import main as waza_lsp

    os.chdir(folder)
    # The environment that others read is that of the beginning of a program, which we are not: agents have the new one.
    os.environ.update(environment(temporary, os.environ))
    tempfile.tempdir = None
    events = os.open("events", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    errors = os.open("stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(events, 1)
    os.dup2(errors, 2)
    arguments = ["run", "eval.yaml", "--resume"] if resumes else case.arguments(folder)
    status = 99
    try:
        waza_lsp([*arguments, "--events", "jsonl"], prog_name="waza-lsp")
    except SystemExit as end:
        status = int(end.code or 0)
    finally:
        sys.stdout.flush()
        os._exit(status)


if __name__ == "__main__":
    main()
