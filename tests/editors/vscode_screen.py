"""User actions and views of a VS Code window, with Playwright.

Assertions are on text; nothing is compared pixel by pixel.
"""

import asyncio
import importlib.util
import os
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from tests.editors.programs import MODE
from tests.editors.vscode_package import EXTENSION
from tests.editors.vscode_programs import chromium

if TYPE_CHECKING:
    from playwright.async_api import Browser, Frame, Locator, Page

AXE = EXTENSION / "node_modules" / "axe-core" / "axe.min.js"
_PATIENCE_MS = 30_000
"""Covers the start of the extension host and of the language server on a machine with nothing else to do."""


def _patience_ms() -> float:
    """Return how long to wait while other programs take their share of the processors."""
    busy = os.getloadavg()[0] / (os.cpu_count() or 1) / 2
    return _PATIENCE_MS * min(max(busy, 1), 4)


def require_browser(also_missing: Iterable[str] = ()) -> None:
    """Skip a test of pages where a browser, axe or something else is missing. In CI, fail."""
    if MODE == "off":
        pytest.skip("WAZA_LSP_EDITORS=off")
    absent = [
        *(["chromium"] if chromium() is None else []),
        *([] if AXE.is_file() else ["axe-core (npm ci in editor-client/vscode)"]),
        *([] if importlib.util.find_spec("playwright") else ["the Python package playwright"]),
        *also_missing,
    ]
    if absent:
        (pytest.fail if MODE == "require" else pytest.skip)(f"not installed: {', '.join(absent)}")


