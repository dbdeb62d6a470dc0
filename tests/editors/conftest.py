"""A real VS Code with the packaged extension, for the tests that look at its screen."""

import os
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from tests.editors.programs import RAN
from tests.editors.vscode_host import VSCode, running_vscode
from tests.editors.vscode_package import build_vsix
from tests.editors.vscode_programs import require_vscode
from tests.editors.vscode_screen import running_browser

if TYPE_CHECKING:
    from playwright.async_api import Browser


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"editors and tools that ran: {', '.join(sorted(RAN)) or 'none'}")


@pytest.fixture(scope="session")
def vsix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, built once for all workers of a run: a build takes 4 seconds of processor time."""
    require_vscode()
    import fcntl  # Only here: Windows has no such module, nor these tests.

    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "package"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        built = folder / "built.vsix"
        if not built.exists():
            # A failed build leaves its folder, so that the next worker tries in another one.
            build_vsix(Path(tempfile.mkdtemp(dir=folder))).rename(built)
    return built


@pytest.fixture(scope="session")
def vscode(vsix: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[VSCode]:
    """VS Code for all tests that need no settings of their own, because starting it is slow."""
    settings = {"waza.server.interpreter": sys.executable, "waza.run.executor": "replay"}
    with running_vscode(tmp_path_factory.mktemp("vscode"), vsix, settings) as started:
        yield started


@pytest.fixture(scope="session")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for pictures of failures, or for all pictures if the environment names a folder."""
    folder = os.environ.get("WAZA_LSP_SCREENSHOTS")
    chosen = Path(folder) if folder else tmp_path_factory.mktemp("screenshots")
    chosen.mkdir(parents=True, exist_ok=True)
    return chosen


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> "AsyncIterator[Browser]":
    require_vscode()
    async with running_browser() as started:
        yield started
