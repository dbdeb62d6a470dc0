"""Fixtures: the real Copilot CLI with a stand-in model, or a reason why it is not there."""

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from tests.editors.programs import MODE
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
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    installed = base / "waza-lsp-editors" / "copilot-1.0.102" / "node_modules" / ".bin" / "copilot"
    path = os.environ.get("COPILOT_CLI_PATH", "") or str(installed)
    if MODE == "off" or not Path(path).exists():
        _without("the Copilot CLI is not installed")
    return path


def needs(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        _without(f"the package {package} is not installed")


def _without(problem: str) -> NoReturn:
    stop = pytest.fail if MODE == "require" else pytest.skip
    stop(f"{problem}; run tests/executors/install-copilot.sh")
