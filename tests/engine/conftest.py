"""Fixtures: a bench to run suites on, and an executor that does what a test wants."""

from pathlib import Path

import pytest

from tests.engine.runs.bench import Bench, Scripted
from waza_engine.executors.base import ExecutorOptions


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def scripted(tmp_path: Path) -> Scripted:
    return Scripted(ExecutorOptions(tmp_path))
