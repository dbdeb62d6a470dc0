"""Fixtures: the real Copilot CLI and Claude Code with a stand-in model, or a reason why they are not there."""

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
    return _program("copilot", "COPILOT_CLI_PATH", "copilot-1.0.102", "install-copilot.sh")


@pytest.fixture
def claude() -> str:
    """The path of Claude Code."""
    return _program("claude", "CLAUDE_CODE_PATH", "claude-code-2.1.330", "install-claude-code.sh")


def needs(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        _without(f"the package {package} is not installed; install the group 'extras'")


def _program(name: str, variable: str, folder: str, script: str) -> str:
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    installed = base / "waza-lsp-editors" / folder / "node_modules" / ".bin" / name
    path = os.environ.get(variable, "") or str(installed)
    if MODE == "off" or not Path(path).exists():
        _without(f"{name} is not installed; run tests/executors/{script}")
    return path


def _without(problem: str) -> NoReturn:
    stop = pytest.fail if MODE == "require" else pytest.skip
    stop(problem)
