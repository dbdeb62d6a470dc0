"""Work in several processes: results in order, and no process that outlives its work."""

import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from waza_engine.lib.process import pool
from waza_engine.lib.process.pool import WorkerError, spread
from waza_engine.lib.system.cores import cores

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it sends signals")


def _after_a_pause(number: int) -> tuple[int, int]:
    time.sleep(0.05 if number % 2 else 0)
    return number, os.getpid()


def _killed(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def _refused(number: int) -> int:
    raise ValueError(number)


def _endless(folder: str) -> None:
    place = Path(folder, f"{os.getpid()}.tmp")
    place.touch()
    try:
        time.sleep(600)
    finally:
        place.unlink()


def test_results_come_in_order_from_other_processes() -> None:
    found = list(spread(_after_a_pause, range(30), 2))
    assert [number for number, _ in found] == list(range(30))
    assert len({pid for _, pid in found} - {os.getpid()}) == 2
    assert multiprocessing.active_children() == []


@pytest.mark.slow
def test_systems_without_fork_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "start_method", lambda: "spawn")
    assert [number for number, _ in spread(_after_a_pause, range(5), 2)] == list(range(5))


def test_a_killed_worker_is_an_error() -> None:
    with pytest.raises(WorkerError):
        list(spread(_killed, range(30), 2))
    assert multiprocessing.active_children() == []


def test_an_error_of_the_work_is_that_of_the_caller() -> None:
    with pytest.raises(ValueError, match="0"):
        list(spread(_refused, range(30), 2))
    assert multiprocessing.active_children() == []


def test_closing_ends_workers_that_clean_up(tmp_path: Path) -> None:
    results = spread(_first_or_endless, ["", str(tmp_path), str(tmp_path)], 2)
    assert next(results) is None
    until = time.monotonic() + 30
    while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    assert len(list(tmp_path.iterdir())) == 2
    results.close()
    assert multiprocessing.active_children() == []
    assert list(tmp_path.iterdir()) == []


def _first_or_endless(folder: str) -> None:
    if folder:
        _endless(folder)


def test_there_is_a_core() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)
