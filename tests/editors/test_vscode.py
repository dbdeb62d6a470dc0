"""The packaged extension with the real server, in a real VS Code, seen through its screen."""

import json
import os
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from tests.editors.vscode_host import VSCode, running_vscode
from tests.editors.vscode_package import build_vsix
from tests.editors.vscode_programs import require_vscode
from tests.editors.vscode_screen import Screen, open_window, running_browser

if TYPE_CHECKING:
    from playwright.async_api import Browser

EXAMPLE = Path(__file__).parents[2] / "examples" / "code-explainer"

# One event loop for the whole file, because the browser lives in it.
pytestmark = [pytest.mark.editor, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]


@pytest.fixture(scope="module", autouse=True)
def _programs() -> None:
    require_vscode()


@pytest.fixture(scope="module")
def vsix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_vsix(tmp_path_factory.mktemp("package"))


@pytest.fixture(scope="module")
def vscode(vsix: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[VSCode]:
    settings = {"waza.server.interpreter": sys.executable, "waza.run.executor": "replay"}
    with running_vscode(tmp_path_factory.mktemp("vscode"), vsix, settings) as started:
        yield started


@pytest.fixture(scope="module")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = os.environ.get("WAZA_LSP_SCREENSHOTS")
    chosen = Path(folder) if folder else tmp_path_factory.mktemp("screenshots")
    chosen.mkdir(parents=True, exist_ok=True)
    return chosen


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> "AsyncIterator[Browser]":
    async with running_browser() as started:
        yield started


@dataclass(frozen=True, slots=True)
class Misspelt:
    """A window on an eval in which an option of a text grader is misspelt; lines count from 1."""

    screen: Screen
    line: int


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def misspelt(
    vscode: VSCode, browser: "Browser", shots: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Misspelt]:
    folder = _copy_of_example(tmp_path_factory.mktemp("misspelt"))
    file = folder / "eval.yaml"
    text = file.read_text(encoding="utf-8").replace("contains:", "contians:", 1)
    file.write_text(text, encoding="utf-8")
    line = 1 + next(index for index, it in enumerate(text.splitlines()) if "contians:" in it)
    async with open_window(browser, vscode.page_url(folder, file.name), shots) as screen:
        # Editors draw nothing for the lines below their window.
        await screen.go_to_line(line)
        yield Misspelt(screen, line)


async def test_a_misspelt_option_is_underlined_and_listed(misspelt: Misspelt) -> None:
    screen = misspelt.screen
    await screen.squiggle()
    problem = await screen.problem("contians")
    await screen.shot("finding")
    assert "waza-lsp" in problem
    assert "unknown-key" in problem


async def test_the_options_of_the_grader_are_offered(misspelt: Misspelt) -> None:
    screen = misspelt.screen
    # The line above says `config:`.
    await screen.go_to_line(misspelt.line - 1)
    offered = await screen.complete_below()
    await screen.shot("completion")
    await screen.take_back()
    assert {"contains", "contains_cs", "regex_match"} <= set(offered)


async def test_an_option_explains_itself(misspelt: Misspelt) -> None:
    screen = misspelt.screen
    explanation = await screen.hover("regex_not_match")
    await screen.shot("hover")
    assert "regex_not_match" in explanation


async def test_a_click_on_the_lens_runs_the_task_and_shows_its_verdict(
    vscode: VSCode, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    folder = _copy_of_example(tmp_path)
    async with open_window(browser, vscode.page_url(folder, "tasks/explain-retry.yaml"), shots) as window:
        await window.click_lens("Run task")
        await window.toast("explain-retry: passed (score ")
        await window.shot("verdict")


@pytest.mark.parametrize("trusted", [True, False])
async def test_only_a_trusted_workspace_chooses_the_server(
    trusted: bool, vsix: Path, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    folder = _copy_of_example(tmp_path)
    started = tmp_path / "started"
    program = folder / ".venv" / "bin" / "waza-lsp"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\ntouch {started}\n", encoding="utf-8")
    program.chmod(0o755)
    settings = folder / ".vscode" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"waza.server.path": str(program)}), encoding="utf-8")
    home = tmp_path / "vscode"
    with running_vscode(home, vsix, {}, trusted=trusted, path="/usr/bin:/bin") as other:
        async with open_window(browser, other.page_url(folder, "eval.yaml"), shots) as window:
            if trusted:
                await window.toast("The server did not start")
            else:
                assert await window.toast_buttons("waza-lsp was not found") == [
                    "Open Setting",
                    "Show Install Command",
                ]
                await window.shot("not-found")
    assert started.exists() == trusted


def _copy_of_example(parent: Path) -> Path:
    return shutil.copytree(EXAMPLE, parent / EXAMPLE.name, ignore=shutil.ignore_patterns(".waza-lsp"))
