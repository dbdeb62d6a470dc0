"""Child processes: their results come back, and none of them stays."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from waza_engine.lib.process import run as processes

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the tests use POSIX commands")


def _run(script: str, tmp_path: Path, *, seconds: float = 10.0, **options: object) -> processes.ProcessResult:
    return processes.run(["sh", "-c", script], cwd=tmp_path, seconds=seconds, **options)  # type: ignore[arg-type]  # passed on


def _ended(pid: int) -> bool:
    """Whether the process has ended within two seconds: a kill takes a moment."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_outputs_and_status_come_back(tmp_path: Path) -> None:
    finished = _run("cat; echo oops >&2; exit 3", tmp_path, stdin=b"in")
    assert (finished.status, finished.stdout, finished.stderr) == (3, b"in", b"oops\n")
    assert not finished.timed_out


def test_a_signal_is_a_negative_status(tmp_path: Path) -> None:
    assert _run("kill -9 $$", tmp_path).status == -9


def test_a_child_that_does_not_read_its_input_is_no_problem(tmp_path: Path) -> None:
    assert _run("exit 0", tmp_path, stdin=b"x" * 5_000_000).status == 0


def test_output_beyond_the_limit_is_discarded_and_the_child_continues(tmp_path: Path) -> None:
    finished = _run("head -c 3000000 /dev/zero; echo done >&2", tmp_path, output_limit=1000)
    assert len(finished.stdout) == 1000
    assert finished.stderr == b"done\n"
    assert finished.status == 0


def test_an_interrupted_wait_ends_the_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started, wait = list[subprocess.Popen[bytes]](), subprocess.Popen.wait

    def interrupted(process: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        if process not in started:
            started.append(process)
            raise KeyboardInterrupt
        return wait(process, timeout)

    monkeypatch.setattr(subprocess.Popen, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _run("sleep 3600", tmp_path)
    assert started[0].returncode is not None
    assert started[0] not in processes._running


def test_after_the_time_limit_the_whole_group_is_killed(tmp_path: Path) -> None:
    started = time.monotonic()
    finished = _run("sleep 30 & echo $! ; trap '' TERM; wait", tmp_path, seconds=0.3)
    assert finished.timed_out
    assert time.monotonic() - started < 3
    assert _ended(int(finished.stdout))


def test_a_grandchild_with_the_output_open_is_waited_for_until_the_time_is_up(tmp_path: Path) -> None:
    finished = _run("(sleep 0.3; echo late) & echo early", tmp_path, seconds=5)
    assert finished.stdout == b"early\nlate\n"
    assert finished.status == 0


def test_a_grandchild_in_the_background_ends_with_its_parent(tmp_path: Path) -> None:
    finished = _run("sleep 30 >/dev/null 2>&1 & echo $!", tmp_path)
    assert finished.status == 0
    assert _ended(int(finished.stdout))


def test_a_missing_program_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no-such-program"):
        processes.run(["no-such-program"], cwd=tmp_path, seconds=1)


@pytest.mark.parametrize("seconds", [1e10, float("inf"), 2**62])
def test_a_limit_beyond_what_a_thread_can_wait_for(seconds: float, tmp_path: Path) -> None:
    # A timer that cannot be set would raise in its thread, and pytest would report that.
    assert _run("echo 5", tmp_path, seconds=seconds).stdout.strip() == b"5"


def test_end_all_ends_what_is_running(tmp_path: Path) -> None:
    child = processes.start(["sleep", "30"], cwd=tmp_path)
    processes.end_all()
    assert child.wait(timeout=5) == -9
    processes.end(child)
