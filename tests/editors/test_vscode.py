"""The packaged extension with the real server, in a real VS Code, seen through its screen."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from tests.editors.vscode_host import VSCode
from tests.editors.vscode_screen import Screen, open_window
from tests.editors.workspaces import choose_server, copy_of_example

if TYPE_CHECKING:
    from playwright.async_api import Browser

# One event loop for all files, because the browser lives in it.
pytestmark = [pytest.mark.editor, pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]


@dataclass(frozen=True, slots=True)
class Misspelt:
    """A window with an eval that misspells an option of a text grader. Lines count from 1."""

    screen: Screen
    line: int


@pytest_asyncio.fixture(scope="module", loop_scope="session")
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


async def test_a_trusted_workspace_chooses_the_server(
    vscode: VSCode, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    # `test_every_failure_says_what_to_do` has the same setting in a workspace that is not trusted.
    folder = copy_of_example(tmp_path)
    started = choose_server(folder, tmp_path)
    async with open_window(browser, vscode.page_url(folder, "eval.yaml"), shots) as window:
        await window.toast("The server did not start")
    assert started.exists()