@asynccontextmanager
async def running_browser() -> AsyncIterator["Browser"]:
    # Playwright is an optional dependency: the module must import without it.
    from playwright.async_api import async_playwright

    # Chromium refuses its sandbox to root; the /dev/shm of a container is too small for it.
    arguments = ["--disable-dev-shm-usage", "--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=arguments)
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def open_window(
    browser: "Browser", url: str, shots: Path, size: tuple[int, int] = (1280, 800)
) -> AsyncIterator["Screen"]:
    """A window of VS Code with a file open; its pictures go to `shots`."""
    page = await browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.set_default_timeout(_patience_ms())
    try:
        await page.goto(url)
        screen = Screen(page, shots)
        await page.locator(".monaco-editor .view-line").first.wait_for()
        yield screen
    finally:
        await page.close()


class Screen:
    def __init__(self, page: "Page", shots: Path) -> None:
        self._page = page
        self._shots = shots

    @property
    def page(self) -> "Page":
        """The Playwright page, for everything without a method."""
        return self._page

    async def settle(self, milliseconds: int = 700) -> None:
        """Wait for a change that no text on the screen shows."""
        await self._page.wait_for_timeout(milliseconds)

    async def retype(self, number: int, text: str, delay: int = 0) -> None:
        """Replace a line after its indentation, with `delay` milliseconds between two keys."""
        await self.go_to_line(number)
        await self._page.keyboard.press("Home")
        await self._page.keyboard.press("Shift+End")
        await self._page.keyboard.type(text, delay=delay)
        await self._page.keyboard.press("Escape")

    async def quick_fix(self) -> None:
        """Open the fixes at the cursor."""
        await self._page.keyboard.press("Control+.")
        await self._seen(".action-widget")

    async def choose_fix(self, title: str) -> None:
        """Choose a fix at the cursor. The list is opened again until the server offers the fix."""
        from playwright.async_api import TimeoutError as NotSeen

        row = self._page.locator(".action-widget .monaco-list-row", has_text=title)
        for _ in range(6):
            await self._page.keyboard.press("Control+.")
            try:
                await row.click(timeout=_patience_ms() / 6)
            except NotSeen:
                await self._page.keyboard.press("Escape")
            else:
                return
        raise AssertionError(f"no fix is offered: {title}")

    async def take_fix(self) -> None:
        await self._page.keyboard.press("Enter")
        await self._page.locator(".squiggly-error").first.wait_for(state="hidden")

    async def shot(self, name: str) -> None:
        await self._page.screenshot(path=self._shots / f"vscode-{name}.png")

    async def squiggle(self) -> None:
        await self._seen(".squiggly-error")

    async def problem(self, text: str) -> str:
        """Return the entry of the Problems view that contains a text."""
        await self._page.keyboard.press("Control+Shift+M")
        return await _text(await self._seen(".markers-panel .monaco-list-row", text))

    async def problems(self) -> list[str]:
        """Return the rows of the open Problems view, including file rows, in any order."""
        rows = self._page.locator(".markers-panel .monaco-list-row")
        return [" ".join((await _text(it)).split()) for it in await rows.all()]

    async def problems_with(self, *texts: str) -> list[str]:
        """Return the Problems view once it has all these texts, or after some time."""
        found: list[str] = []
        for _ in range(int(_patience_ms() / 500)):
            found = await self.problems()
            if all(any(text in it for it in found) for text in texts):
                break
            await self.settle(500)
        return found

    async def line(self, text: str) -> None:
        """Wait until a line of the editor has a text."""
        await self._seen(".monaco-editor .view-line", text)

    async def language(self, name: str) -> None:
        """Wait until VS Code shows this language for the file."""
        await self._seen("[id='status.editor.mode']", name)

    async def go_to_line(self, number: int) -> None:
        """Put the cursor at the end of a line, counted from 1."""
        await self._page.keyboard.press("Control+1")  # the focus may be in a panel
        await self._page.keyboard.press("Control+G")
        await (await self._seen(".quick-input-widget input")).fill(f":{number}")
        await self._page.keyboard.press("Enter")
        await self._page.locator(".quick-input-widget").wait_for(state="hidden")
        await self._page.keyboard.press("End")

    async def complete_below(self) -> list[str]:
        """Return the completions on a new line below the cursor, one level deeper."""
        await self._page.keyboard.press("Enter")
        await self._page.keyboard.type("  ")
        return await self.completions()

    async def completions(self, typed: str = "", expected: str = "") -> list[str]:
        """Return the completions at the cursor after typing a text, when the expected one is there."""
        await self._page.keyboard.type(typed)
        labels: list[str] = []
        for _ in range(10):
            await self._page.keyboard.press("Control+Space")
            await self._seen(row := ".suggest-widget.visible .monaco-list-row")
            labels = await self._page.locator(row).locator(".label-name").all_inner_texts()
            if not expected or expected in labels:
                break
            # Until the server runs, VS Code offers the words of the file.
            await self._page.keyboard.press("Escape")
            await self._page.wait_for_timeout(1000)
        return labels

    async def take_back(self) -> None:
        """Close the completion list and revert the file."""
        await self.take_back_line()
        await self._page.locator(".tab.dirty").wait_for(state="hidden")

    async def take_back_line(self) -> None:
        """Close the completion list and keep other changes."""
        for key in "Escape", "Control+Z", "Control+Z":
            await self._page.keyboard.press(key)

    async def hover(self, word: str) -> str:
        token = await self._seen(".view-line span span", re.compile(rf"^\s*{re.escape(word)}$"))
        # A slow answer is shown as "Loading..." first.
        shown = self._page.locator(".monaco-hover:visible").filter(has_not_text="Loading...")
        for _ in range(10):
            # A text that still changes makes VS Code forget a mouse that rests; a person moves it again.
            await self._page.mouse.move(0, 0)
            await token.hover()
            await self._page.wait_for_timeout(1000)
            if await shown.count():
                break
        return await _text(shown.first)

    async def click_lens(self, title: str) -> None:
        # VS Code asks for lenses only while the editor has the focus. What it shows until then cannot be clicked.
        await self._page.keyboard.press("Control+1")
        await (await self._seen(".codelens-decoration a", title)).click()

    async def lens(self, title: str) -> str:
        return await _text(await self._seen(".codelens-decoration a", title))

    async def toast(self, text: str) -> str:
        return await _text(await self._seen(".notification-toast", text))

    async def toast_gone(self, text: str, seconds: int) -> None:
        toast = self._page.locator(".notification-toast", has_text=text)
        await toast.wait_for(state="hidden", timeout=seconds * 1000)

    async def toast_buttons(self, text: str) -> list[str]:
        toast = await self._seen(".notification-toast", text)
        return await toast.locator(".monaco-button").all_inner_texts()

    async def no_toasts(self) -> None:
        await self.command("Notifications: Clear All Notifications")
        await self._page.locator(".notification-toast").first.wait_for(state="hidden")

    async def press_in_toast(self, text: str, button: str) -> None:
        toast = await self._seen(".notification-toast", text)
        await toast.locator(".monaco-button", has_text=button).click()

    async def offered(self, label: str) -> str:
        """Return the entry of an open list that contains a text."""
        return await _text(await self._seen(".quick-input-list .monaco-list-row", label))

    async def pick(self, label: str) -> None:
        """Choose from an open list."""
        await self._away()
        await (await self._seen(".quick-input-list .monaco-list-row", label)).click()

    async def answer(self, text: str) -> None:
        """Type into an open input box."""
        await (await self._seen(".quick-input-widget input")).fill(text)
        await self._page.keyboard.press("Enter")

    async def command(self, title: str) -> None:
        """Run a command from the palette."""
        from playwright.async_api import TimeoutError as NotSeen

        await self._away()
        palette = self._page.locator(".quick-input-widget input").first
        for attempt in range(3):
            await self._page.keyboard.press("F1")
            try:
                await palette.fill(f">{title}", timeout=_patience_ms() / 3)
                break
            except NotSeen:
                # A question that was just closing can take the key, or the palette with it.
                if attempt == 2:
                    raise
        await (await self._seen(".quick-input-list .monaco-list-row", title)).click()

    async def tests(self) -> list[str]:
        """Return the labels in the Testing view, with the tasks of its first eval expanded."""
        await self.command("Testing: Focus on Test Explorer View")
        await self._seen(".test-explorer .monaco-list-row")
        rows = self._page.locator(".test-explorer .monaco-list-row")
        await self._page.locator(".test-explorer .monaco-tl-twistie").first.click()
        await rows.nth(1).wait_for()
        return [(await _text(it)).partition("\n")[0] for it in await rows.all()]

    async def test(self, label: str, state: str) -> None:
        """Wait until the Testing view shows a test with an icon: passed, failed, error, skipped, running."""
        row = self._page.locator(".test-explorer .monaco-list-row", has_text=label)
        icon = "codicon-modifier-spin" if state == "running" else f"codicon-testing-{state}-icon"
        await self._waited(row.locator(f".{icon}"), "attached")

    async def expand_test(self, label: str) -> None:
        """Expand a test of the Testing view."""
        row = self._page.locator(".test-explorer .monaco-list-row", has_text=label)
        await row.locator(".monaco-tl-twistie").click()

    async def run_with(self, label: str, profile: str) -> None:
        """Run a test of the Testing view with another profile than the usual one."""
        row = self._page.locator(".test-explorer .monaco-list-row", has_text=label)
        await _choose_from_menu(row, "Execute Using Profile")
        await self.pick(profile)
        await self._away()

    async def test_count(self, text: str) -> None:
        """Wait for the summary above the tests: passed and total."""
        await self._seen(".test-explorer .result-summary", text)

    async def test_output(self, text: str) -> str:
        """Wait for a text in the Test Results view and return its content."""
        await self.command("Test Results: Focus on Test Results View")
        return await _text(await self._seen(".test-output-peek-message-container .xterm-rows", text))

    async def runs_view(self) -> "RunsView":
        """Open the Runs view, and wait for its runs."""
        await self.command("Focus on Eval Runs View")
        view = RunsView(self)
        await view.row(1).wait_for()
        return view

    async def walkthrough_step(self, step: str, button: str) -> None:
        """Press a button of a step in the open walkthrough."""
        shown = self._page.locator(".getting-started-step", has_text=step)
        await shown.click()
        await shown.locator(".monaco-button", has_text=button).click()

    async def press_in_dialog(self, button: str) -> str:
        """Press a button of the open dialog and return the dialog's text."""
        text = await _text(await self._seen(".monaco-dialog-box"))
        await (await self._seen(".monaco-dialog-box .monaco-button", button)).click()
        return text

    async def line_of_message(self, text: str) -> str:
        """Return the line of code that shows the message of a failed test."""
        message = await (await self._seen(".monaco-editor .content", text)).bounding_box()
        assert message is not None
        middle = message["y"] + message["height"] / 2
        for line in await self._page.locator(".view-line").all():
            box = await line.bounding_box()
            if box is not None and box["y"] <= middle <= box["y"] + box["height"]:
                return await _text(line)
        raise AssertionError(f"the message {text} is behind no line")

    async def language_status(self, text: str) -> str:
        """Return the entry with a text in the language status menu (curly brackets)."""
        await self._page.locator("[id='status.languageStatus']").hover()
        return " ".join((await _text(await self._seen(".hover-language-status", text))).split())

    async def web_page(self, text: str) -> str:
        """Return the content of the web view that contains a text."""
        frame = await self._web_frame(text)
        return str(await frame.evaluate("document.body.innerText"))

    async def click_in_web_page(self, text: str, button: str) -> None:
        """Press a button of the web view that contains a text."""
        frame = await self._web_frame(text)
        await frame.get_by_role("button", name=button, exact=True).first.click()

    async def policy_of_web_page(self, text: str) -> tuple[str, str]:
        """Return the sandbox of a web view's frame and the content policy of its page."""
        frame = await self._web_frame(text)
        sandbox = await (await frame.frame_element()).get_attribute("sandbox")
        policy = await frame.evaluate("document.querySelector('meta[http-equiv]').content")
        return sandbox or "", str(policy)

    async def _web_frame(self, text: str) -> "Frame":
        from playwright.async_api import Error

        for _ in range(int(_patience_ms() / 100)):
            for frame in self._page.frames[1:]:
                # A frame that is just being replaced never answers.
                with suppress(TimeoutError, Error):
                    async with asyncio.timeout(1):
                        if text in await frame.evaluate("document.body?.innerText ?? ''"):
                            return frame
            await self._page.wait_for_timeout(100)
        await self.shot("failure")
        raise AssertionError(f"no web view says {text}")

    async def _away(self) -> None:
        """Move the mouse where it opens no tooltip over the next list."""
        await self._page.mouse.move(0, 0)

    async def _seen(self, selector: str, text: str | re.Pattern[str] = "") -> "Locator":
        """Wait for the first element with a text."""
        return await self._waited(self._page.locator(selector, has_text=text).first)

    async def _waited(
        self, locator: "Locator", state: Literal["attached", "visible"] = "visible"
    ) -> "Locator":
        try:
            await locator.wait_for(state=state)
        except Exception as error:
            await self.shot("failure")
            error.add_note(f"On the screen:\n{await self._page.locator('body').inner_text()}")
            raise
        return locator


class RunsView:
    """The rows of the Runs view, from 0: an eval, then its runs."""

    def __init__(self, screen: Screen) -> None:
        self._page = screen.page
        self._rows = self._page.locator(".pane", has_text="Eval Runs").last.locator(".monaco-list-row")

    def row(self, number: int) -> "Locator":
        return self._rows.nth(number)

    async def texts(self) -> list[str]:
        return [" ".join((await _text(it)).split()) for it in await self._rows.all()]

    async def click(self, number: int, *modifiers: Literal["Control", "Shift"]) -> None:
        await self._without_hover()
        await self.row(number).click(modifiers=modifiers)

    async def _without_hover(self) -> None:
        """Close the tooltip of a row, which lies over other rows."""
        await self._page.mouse.move(640, 5)
        await self._page.locator(".context-view .hover-contents").first.wait_for(state="hidden")

    async def wait_for(self, text: str) -> None:
        """Wait until a row has a text."""
        await self._page.locator(".pane .monaco-list-row", has_text=text).first.wait_for()

    async def show_older(self) -> None:
        """Scroll to the end, and show the runs that are not loaded yet."""
        await self.click(1)
        await self._page.keyboard.press("End")
        older = self._page.locator(".pane .monaco-list-row", has_text="Show older runs")
        await older.click()
        await older.wait_for(state="hidden")

    async def choose(self, number: int, title: str) -> None:
        """Choose from the menu of a row."""
        await self._without_hover()
        await _choose_from_menu(self.row(number), title)


async def _choose_from_menu(row: "Locator", title: str) -> None:
    await row.click(button="right")
    item = row.page.locator(".monaco-menu .action-item", has_text=title).first
    await item.wait_for()
    # A menu ignores the mouse at first, so that the click that opened it chooses nothing.
    await row.page.wait_for_timeout(500)
    await item.click()
    await item.wait_for(state="hidden")


async def _text(locator: "Locator") -> str:
    # VS Code draws the spaces of code as no-break spaces.
    return (await locator.inner_text()).replace("\N{NO-BREAK SPACE}", " ")
