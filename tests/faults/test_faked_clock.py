"""Programs whose clock is set a day forward or back while they run: timeouts and order stay right."""

import json
import random
import re
import sys
import time
from pathlib import Path

import pytest

from tests.faults.author import Author
from tests.faults.fake_clock import FakeClock
from tests.faults.leftovers import finished, until
from tests.faults.suites import TASKS, Case, performed, started
from waza_engine.runs.store.store import RunStore

pytestmark = [
    pytest.mark.editor,
    pytest.mark.skipif(sys.platform != "linux", reason="libfaketime is used as on Linux"),
]

DAY = 86_400.0
CASE = Case("waza", "command", trials=2, workers=2)
JUMPS = [-DAY, DAY]


@pytest.fixture
def clock(tmp_path: Path) -> FakeClock:
    return FakeClock(tmp_path)


def said(folder: Path, clock: FakeClock, *arguments: str) -> str:
    """What a program says that comes to its end."""
    program = started(folder, *arguments, variables=clock.variables)
    output, errors = program.communicate(timeout=60)
    assert program.returncode == 0, errors
    return output


@pytest.mark.parametrize("jump", JUMPS)
def test_a_jump_during_a_run_ends_no_agent_and_makes_no_duration_wrong(
    tmp_path: Path, clock: FakeClock, jump: float
) -> None:
    CASE.written(tmp_path, seconds=0.2)
    began = time.monotonic()
    arguments = [*CASE.arguments(tmp_path), "--output", "results.json", "--junit", "junit.xml"]
    run = started(tmp_path, *arguments, variables=clock.variables)
    until(lambda: performed(tmp_path) > 2 or run.poll() is not None)
    clock.set(jump)
    output, errors = run.communicate(timeout=60)
    most = time.monotonic() - began
    assert (run.returncode, "4 of 4 tasks passed" in output) == (0, True), errors
    assert finished(tmp_path / ".waza-lsp") == [CASE.wanted]
    with RunStore(tmp_path / ".waza-lsp") as store:
        [found] = store.runs()
        trials = [it.record for it in store.trials(found.run_id)]
    # The clock did jump.
    assert abs(max(it.started_at for it in trials) - min(it.started_at for it in trials)) > DAY - 60
    assert 0 < found.end.duration_ms <= most * 1000
    assert all(0 <= it.trajectory.duration_ms <= most * 1000 for it in trials)
    durations = re.findall(r'"duration_ms": *(-?[\d.]+)', (tmp_path / "results.json").read_text())
    assert durations
    assert all(0 <= float(it) <= most * 1000 for it in durations)
    seconds = re.findall(r'time="(-?[\d.]+)"', (tmp_path / "junit.xml").read_text())
    assert seconds
    assert all(0 <= float(it) <= most for it in seconds)


@pytest.mark.parametrize("jump", JUMPS)
def test_an_agent_is_given_its_time_and_no_more(tmp_path: Path, clock: FakeClock, jump: float) -> None:
    case = Case("waza", "command", trials=1, workers=4)
    case.written(tmp_path, seconds=3600)
    path = tmp_path / "eval.yaml"
    path.write_text(path.read_text().replace("timeout_seconds: 60", "timeout_seconds: 3"))
    run = started(tmp_path, *case.arguments(tmp_path), variables=clock.variables)
    until(lambda: performed(tmp_path) == 4 or run.poll() is not None)
    jumped = time.monotonic()
    clock.set(jump)
    _, errors = run.communicate(timeout=60)
    assert time.monotonic() - jumped > 1
    assert (run.returncode, errors.count("timed out")) == (1, 4), errors


@pytest.mark.parametrize("jump", JUMPS)
def test_the_last_run_is_the_last_and_what_is_unchanged_is_taken_from_it(
    tmp_path: Path, clock: FakeClock, jump: float
) -> None:
    case = Case("waza", "mock", trials=1)
    case.written(tmp_path)
    said(tmp_path, clock, "run", "eval.yaml")
    clock.set(jump)
    said(tmp_path, clock, "run", "eval.yaml", "--task", "b")
    first, second = json.loads(said(tmp_path, clock, "runs", "list", "--format", "json"))
    assert first["started_at"] != second["started_at"]
    assert "1 of 1 tasks passed" in said(tmp_path, clock, "report", "last")
    clock.set(-2 * jump)
    again = started(tmp_path, "run", "eval.yaml", "--cache", variables=clock.variables)
    _, errors = again.communicate(timeout=60)
    assert "Reused the results of 4 unchanged tasks from earlier runs" in errors


def test_the_server_goes_on_as_before(tmp_path: Path, clock: FakeClock) -> None:
    Case("waza", "mock", trials=1).written(tmp_path)
    author = Author(tmp_path, random.Random(1), clock.variables)  # noqa: S311  # not used here
    try:
        author.greet()
        author.everything_works()
        for jump in JUMPS:
            clock.set(jump)
            uri = (tmp_path / "eval.yaml").as_uri()
            number = author.ask("textDocument/codeLens", textDocument={"uri": uri})
            author.all_answered()
            titles = [it["command"]["title"] for it in author.answers[number] if it.get("command")]
            assert titles
            assert not [it for it in titles if "-" in it]
            author.everything_works()
        author.leave()
        author.wire.wait()
    finally:
        author.close()
    assert finished(tmp_path / ".waza-lsp") == [[(0, 1)]] * 3
    assert {task for trials in author.told.values() for task, _ in trials} == {TASKS[0]}
