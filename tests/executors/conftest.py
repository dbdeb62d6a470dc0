"""Fixtures: the real Copilot CLI with a stand-in model, or a reason why it is not there."""

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.runs.bench import Bench
from tests.executors.stand_in_model import StandInModel, stand_in_model


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def model() -> Iterator[StandInModel]:
    with stand_in_model() as found:
        yield found


@pytest.fixture
def cli() -> str:
    """The path of the Copilot CLI."""
    path = os.environ.get("COPILOT_CLI_PATH", "")
    if not path:
        pytest.skip("COPILOT_CLI_PATH is not set; see tests/executors/install-copilot.sh")
    return path


def needs(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"the package {package} is not installed; see tests/executors/install-copilot.sh")
