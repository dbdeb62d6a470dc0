"""What all tests share: the order of the files, signals, byte code, and a count of the tests that were left out."""

import faulthandler
import gc
import inspect
import os
import signal
import sys
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.forked import FRESH
from waza_engine.lib.queries.disk import disk

# Tests share the machine with others, so no test depends on how long anything takes.
_UNTIMED: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("thorough", max_examples=100, **_UNTIMED)
settings.register_profile("ci", max_examples=25, **_UNTIMED)
settings.register_profile("quick", max_examples=20, **_UNTIMED)
settings.load_profile("quick")  # `--hypothesis-profile` comes after this, and wins.
_TESTS = Path(__file__).parent
_SLOW = frozenset(["faults", "fuzz", "hostility"])
"""Folders whose tests start many processes, and that few changes touch."""
_MOSTLY_SLOW = frozenset(["server"])
_QUICK_CASES = 1
"""How many cases of a parametrised test in these folders the quick suite runs. `.ci/run` runs all."""
_QUICK_SESSIONS = 2
"""How many tests of a file in these folders that wait for a server the quick suite runs."""
_LEFT_OUT = pytest.StashKey[int]()


@pytest.fixture(autouse=True)
def looking_at_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server in the process of a test looks less often; the next test begins anew."""
    monkeypatch.setattr(disk, "max_age", disk.max_age)


def pytest_configure(config: pytest.Config) -> None:
    # Otherwise `--dist loadfile` begins with the files that have the most tests, and ends with the slowest ones.
    config.option.loadscopereorder = False
    # The tests start thousands of processes, and each would compile our modules anew.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    # A `nohup` or a background job ignores some signals, and all programs that the tests start inherit that.
    for name, usual in (("SIGHUP", signal.SIG_DFL), ("SIGINT", signal.default_int_handler)):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let every second worker collect the folders in reverse order.

    In a fresh clone, pytest compiles each file of tests when it collects it: 10 s of processor time in each worker. Two
    workers that meet in the middle share the work. `pytest_collection_modifyitems` restores the order.
    """
    report = yield
    if (
        isinstance(collector, pytest.Directory)
        and os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579"
    ):
        report.result.reverse()
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark further cases as slow, and start with the files that need the most time: VS Code, then other slow tests.

    Then all workers of pytest-xdist end at about the same time.
    """
    items.sort(key=lambda it: it.path)
    _leave_cases_to_ci(items)
    slow = {it.path for it in items if it.get_closest_marker("slow")}
    items.sort(key=lambda it: (not it.path.name.startswith("test_vscode"), it.path not in slow))


def pytest_collection_finish() -> None:
    # A full garbage collection would visit the 15,000 tests and all modules again and again.
    gc.collect()
    gc.freeze()


def _leave_cases_to_ci(items: list[pytest.Item]) -> None:
    """Mark tests as slow in folders whose tests start processes: all of them, or all but the first of each file."""
    counts: Counter[str] = Counter()
    for it in items:
        folder = it.path.relative_to(_TESTS).parts[0]
        if folder in _SLOW:
            it.add_marker(pytest.mark.slow)
        elif folder in _MOSTLY_SLOW and it.get_closest_marker("slow") is None:
            test = it.nodeid.partition("[")[0]
            counts[test] += 1
            is_session = isinstance(it, pytest.Function) and inspect.iscoroutinefunction(it.function)
            counts[str(it.path)] += is_session
            if counts[test] > _QUICK_CASES or (is_session and counts[str(it.path)] > _QUICK_SESSIONS):
                it.add_marker(pytest.mark.slow)


def pytest_deselected(items: list[pytest.Item]) -> None:
    if items:
        stash = items[0].config.stash
        stash[_LEFT_OUT] = stash.get(_LEFT_OUT, 0) + len(items)


def pytest_sessionfinish(session: pytest.Session) -> None:
    # A worker of pytest-xdist tells the controller, which collects no tests itself.
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(_LEFT_OUT, 0)
        # The controller kills a worker that takes 10 s to end. Before that, it shows what it still waits for.
        faulthandler.dump_traceback_later(8)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[_LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if count := config.stash.get(_LEFT_OUT, 0):
        terminalreporter.write_line(
            f"{count} tests were left out (slow, editor, or not selected); -m '' runs them too"
        )


@pytest.fixture
def fresh_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server start its children anew, for tests that stop, kill or count them."""
    monkeypatch.setenv(FRESH, "1")
