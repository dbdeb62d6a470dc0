"""Runs that are killed or asked to end at random instants, with every executor, several workers and both dialects.

What a run has said is finished is in the store; going on performs what is missing and nothing else; no process and no
temporary file stays. `python -m tests.faults.random_kills FOLDER 60` does it for hundreds of instants.
"""

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.leftovers import finished, until, wait_for_nothing
from tests.faults.suites import CASES, Case, environment, performed, started
from tests.slow import examples, first_quick
from waza_engine.runs.store.store import RunStore

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for leftovers in /proc")
KILLS = examples(8)


@pytest.mark.slow
def test_runs_that_are_broken_off_lose_nothing_and_leave_nothing(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.faults.random_kills", str(tmp_path), str(KILLS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found.keys() == {it.name for it in CASES}
    for it in found.values():
        assert it["killed"] == KILLS
        # A kill costs what the workers were at, and nothing else.
        assert it["begun"] is None or it["wanted"] <= it["begun"] <= it["most"]


@pytest.fixture
def slow(tmp_path: Path) -> Case:
    """A suite whose agents never come to an end."""
    case = Case("waza", "command", trials=2, workers=2)
    case.written(tmp_path, seconds=3600)
    return case


@pytest.mark.parametrize("number", first_quick([signal.SIGTERM, signal.SIGHUP]))
def test_a_signal_ends_agents_and_says_how_to_go_on(
    tmp_path: Path, slow: Case, number: signal.Signals
) -> None:
    run = started(tmp_path, *slow.arguments(tmp_path), "--store", "my store")
    until(lambda: performed(tmp_path) == 2)
    run.send_signal(number)
    _, said = run.communicate(timeout=60)
    assert run.returncode == 130, said
    assert "Cancelled. The run store has no finished trial of this run" in said
    wait_for_nothing(tmp_path / "tmp")
    slow.written(tmp_path, seconds=0)
    again = started(tmp_path, "run", "eval.yaml", "--resume", "--store", "my store")
    _, said = again.communicate(timeout=60)
    assert again.returncode == 0, said
    assert finished(tmp_path / "my store") == [slow.wanted]


@pytest.mark.slow
def test_a_run_whose_signals_are_ignored_goes_on(tmp_path: Path) -> None:
    case = Case("waza", "command", trials=1, workers=2)
    case.written(tmp_path, seconds=0.3)
    command = 'trap "" HUP; exec "$@"'
    run = subprocess.Popen(
        ["/bin/sh", "-c", command, "sh", sys.executable, "-m", "waza_lsp", *case.arguments(tmp_path)],
        cwd=tmp_path,
        env=environment(tmp_path / "tmp", os.environ),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until(lambda: performed(tmp_path))
    run.send_signal(signal.SIGHUP)
    assert run.wait(60) == 0
    assert finished(tmp_path / ".waza-lsp") == [case.wanted]


def test_what_was_kept_is_counted_and_the_way_on_is_told(tmp_path: Path) -> None:
    case = Case("waza", "command", trials=1, workers=1)
    case.written(tmp_path, seconds=3600)
    quick = tmp_path / "agent.sh"
    quick.write_text(quick.read_text().replace("sleep 3600\n", '[ "$WAZA_LSP_TASK" = a ] || sleep 3600\n'))
    run = started(tmp_path, *case.arguments(tmp_path), "--workers", "1", "--store", "my store")
    until(lambda: performed(tmp_path) == 2)
    run.terminate()
    _, said = run.communicate(timeout=60)
    assert "Cancelled: 1 finished trial kept. Resume with: waza-lsp run eval.yaml --resume --store" in said
    assert f"'{tmp_path / 'my store'}'" in said


@pytest.mark.slow
def test_of_two_processes_that_resume_a_run_one_is_refused(tmp_path: Path) -> None:
    case = Case("waza", "command", trials=2, workers=2)
    case.written(tmp_path, seconds=3600)
    first = started(tmp_path, *case.arguments(tmp_path))
    until(lambda: performed(tmp_path))
    first.kill()
    first.communicate()
    wait_for_nothing(tmp_path / "tmp")
    (tmp_path / "log").unlink()
    case.written(tmp_path, seconds=0.1)
    both = [started(tmp_path, "run", "eval.yaml", "--resume") for _ in range(2)]
    said = [it.communicate(timeout=120)[1] for it in both]
    assert sorted(it.returncode for it in both) == [0, 2], said
    refused = next(text for it, text in zip(both, said, strict=True) if it.returncode == 2)
    assert "still running in process" in refused or "has finished (passed)" in refused
    assert finished(tmp_path / ".waza-lsp") == [case.wanted]
    assert performed(tmp_path) == len(case.wanted)


@pytest.mark.slow
def test_the_number_of_a_killed_run_may_belong_to_another_process_by_now(tmp_path: Path) -> None:
    case = Case("waza", "command", trials=1, workers=2)
    case.written(tmp_path, seconds=3600)
    run = started(tmp_path, *case.arguments(tmp_path))
    until(lambda: performed(tmp_path))
    run.kill()
    run.communicate()
    with RunStore(tmp_path / ".waza-lsp") as store:
        # As after a restart of the machine: there is a process of that number, and it is none of ours.
        store.file.connection.execute(
            "UPDATE runs SET frame = json_set(frame, '$.pid', ?, '$.born', 'another boot 1')", (os.getppid(),)
        )
    case.written(tmp_path, seconds=0)
    again = started(tmp_path, "run", "eval.yaml", "--resume")
    _, said = again.communicate(timeout=60)
    assert again.returncode == 0, said


def test_a_report_that_is_being_written_can_be_broken_off(tmp_path: Path) -> None:
    case = Case("waza", "mock", trials=1)
    case.written(tmp_path)
    started(tmp_path, "run", "eval.yaml").communicate(timeout=60)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)
    # A page is longer than what the pipe takes, and nobody reads: the report is never written to its end.
    run = started(tmp_path, "run", "eval.yaml", "--html", str(pipe))
    until(lambda: select.select([reader], [], [], 0)[0])
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=60)
    os.close(reader)
    assert run.returncode == 130
    assert "Stopped while writing reports. Write them with: waza-lsp report" in said
    assert finished(tmp_path / ".waza-lsp")[1] == case.wanted
