"""The packaged extension with the real server, in a real VS Code, seen through its screen."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from tests.editors.vscode_host import VSCode, running_vscode
from tests.editors.vscode_screen import Screen, open_window
from tests.editors.workspaces import copy_of_example

if TYPE_CHECKING:
    from playwright.async_api import Browser

# One event loop for the whole file, because the browser lives in it.
pytestmark = [pytest.mark.editor, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]


@dataclass(frozen=True, slots=True)
class Misspelt:
    """A window with an eval that misspells an option of a text grader. Lines count from 1."""

    screen: Screen
    line: int


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def misspelt(
    vscode: VSCode, browser: "Browser", shots: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Misspelt]:
    folder = copy_of_example(tmp_path_factory.mktemp("misspelt"))
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
    assert "waza-eval" not in offered  # A snippet for whole files.


async def test_an_option_explains_itself(misspelt: Misspelt) -> None:
    screen = misspelt.screen
    explanation = await screen.hover("regex_not_match")
    await screen.shot("hover")
    assert "regex_not_match" in explanation


async def test_a_click_on_the_lens_runs_the_task_and_shows_its_verdict(
    vscode: VSCode, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    folder = copy_of_example(tmp_path)
    async with open_window(browser, vscode.page_url(folder, "tasks/explain-retry.yaml"), shots) as window:
        await window.click_lens("Run task")
        await window.toast("explain-retry: passed (score ")
        await window.shot("verdict")


@pytest.mark.parametrize("trusted", [True, False])
async def test_only_a_trusted_workspace_chooses_the_server(
    trusted: bool, vsix: Path, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    folder = copy_of_example(tmp_path)
    started = tmp_path / "started"
    program = folder / ".venv" / "bin" / "waza-lsp"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n: > {started}\n", encoding="utf-8")
    program.chmod(0o755)
    settings = folder / ".vscode" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"waza.server.path": str(program)}), encoding="utf-8")
    home = tmp_path / "vscode"
    with running_vscode(home, vsix, {}, trusted=trusted, environment={"PATH": str(tmp_path)}) as other:
        async with open_window(browser, other.page_url(folder, "eval.yaml"), shots) as window:
            if trusted:
                await window.toast("The server did not start")
            else:
                await window.toast("found no Python on this machine")
    assert started.exists() == trusted
