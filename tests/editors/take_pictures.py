"""Take the pictures of the guide, the README and the extension in a real VS Code.

`python -m tests.editors.take_pictures` in the root of a checkout, after `tests/editors/install-vscode.sh`.
"""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.editors.film import Film, film_of
from tests.editors.vscode_host import VSCode, running_vscode
from tests.editors.vscode_package import EXTENSION, build_vsix
from tests.editors.vscode_screen import Screen, open_window, running_browser
from tests.editors.workspaces import FAILING_TASK, TRACED_EXAMPLE, WEAK_EXAMPLE, copy_of_example, make_fail

if TYPE_CHECKING:
    from playwright.async_api import Browser

IMAGES = Path(__file__).parents[2] / "docs" / "images"
MEDIA = EXTENSION / "media"
SIZE = (1100, 700)
_PICTURES = ("icon", "editing", "testing", "runs", "audit", "walkthrough", "trace", "tour")
SETTINGS = {
    "waza.server.interpreter": sys.executable,
    "waza.run.executor": "replay",
    "editor.minimap.enabled": False,
    "editor.wordWrap": "on",
    "testing.automaticallyOpenTestResults": "neverOpen",
    "breadcrumbs.enabled": False,
    # It would tell of the port of VS Code itself, in every picture.
    "remote.autoForwardPorts": False,
}


async def main(names: list[str]) -> None:
    """Take the named pictures, or all."""
    home = Path(tempfile.mkdtemp())
    try:
        vsix = build_vsix(home)
        with running_vscode(home / "vscode", vsix, SETTINGS) as vscode:
            async with running_browser() as browser:
                studio = _Studio(vscode, browser, home)
                for name in names or _PICTURES:
                    await getattr(studio, name)()
    finally:
        shutil.rmtree(home)
    for name in ("finding", "testing", "report", "live", "runs"):
        shutil.copy(IMAGES / f"vscode-{name}.png", MEDIA / f"{name}.png")


