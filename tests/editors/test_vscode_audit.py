"""The audit in VS Code: its lens, hint, hover, fix and page, from a task that passes for nothing to one that does not."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.editors.vscode_host import VSCode
from tests.editors.vscode_screen import open_window
from tests.engine.audit.evals import recording, write_eval

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = [pytest.mark.editor, pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
TASK = "tasks/release-notes.yaml"
WEAK = """\
id: release-notes
name: Writes the release notes
inputs:
  prompt: Write NOTES.md for version 2.0, and tell me what is new.
graders:
  - type: text
    name: no-excuses
    config:
      not_contains: [I cannot]
"""


def weak_eval(folder: Path) -> Path:
    """Write an eval with a task whose only check forbids what no agent says."""
    answer = "Version 2.0 is ready.\n\nIt brings dark mode and 3 fixes."
    trial = recording(
        "release-notes",
        answer,
        [("create", {"path": "NOTES.md"})],
        files={"NOTES.md": "# 2.0\n\nDark mode\n"},
    )
    suite = write_eval(folder / "notes", [{"id": "release-notes"}], recordings=[trial]).parent
    (suite / TASK).write_text(WEAK, encoding="utf-8")
    return suite


async def test_a_weak_check_is_seen_and_made_stronger(
    vscode: VSCode, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    suite = weak_eval(tmp_path)
    async with open_window(browser, vscode.page_url(suite, TASK), shots) as screen:
        await screen.lens("⚠ passes for: silence, done, refusal and 3 more · mutation score 0 %")
        await screen.page.locator(".squiggly-hint").first.wait_for()
        found = await screen.hover("type")
        await screen.shot("audit-hover")
        assert "passes for an agent that says nothing" in found
        assert "The other agents that pass: echo, plan, untouched" in found
        assert "Version 2.0 is not ready" in found
        await screen.go_to_line(1 + WEAK[: WEAK.index("type: text")].count("\n"))
        await screen.choose_fix("Add a check that tells them apart: 'file', NOTES.md")
        # Live: the lens is about the text in the editor, which is not saved.
        await screen.lens("mutation score 1")
        await screen.shot("audit-fixed")
        await screen.click_lens("mutation score")
        page = await screen.web_page("What passes")
        await screen.shot("audit-page")
        assert "none pass for an agent that does no work" in page
        sandbox, policy = await screen.policy_of_web_page("What passes")
        assert "allow-scripts" not in sandbox
        assert policy.startswith("default-src 'none';")
        # The page follows the text while it is visible.
        await screen.command("View: Focus First Editor Group")
        await screen.page.keyboard.press("Control+Z")
        await screen.web_page("1 passes for an agent that does no work")
        await screen.settle()
        await screen.shot("audit-page-followed")
