"""Views of a real VS Code: the report, the walkthrough, the status, a first eval."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.editors.vscode_host import VSCode
from tests.editors.vscode_screen import open_window
from tests.editors.workspaces import FAILING_TASK, MISSING, copy_of_example, make_fail

if TYPE_CHECKING:
    from playwright.async_api import Browser

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.editor, pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]


async def test_the_report_opens_beside_the_text_and_can_load_nothing(
    vscode: VSCode, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    suite = copy_of_example(tmp_path)
    make_fail(suite)
    async with open_window(browser, vscode.page_url(suite, FAILING_TASK), shots) as screen:
        await screen.click_lens("Run task")
        await screen.press_in_toast("explain-retry: failed", "Show Report")
        report = await screen.web_page(f"contains: {MISSING}")
        await screen.shot("report")
        assert "names-the-ideas" in report
        sandbox, policy = await screen.policy_of_web_page(report)
        assert "allow-scripts" not in sandbox
        assert policy.startswith("default-src 'none';")
        # The steps run the viewer's script and the bridge to the editor, and nothing else.
        await screen.command("waza: Show Steps")
        await screen.web_page("Files after step")
        _, policy = await screen.policy_of_web_page("Files after step")
        assert policy.startswith("default-src 'none'; script-src 'sha256-")
        assert "unsafe" not in policy
        await screen.click_in_web_page("Files after step", "Make a check")
        await screen.click_in_web_page("Files after step", "Add to the eval")
        await screen.line("must_exist:")
        await screen.shot("steps")


async def test_the_way_to_a_first_eval(
    vscode: VSCode, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    suite = copy_of_example(tmp_path)
    (suite / "new.yaml").write_text("\n", encoding="utf-8")
    async with open_window(browser, vscode.page_url(suite, "new.yaml"), shots) as screen:
        await screen.go_to_line(1)
        offered = await screen.completions("waza", "waza-eval")
        assert {"waza-eval", "waza-task", "waza-triggers"} <= set(offered)
        await screen.command("Welcome: Open Walkthrough...")
        await screen.pick("Test an agent with evals")
        # The server runs already, so its step is done.
        await (
            screen.page.locator(".getting-started-step", has_text="Get the server")
            .locator(".complete")
            .first.wait_for()
        )
        await screen.shot("walkthrough")
        await screen.walkthrough_step("Run it", "Run All Tasks")
        await screen.toast("4 of 4 tasks passed")
        await screen.no_toasts()
        await screen.walkthrough_step("Change a grader, grade again", "Grade Again")
        await screen.toast("4 of 4 tasks passed")
        await screen.no_toasts()
        await screen.command("waza: New Eval")
        await screen.answer("greeter")
        await screen.pick("waza")
        await screen.lens("Run all")
        assert await screen.language_status("waza: eval") == "waza: eval top-level keys name, skill, config"
        assert "running" in await screen.language_status("waza-lsp:")
    text = (suite / "evals" / "greeter" / "eval.yaml").read_text(encoding="utf-8")
    assert "skill: greeter\n" in text
    await asyncio.to_thread(_ran, sys.executable, "-P", "-m", "waza_lsp", "check", str(suite / "evals"))


def _ran(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


async def test_a_skill_shows_the_evals_that_test_it(
    vscode: VSCode, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    suite = copy_of_example(tmp_path)
    skill = suite / "skills" / "code-explainer" / "SKILL.md"
    text = skill.read_text(encoding="utf-8")
    skill.write_text(
        text.replace('"explain this code"', '"find the hot path", "explain this code"'), encoding="utf-8"
    )
    async with open_window(
        browser, vscode.page_url(suite, skill.relative_to(suite).as_posix()), shots
    ) as screen:
        await screen.page.locator(".codelens-decoration", has_text="4 tasks in 1 eval").wait_for()
        hint = screen.page.locator(".squiggly-hint").first
        await hint.wait_for()
        await screen.shot("skill")
        await screen.click_lens("Run")
        await screen.toast("4 of 4 tasks passed")
        await screen.no_toasts()
        await screen.lens("4 tasks in 1 eval · 1.00 · just now")
        await screen.page.keyboard.press("Control+1")
        await screen.page.keyboard.press("Control+F")
        await screen.page.keyboard.type("find the hot path")
        await screen.page.keyboard.press("Escape")
        await screen.choose_fix("Add a trigger prompt for this clause to trigger_tests.yaml")
        await hint.wait_for(state="hidden")
        await screen.shot("skill-covered")
        await screen.click_lens("Audit")
        await screen.web_page("Audit of code-explainer-eval")
