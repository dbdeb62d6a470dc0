"""Fixtures: a bench to run suites on."""

from pathlib import Path

import pytest

from tests.engine.runs.bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)
