"""The Runs view of a real VS Code, commands from the palette and from keys, new evals, and tools for chat."""

import asyncio
import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.editors.vscode_host import VSCode, running_vscode
from tests.editors.vscode_screen import open_window
from tests.editors.workspaces import FAILING_TASK, copy_of_example
from waza_engine.runs.run_header import RunFrame, TaskFrame
from waza_engine.runs.store.store import RunStore

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = [pytest.mark.editor, pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
OLD = 60
HUMAN = """
  - name: is-friendly
    type: human
    config: {criteria: [Is it friendly?]}
"""


@pytest.fixture(scope="module")
def vscode(vsix: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[VSCode]:
    """VS Code beside an extension that calls tools as chat does."""
    home = tmp_path_factory.mktemp("vscode")
    shutil.copytree(
        Path(__file__).parent / "chat_stand_in", home / "extensions" / "tests.chat-stand-in-1.0.0"
    )
    settings = {
        "waza.server.interpreter": sys.executable,
        "waza.run.executor": "replay",
        "chat.disableAIFeatures": False,
    }
    with running_vscode(home, vsix, settings) as started:
        yield started


async def test_runs_are_listed_compared_repeated_and_deleted(
    vscode: VSCode, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    suite = copy_of_example(tmp_path)
    _fill_store(suite)
    async with open_window(browser, vscode.page_url(suite, FAILING_TASK), shots) as screen:
        await screen.lens("Run task")
        view = await screen.runs_view()
        rows = await view.texts()
        assert rows[0] == f"code-explainer-eval{OLD} runs"
        assert "0.90" in rows[1]
        assert "mock m" in rows[1]
        await view.click(1)
        assert "code-explainer-eval" in await screen.web_page("old-59")
        await view.click(2, "Control")
        await view.choose(2, "Compare Runs")
        assert "What differs" in await screen.web_page("old-58")
        await screen.shot("runs-view")

        # Run again: with the executor and the model of then, not with those of the settings.
        await view.click(1)
        await view.choose(1, "Run Again as Then")
        await view.wait_for(f"{OLD + 1} runs")
        assert "mock m" in (await view.texts())[1]

        await view.choose(2, "Delete Runs")
        assert "You cannot undo this" in await screen.press_in_dialog("Delete")
        await view.wait_for(f"{OLD} runs")
        await view.show_older()
    with RunStore(suite / ".waza-lsp", for_reading=True) as store:
        left = [it.run_id for it in store.runs()]
    assert f"old-{OLD - 1}" not in left
    assert len(left) == OLD


async def test_commands_of_the_palette_tell_what_they_wrote(
    vscode: VSCode, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    suite = copy_of_example(tmp_path)
    task = suite / FAILING_TASK
    task.write_text(
        task.read_text(encoding="utf-8").replace("\ngraders:\n", f"\ngraders:{HUMAN}"), encoding="utf-8"
    )
    async with open_window(browser, vscode.page_url(suite, FAILING_TASK), shots) as screen:
        await screen.lens("Run task")
        await screen.command("waza: Export JSON Schemas")
        await screen.press_in_toast("Folder: schemas", "Open Folder")
        await (
            screen.page.get_by_role("treeitem", name="schemas")
            .and_(screen.page.locator(".selected"))
            .wait_for()
        )
        await screen.settle()  # The Explorer takes the focus.
        assert (suite / "schemas" / "eval.schema.json").is_file()

        await screen.go_to_line(3)
        await screen.page.keyboard.press("Control+;")
        await screen.page.keyboard.press("r")
        await screen.toast("explain-retry: failed")
        await screen.no_toasts()
        await screen.command("waza: Review")
        await screen.pick("Add a note")
        await screen.page.locator(".quick-input-title", has_text=re.compile("^Note$")).wait_for()
        await screen.answer("Warm and clear")
        await screen.page.get_by_placeholder("Note: Warm and clear").wait_for()
        await screen.shot("review")
        await screen.page.keyboard.press("p")
        await screen.toast("1 verdict kept. Nothing is left to review")
        await screen.no_toasts()
        await screen.go_to_line(3)
        await screen.page.keyboard.press("Control+;")
        await screen.page.keyboard.press("g")
        await screen.toast("explain-retry: ")
        await screen.no_toasts()

        await screen.command("waza: Convert This Eval to the Other Dialect")
        assert "Convert eval.yaml to vally?" in await screen.press_in_dialog("Convert")
        await screen.toast("Folder: vally")
        await screen.no_toasts()
        await screen.shot("converted")
    assert "stimuli:" in (suite / "vally" / "eval.yaml").read_text(encoding="utf-8")
    [line] = (suite / ".waza-lsp" / "reviews.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["comments"] == "Warm and clear"


async def test_new_evals_begin_in_an_empty_folder_and_chat_has_the_tools(
    vscode: VSCode, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("nothing here yet\n", encoding="utf-8")
    async with open_window(browser, vscode.page_url(tmp_path, "notes.txt"), shots) as screen:
        for name, dialect in (("greeter", "waza"), ("helper", "vally")):
            await screen.command("waza: New Eval")
            await screen.answer(name)
            await screen.pick(dialect)
            await screen.lens("Run")
            await screen.settle()
        await screen.command("waza: Run All Tasks")
        # The tests' settings choose recordings, and a new eval has none.
        await screen.press_in_toast("recordings", "Run with Mock")
        await screen.toast("first-task: passed")
        await screen.shot("new-eval")
        await screen.command("stand-in: Call the Tools for Chat")
        answers = await _written(tmp_path / "answers.json")
        await screen.command("MCP: List Servers")
        await screen.pick("waza-lsp")
        await screen.pick("Start Server")
        await screen.page.locator(".view-line", has_text="Discovered").wait_for()
        started = await screen.page.locator(".view-line", has_text="Discovered").inner_text()
    tools = json.loads(
        (Path(__file__).parents[2] / "editor-client/vscode/package.json").read_text(encoding="utf-8")
    )
    assert sorted(answers["names"]) == sorted(it["name"] for it in tools["contributes"]["languageModelTools"])
    assert f"Discovered {len(answers['names'])} tools" in started.replace("\N{NO-BREAK SPACE}", " ")
    assert "No file or folder 'tasks'" in answers["check"]
    assert "outside of" in answers["outside"]


def _fill_store(suite: Path) -> None:
    frame = RunFrame("code-explainer-eval", executor="mock", model="m", tasks=(TaskFrame("a", "A"),))
    with RunStore(suite / ".waza-lsp") as store:
        for number in range(OLD):
            name = f"old-{number}"
            store.start_run(name, suite / "eval.yaml", frame, started_at=1.7e9 + 3600 * number)
            store.finish_run(name, "passed" if number % 2 else "failed", number % 10 / 10)


async def _written(path: Path) -> dict[str, Any]:
    async with asyncio.timeout(60):
        while True:
            try:
                found: dict[str, Any] = json.loads(await asyncio.to_thread(path.read_text, encoding="utf-8"))
            except (OSError, ValueError):
                await asyncio.sleep(0.2)
            else:
                return found
