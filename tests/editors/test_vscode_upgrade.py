"""The quick fix "Upgrade this workspace" in a real VS Code: all files change, and one undo restores them."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.editors.vscode_host import VSCode
from tests.editors.vscode_screen import open_window

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = [pytest.mark.editor, pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

OLD = """\
name: notes
config:  # of all stimuli
  runs: 1
stimuli:
  - name: writes-notes
    prompt: Summarise the meeting.
    graders: [{type: completed}]
"""


async def test_the_upgrade_changes_all_files_and_can_be_undone(
    vscode: VSCode, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.eval.yaml").write_text(OLD, encoding="utf-8")
    async with open_window(browser, vscode.page_url(tmp_path, "one.eval.yaml"), shots) as screen:
        await screen.problem("legacy-shape")
        await screen.go_to_line(2)
        await screen.page.keyboard.press("Home")
        await screen.choose_fix("Upgrade this workspace to vally")
        assert "Changed 2 files for vally" in await screen.toast("Changed 2 files")
        lines = screen.page.locator(".monaco-editor .view-line")
        await lines.filter(has_text="defaults:").wait_for()
        assert await lines.filter(has_text="# of all stimuli").count() == 1
        await screen.shot("upgrade")
        await screen.page.keyboard.press("Control+1")
        await screen.page.keyboard.press("Control+Z")
        await lines.filter(has_text="config:").wait_for()
        await screen.page.locator(".tab.dirty").wait_for(state="hidden")
