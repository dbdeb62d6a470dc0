"""The Testing view of a real VS Code: the server's tree, and runs from any source."""

import asyncio
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.editors.vscode_host import VSCode
from tests.editors.vscode_screen import Screen, open_window
from tests.editors.workspaces import EXAMPLE, FAILING_TASK, MISSING, copy_of_example, make_fail, make_slow
from tests.server.results_harness import until
from waza_engine.runs.store.store import RunStore

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = [pytest.mark.editor, pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
FAILING = "Explain the retry helper"
PASSING = "Explain debounce in 90 words"
MODEL = "claude-sonnet-4.6"
ARMS = """\
baseline: {skill: off}
matrix:
  skill: {path: /environment/skills, values: [off: [], on: [skills/release-notes]]}
"""


@asynccontextmanager
async def window(
    vscode: VSCode, browser: "Browser", shots: Path, suite: Path, file: str = FAILING_TASK
) -> AsyncIterator[Screen]:
    async with open_window(browser, vscode.page_url(suite, file), shots) as screen:
        await screen.lens("Run")
        yield screen


async def test_everything_runs_and_failed_tests_run_again(
    vscode: VSCode, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    suite = copy_of_example(tmp_path)
    line = make_fail(suite)
    async with window(vscode, browser, shots, suite) as screen:
        assert await screen.tests() == [
            "code-explainer-eval",
            "Comment the worker pool without changing it",
            "Write a page about the revenue query",
            "Explain debounce in 90 words",
            FAILING,
            "opened-the-file",
            "no-excuses",
        ]
        await screen.command("Test: Run All Tests")
        # The tasks and their graders, and those of the eval.
        await screen.test_count("14/16")
        await screen.test(FAILING, "failed")
        await screen.test("no-excuses", "passed")
        await screen.expand_test(FAILING)
        await screen.test("names-the-ideas", "failed")
        await screen.test("has-some-substance", "passed")
        await screen.test("Explain debounce in 90 words", "passed")
        await screen.go_to_line(line)
        assert MISSING in await screen.line_of_message(f'"{MISSING}" not found in the output')
        await screen.shot("testing")
        assert f'names-the-ideas 0.80: "{MISSING}" not found' in await screen.test_output("names-the-ideas")
        # Beside the line stands what is wrong, not a comparison of the two texts.
        assert " != " not in await screen.page.locator(".monaco-editor .content").first.inner_text()
        await screen.command("Test: Rerun Failed Tests")
        await screen.test_count("1/3")
        await screen.retype(2, "name: Another name")
        await screen.test("Another name", "failed")
        await screen.command("File: Save")
        # Graded on each save, until it is stopped.
        await screen.command("Test: Start Continuous Run")
        await screen.retype(line, "contains: [jitter]")
        await screen.command("File: Save")
        await screen.test("names-the-ideas", "passed")
        await screen.command("Test: Stop Continuous Run")
        # The settings choose recordings; the other profiles choose something else.
        await until(lambda: _newest(suite) == ("replay", MODEL, 1), 60)
        await screen.run_with(PASSING, "Run with Mock")
        await screen.test(PASSING, "failed")
        await until(lambda: _newest(suite) == ("mock", MODEL, 1), 60)
        await screen.run_with(PASSING, "Run with Recordings")
        await screen.test(PASSING, "passed")
        await until(lambda: _newest(suite) == ("replay", MODEL, 1), 60)
        await screen.run_with(PASSING, "Run with Model...")
        await screen.answer("another-model")
        await until(lambda: _newest(suite) == ("replay", "another-model", 1), 60)
        await screen.run_with(PASSING, "Run Several Trials...")
        await screen.answer("2")
        await until(lambda: _newest(suite) == ("replay", MODEL, 2), 60)
    async with window(vscode, browser, shots, suite) as screen:
        # The verdicts of the store are there in a new window.
        await screen.tests()
        await screen.test("Another name", "failed")
        await screen.test("Write a page about the revenue query", "passed")
        await screen.shot("testing-new-window")


async def test_runs_can_be_cancelled_and_none_outlives_the_server(
    vscode: VSCode, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    suite = copy_of_example(tmp_path)
    taken = make_slow(suite, 50)
    async with window(vscode, browser, shots, suite) as screen:
        await screen.tests()
        # Not started from the Testing view, and yet seen and cancelled there.
        await screen.click_lens("Run task")
        await screen.test(FAILING, "running")
        await screen.command("Test: Cancel Test Run")
        await screen.test(FAILING, "skipped")

        # One of two trials ends before the run is cancelled.
        taken.rmdir()
        await screen.run_with(FAILING, "Run Several Trials...")
        await screen.answer("2")
        await until(lambda: _trials(suite) == 1, 60)
        await screen.test(FAILING, "running")
        await screen.command("Test: Cancel Test Run")
        await screen.test(FAILING, "skipped")

        await screen.command("Test: Run All Tests")
        await screen.test(FAILING, "running")
        await asyncio.to_thread(_kill_server, vscode)
        await screen.test(FAILING, "error")

        # The server comes back by itself.
        await screen.command("Test: Run All Tests")
        await screen.test(FAILING, "running")
        await screen.command("Test: Cancel Test Run")
        await screen.test(FAILING, "skipped")


def _newest(suite: Path) -> tuple[str, str, int]:
    """The executor, model and number of trials of the newest run."""
    with RunStore(suite / ".waza-lsp", for_reading=True) as store:
        run = store.runs(limit=1)[0]
    return run.executor, run.model, run.frame.trials


def _trials(suite: Path) -> int:
    """The number of finished trials of the newest run."""
    with RunStore(suite / ".waza-lsp", for_reading=True) as store:
        return len(list(store.trials(store.runs(limit=1)[0].run_id)))


def _kill_server(vscode: VSCode) -> None:
    """Kill the language servers of this VS Code."""
    found = subprocess.run(
        ["pgrep", "-g", str(vscode.group), "-f", "waza_lsp serve"],
        capture_output=True,
        text=True,
        check=True,
    )
    for pid in found.stdout.split():
        os.kill(int(pid), signal.SIGKILL)


async def test_experiments_are_run_as_evals_are(
    vscode: VSCode, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(EXAMPLE.parent / "release-notes", tmp_path / "release-notes")
    file = folder / "skill.experiment.yaml"
    text = file.read_text(encoding="utf-8").replace("runs: 2", "runs: 1")
    file.write_text(text, encoding="utf-8")
    async with window(vscode, browser, shots, folder, file.name) as screen:
        assert "release-notes-skill" in await screen.tests()
        await screen.command("Test: Run Tests in Current File")
        await screen.test_count("2/2")
        file.write_text(text.partition("vary:")[0] + ARMS, encoding="utf-8")
        await screen.line("matrix:")
        await screen.command("Test: Run Tests in Current File")
        # The arms of a matrix stand nowhere: their verdict is that of the whole.
        await screen.test_count("1/1")