class _Studio:
    def __init__(self, vscode: VSCode, browser: "Browser", home: Path) -> None:
        self._vscode = vscode
        self._browser = browser
        self._home = home
        self._failing = 0
        """Return the line of the failing check."""

    @asynccontextmanager
    async def _window(self, file: str = FAILING_TASK, *, fails: bool = True) -> AsyncIterator[Screen]:
        suite = copy_of_example(Path(tempfile.mkdtemp(dir=self._home)))
        if fails:
            self._failing = make_fail(suite)
        url = self._vscode.page_url(suite, file)
        async with open_window(self._browser, url, IMAGES, SIZE) as screen:
            await screen.lens("Run")
            yield screen

    async def icon(self) -> None:
        """The icon of the extension, as a PNG: shops take no SVG."""
        page = await self._browser.new_page(viewport={"width": 128, "height": 128})
        drawing = await asyncio.to_thread((MEDIA / "icon.svg").read_text, encoding="utf-8")
        await page.set_content(f"<body style='margin: 0'>{drawing}</body>")
        await page.screenshot(path=MEDIA / "icon.png", omit_background=True)

    async def editing(self) -> None:
        """A mistake, completion and hover."""
        async with self._window() as screen:
            await screen.command("View: Toggle Primary Side Bar Visibility")
            await screen.retype(self._failing + 1, "regex_mach:")
            await screen.squiggle()
            await screen.problem("regex_mach")
            await screen.settle()
            await screen.shot("finding")
            await screen.command("View: Toggle Panel Visibility")
            await screen.go_to_line(self._failing - 1)
            await screen.complete_below()
            await screen.shot("completion")
            await screen.take_back_line()
            await screen.hover("not_contains")
            await screen.shot("hover")

    async def testing(self) -> None:
        """The Testing view after a run, and its report."""
        async with self._window() as screen:
            await screen.tests()
            await screen.command("Test: Run All Tests")
            await screen.test_count("14/16")
            await screen.line_of_message("not found in the output")
            await screen.settle(3000)
            await screen.shot("testing")
            await screen.command("View: Toggle Primary Side Bar Visibility")
            await screen.click_lens("0.9")
            await screen.web_page("tasks passed")
            await screen.settle()
            await screen.shot("report")

    async def runs(self) -> None:
        """The Runs view, and a comparison of two runs of which the second is better."""
        async with self._window() as screen:
            await screen.command("waza: Run All Tasks")
            await screen.toast("3 of 4 tasks passed")
            await screen.retype(self._failing, "contains: [jitter]")
            await screen.page.keyboard.press("Control+S")
            await screen.no_toasts()
            await screen.command("waza: Run All Tasks")
            await screen.toast("4 of 4 tasks passed")
            await screen.no_toasts()
            view = await screen.runs_view()
            await view.click(1)
            await screen.web_page("tasks passed")
            await view.click(2, "Control")
            await view.choose(2, "Compare Runs")
            await screen.web_page("What differs")
            await screen.command("View: Focus Active Editor Group")
            await screen.settle(1500)
            await screen.shot("runs")

    async def audit(self) -> None:
        """The audit of an eval that is weak on purpose: its lenses, a hover, and its page."""
        suite = copy_of_example(Path(tempfile.mkdtemp(dir=self._home)), WEAK_EXAMPLE)
        url = self._vscode.page_url(suite, "eval.yaml")
        async with open_window(self._browser, url, IMAGES, SIZE) as screen:
            await screen.lens("passes for")
            await screen.command("View: Toggle Primary Side Bar Visibility")
            await screen.go_to_line(22)
            for _ in range(10):  # So that there is no room for the hover above the line, where the lens is.
                await screen.page.keyboard.press("Control+ArrowDown")
            await screen.hover("output-not-matches")
            await screen.shot("audit")
            await screen.click_lens("passes for")
            await screen.web_page("mutation score")
            await screen.settle()
            await screen.shot("audit-page")

    async def walkthrough(self) -> None:
        async with self._window(fails=False) as screen:
            await screen.command("View: Toggle Primary Side Bar Visibility")
            await screen.command("Welcome: Open Walkthrough...")
            await screen.pick("Test an agent with evals")
            await screen.settle(3000)
            await screen.shot("walkthrough")

    async def trace(self) -> None:
        """The trace of a recorded trial that fails. It needs no window of VS Code."""
        suite = copy_of_example(Path(tempfile.mkdtemp(dir=self._home)), TRACED_EXAMPLE)
        run = ["-m", "waza_lsp", "run", "eval.yaml", "--executor", "replay", "--trace", "trace.html"]
        await (await asyncio.create_subprocess_exec(sys.executable, *run, cwd=suite)).wait()
        page = await self._browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
        await page.goto((suite / "trace.html").as_uri())
        await page.locator(".step.is-selected .marks").wait_for()
        await page.screenshot(path=IMAGES / "trace.png")

    async def tour(self) -> None:
        """From a typing mistake to a passed check, animated."""
        async with self._window() as screen:
            await screen.command("View: Toggle Primary Side Bar Visibility")
            await screen.settle()
            film = await film_of(screen.page, self._browser)
            await film.frame(1500)
            await self._mistake(screen, film)
            await self._run(screen, film)
            await self._grade(screen, film)
            film.write(IMAGES / "tour.png")

    async def _mistake(self, screen: Screen, film: Film) -> None:
        for text in ("regex", "regex_ma", "regex_mach:"):
            await screen.retype(self._failing + 1, text)
            await film.frame(250)
        await screen.squiggle()
        await film.frame(1200)
        await screen.quick_fix()
        await film.frame(1500)
        await film.poster()
        await screen.take_fix()
        await screen.page.keyboard.press("Control+S")
        await screen.go_to_line(1)
        await screen.settle()
        await film.frame(1200)

    async def _run(self, screen: Screen, film: Film) -> None:
        await screen.click_lens("Run task")
        await film.frame(600)
        await screen.toast("explain-retry: failed")
        await screen.line_of_message("not found in the output")
        await film.frame(2500)
        await screen.no_toasts()
        await film.frame(800)

    async def _grade(self, screen: Screen, film: Film) -> None:
        """Edit the grader and see the recorded run regraded at once."""
        for text in ("contains: [jitter, d", "contains: [jitter, del", "contains: [jitter, delay]"):
            await screen.retype(self._failing, text)
            await film.frame(250)
        await screen.settle(1000)
        await film.frame(2000)
        await screen.hover("text")
        await film.frame(2000)
        await screen.shot("live")
        await screen.go_to_line(1)
        await screen.click_lens("Grade again")
        await screen.toast("explain-retry: passed")
        await screen.settle()
        await film.frame(3000)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
