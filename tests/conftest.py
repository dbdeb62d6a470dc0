"""The order of the tests: what takes long begins first, so that the workers of pytest-xdist end together.

And their signals: a `nohup` or a job in the background would have programs that the tests start ignore some, which is
inherited and respected.
"""

import signal

import pytest

_FIRST = (
    "tests/test_contributing.py",
    "tests/editors/",
    "tests/behaviour/test_fixes_everywhere.py",
    "tests/behaviour/test_typing.py",
    "tests/executors/",
    "tests/faults/",
    "tests/fuzz/",
    "tests/hostility/",
    "tests/server/",
    "tests/lsp/cli/",
    "tests/engine/runs/",
)
"""Tests that start editors, servers and child processes, or check thousands of texts: few in a file, each takes its time."""


def pytest_configure(config: pytest.Config) -> None:
    # With `--dist loadfile` it would begin with the files that have most tests, and end with those that take longest.
    config.option.loadscopereorder = False
    for name, usual in (("SIGHUP", signal.SIG_DFL), ("SIGINT", signal.default_int_handler)):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    return next((rank for rank, place in enumerate(_FIRST) if item.nodeid.startswith(place)), len(_FIRST))
