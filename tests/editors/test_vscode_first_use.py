"""The first use of the extension on a machine without our package: it installs its server, and a task is run."""

import json
import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.editors.vscode_host import install, running_vscode
from tests.editors.vscode_screen import Screen, open_window
from tests.editors.workspaces import FAILING_TASK, MISSING, choose_server, copy_of_example

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = [pytest.mark.editor, pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

PYTHON_EXTENSION = Path(__file__).parent / "python_stand_in"
# Only the system's programs: a Python without our package.
BARE = {"PATH": "/usr/bin:/bin"}
NOWHERE = "http://127.0.0.1:9"
NO_NETWORK = {
    **BARE,
    "PIP_INDEX_URL": f"{NOWHERE}/simple",
    "PIP_EXTRA_INDEX_URL": "",
    "HTTP_PROXY": NOWHERE,
    "HTTPS_PROXY": NOWHERE,
}
THEMES = {"light": "Light Modern", "contrast": "Dark High Contrast", "dark": "Dark Modern"}


async def test_the_first_minute_and_again_without_network(
    vsix: Path, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    suite = copy_of_example(tmp_path)
    home = tmp_path / "vscode"
    shutil.copytree(PYTHON_EXTENSION, home / "extensions" / "ms-python.python-1.0.0")
    begin = time.monotonic()
    install(home, vsix)
    with running_vscode(home, vsix, {}, environment=BARE) as vscode:
        async with open_window(browser, vscode.page_url(suite, FAILING_TASK), shots) as screen:
            await screen.toast("Installing the waza-lsp server")
            await screen.shot("first-installing")
            await screen.toast_gone("Installing the waza-lsp server", 120)
            await _run_and_change(screen, suite)
            _assert_within_a_minute(begin)
            await screen.shot("first-live")
            status = await screen.language_status("waza-lsp:")
            assert "running" in status
            assert "comes with the extension" in status
    [made] = _environments(home)
    assert os.access(made / "bin" / "python", os.X_OK)
    # The command of *Install the Extra* needs it.
    assert list(made.glob("lib/python3.*/site-packages/pip/__main__.py"))

    shutil.rmtree(suite)
    copy_of_example(tmp_path)
    begin = time.monotonic()
    program = f"exec {made}/bin/python -P -m waza_lsp"
    server = _program(tmp_path / "environment" / "bin" / "waza-lsp", f'{program} "$@"')
    with running_vscode(home, vsix, {}, environment=NO_NETWORK) as vscode:
        async with open_window(browser, vscode.page_url(suite, FAILING_TASK), shots) as screen:
            await _run_and_change(screen, suite)
            _assert_within_a_minute(begin)
            await screen.command("View: Toggle Panel Visibility")
            await screen.go_to_line(1)
            # Pictures for people to look at: docs/testing.md.
            for name, theme in THEMES.items() if "WAZA_LSP_SCREENSHOTS" in os.environ else ():
                await screen.command("Preferences: Color Theme")
                await screen.answer(theme)
                await screen.settle(1500)
                await screen.shot(f"first-{name}")
            # The project's own server is preferred, as soon as its environment is selected.
            await screen.command("Stand-in: Select Environment")
            await screen.language_status(f"from {server}")


async def _run_and_change(screen: Screen, suite: Path) -> None:
    """Run the task with its recordings, then change a grader: the live verdict changes with it."""
    await screen.click_lens("Run task")
    await screen.press_in_toast("The Copilot SDK is not installed", "Run with Recordings")
    await screen.toast("explain-retry: passed (score ")
    await screen.no_toasts()
    lines = [it.strip() for it in (suite / FAILING_TASK).read_text(encoding="utf-8").splitlines()]
    await screen.retype(1 + lines.index("contains: [jitter]"), f"contains: [jitter, {MISSING}]")
    await screen.problem(f'"{MISSING}" not found')
    await screen.go_to_line(1)
    await screen.lens("✗ live: 1 grader fails")


def _assert_within_a_minute(begin: float) -> None:
    """A minute of a person's machine: other tests that run beside this one take their share."""
    busy = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    assert time.monotonic() - begin < 60 * busy


async def test_every_failure_says_what_to_do(
    vsix: Path, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    """No Python that is new enough, an index that nobody answers, a cancelled installation, and the way out."""
    suite = copy_of_example(tmp_path)
    programs, index = tmp_path / "bin", tmp_path / "pip.conf"
    programs.mkdir()
    started = choose_server(suite, tmp_path)
    _program(programs / "python3", "[ $1 = -P ] && exit 2; printf 'cpython\\n3\\n9\\n/opt/old/python3\\n'")
    # Neither the program of its settings nor its environment is started: it is not trusted.
    _program(suite / ".venv" / "bin" / "python", f": > {started}")
    index.write_text(f"[global]\nindex-url = {NOWHERE}/simple\nretries = 0\n", encoding="utf-8")
    environment = {
        "PATH": f"{suite}/.venv/bin:{programs}",
        "VIRTUAL_ENV": str(suite / ".venv"),
        "PIP_CONFIG_FILE": str(index),
        "PIP_FIND_LINKS": "",
    }
    home = tmp_path / "vscode"
    with running_vscode(home, vsix, {}, trusted=False, environment=environment) as vscode:
        async with open_window(browser, vscode.page_url(suite, "eval.yaml"), shots) as screen:
            problem = "waza-lsp needs Python 3.11 or newer, and found only Python 3.9 (/opt/old/python3)."
            buttons = await screen.toast_buttons(problem)
            assert buttons == ["Get Python", "Retry", "Choose Interpreter...", "Show Logs"]
            await screen.shot("first-too-old")
            await screen.press_in_toast(problem, "Get Python")
            await screen.web_page("winget install Python")
            await screen.shot("first-get-python")
            await screen.command("View: Close Editor")

            (programs / "python3").unlink()
            await screen.command("waza: Restart Server")
            await screen.toast("found no Python on this machine")
            (programs / "python3").symlink_to("/usr/bin/python3")
            await screen.press_in_toast("found no Python on this machine", "Retry")
            problem = (
                "The package index could not be reached. Check the network, or set PIP_FIND_LINKS to wheels."
            )
            assert await screen.toast_buttons(problem) == ["Retry", "Choose Interpreter...", "Show Logs"]
            await screen.shot("first-no-index")

            index.write_text("", encoding="utf-8")
            await screen.press_in_toast(problem, "Choose Interpreter...")
            await screen.offered("Python 3.")
            await screen.shot("first-interpreters")
            await screen.pick("Python 3.")
            await screen.press_in_toast("Installing the waza-lsp server", "Cancel")
            chosen = json.loads((home / "data/Machine/settings.json").read_text(encoding="utf-8"))
            assert chosen == {"waza.server.interpreter": str(programs / "python3")}
            await screen.toast("The waza-lsp server is not installed: cancelled.")
            assert _environments(home) == []
            await screen.press_in_toast("The waza-lsp server is not installed", "Retry")
            await screen.toast("Installing the waza-lsp server")
            await screen.toast_gone("Installing the waza-lsp server", 120)
            assert "comes with the extension" in await screen.language_status("waza-lsp: running")
    assert len(_environments(home)) == 1
    assert not started.exists()


def _environments(home: Path) -> list[Path]:
    return list((home / "data/User/globalStorage/waza-lsp.waza-lsp/server").iterdir())


def _program(file: Path, script: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    file.chmod(0o755)
    return file
