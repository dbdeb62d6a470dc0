"""A trace page in a browser: everything that a reader does with it, from a file and without a network. One browser."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from tests.editors.programs import RAN
from tests.editors.vscode_screen import AXE, require_browser, running_browser
from tests.engine.reports.trace.pages import run_of
from waza_engine.model.results.evidence import FailedCheck, Place
from waza_engine.model.results.records import GraderOutcome, RunRecord, TrialRecord
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.trace.page import places_of, trace_page

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = pytest.mark.editor

_MANY = 300
HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(1)>{{7*7}}javascript:alert(1)"
    "\u202e\x1b[31m\x00<style>*{display:none}</style>"
)
NOTES = "# Notes\n\n- APP-1: `--out` is now `--output-dir`.\n- Files with a blank are uploaded.\n"


async def test_a_trace_page_answers_where_it_went_wrong(tmp_path: Path) -> None:
    require_browser()
    path = tmp_path / "trace.html"
    path.write_text("".join(trace_page(list(places_of(traced_run())))), encoding="utf-8")
    async with running_browser() as browser:
        async with Reader(browser, path.as_uri()) as reader:
            await check_opening(reader)
            await check_checks_and_places(reader)
            await check_keys(reader)
            await check_filter(reader)
            await check_drafts(reader)
            await check_comparison(reader)
            await check_trials(reader)
            await check_hostile(reader)
            await check_print(reader)
        await check_links(browser, path.as_uri())
        await check_axe(browser, path.as_uri())
    RAN.add("Chromium with axe")


def traced_run() -> RunRecord:
    """Two trials of a task, of which the first failed; one of hostile texts, and many that passed."""
    wrong = "# Notes\n\n- APP-1: an option has a new name.\n- Files with a blank are uploaded.\n"
    checks = (
        FailedCheck(
            ("value",), "NOTES.md does not contain '--output-dir'", place=Place("file", 3, "NOTES.md")
        ),
        FailedCheck(("contains", 0), "not found: the option", "Done.", place=Place("output", 2)),
        FailedCheck(("required", 0), "the agent never looked at the code", place=Place("calls", 1)),
    )
    bad = GraderOutcome("says-the-option", "text", "failed", 0.0, 1.0, "3 failed", parts=checks)
    good = GraderOutcome("has-notes", "file", "passed", 1.0, 1.0, "NOTES.md exists")
    failed = trial(1, "failed", wrong, (bad, good), looks=_MANY)
    passed = trial(
        2, "passed", NOTES, (replace(bad, status="passed", score=1.0, parts=()), good), looks=_MANY + 1
    )
    nasty = FailedCheck((HOSTILE,), HOSTILE, HOSTILE, wanted=HOSTILE, place=Place("file", 1, HOSTILE))
    hostile = trial(
        1,
        "error",
        HOSTILE,
        (replace(bad, name=HOSTILE, type=HOSTILE, feedback=HOSTILE, parts=(nasty,)),),
        HOSTILE,
    )
    return run_of(
        failed,
        passed,
        replace(hostile, error=HOSTILE),
        *(trial(1, "passed", NOTES, (good,), f"t{it}") for it in range(30)),
    )


def trial(
    number: int,
    status: Any,
    notes: str,
    graders: tuple[GraderOutcome, ...],
    task: str = "writes-notes",
    looks: int = 1,
) -> TrialRecord:
    """A trial that looks at files, runs a command that fails, and writes its notes."""
    log: list[dict[str, Any]] = [{"type": "user.message", "content": "Write NOTES.md.", "at_ms": 0}]
    for index in range(looks):
        log += called(
            f"look{index}", "view", {"path": f"src/{index}.js"}, f"// {index}\nuse(it)\n", index * 50
        )
    log += called("run", "bash", {"command": "npm test"}, "1 failing", 20_000, success=False)
    log += called("write", "create", {"path": "NOTES.md", "file_text": notes}, "Created NOTES.md", 21_000)
    output = f"Done.\nThe notes are in NOTES.md.\n{task if task == HOSTILE else ''}"
    log.append({"type": "assistant.message", "content": output, "at_ms": 22_000})
    usage = {"turns": 3, "input_tokens": 4000, "output_tokens": 300}
    trajectory = Trajectory(
        task=task,
        model="m",
        prompt="Write NOTES.md.",
        output=output,
        duration_ms=23_000,
        transcript=log,
        files={"NOTES.md": notes, task[:8]: notes},
        session={"tool_call_count": looks + 2, "usage": usage},
    )
    score = float(status == "passed")
    return TrialRecord(task, 0, number, status, score, score, trajectory, graders=graders)


def called(
    name: str, tool: str, arguments: dict[str, str], result: str, at: int, *, success: bool = True
) -> list[dict[str, Any]]:
    start = {"type": "tool.execution_start", "tool_call_id": name, "tool_name": tool, "arguments": arguments}
    end = {
        "type": "tool.execution_complete",
        "tool_call_id": name,
        "success": success,
        "tool_result": {"content": result},
    }
    return [{**start, "at_ms": at}, {**end, "at_ms": at + 40}]


class Reader:
    """A reader with one page, who notices errors, dialogs and connections."""

    def __init__(self, browser: "Browser", url: str, fragment: str = "", **options: Any) -> None:
        self._browser, self._url, self._options = browser, url + fragment, options
        self.wrong: list[str] = []
        self.page: Page

    async def __aenter__(self) -> "Reader":
        context = await self._browser.new_context(
            viewport={"width": 1400, "height": 900},
            permissions=["clipboard-read", "clipboard-write"],
            **self._options,
        )
        self.page = await context.new_page()
        self.page.on(
            "console", lambda it: self.wrong.append(it.text) if it.type in {"error", "warning"} else None
        )
        self.page.on("pageerror", lambda it: self.wrong.append(str(it)))
        self.page.on("dialog", lambda it: self.wrong.append(f"dialog {it.message}"))
        self.page.on("request", lambda it: None if it.url.startswith("file:") else self.wrong.append(it.url))
        await self.page.goto(self._url)
        await self.page.locator(".step").first.wait_for()
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.page.context.close()
        assert self.wrong == []

    async def press(self, *keys: str) -> None:
        for it in keys:
            await self.page.keyboard.press(it)

    async def shows(self, selector: str, *texts: str) -> None:
        """Wait until an element has all texts."""
        found = self.page.locator(selector)
        for it in texts:
            found = found.filter(has_text=it)
        await found.first.wait_for(timeout=10_000)

    async def has(self, selector: str, number: int) -> None:
        """Wait until so many elements are there: what a key changes is drawn after its event."""
        # Loaded only here: it needs a Python package for tests of editors.
        from playwright.async_api import expect

        await expect(self.page.locator(selector)).to_have_count(number, timeout=10_000)

    async def step(self) -> int:
        """The number of the selected step."""
        return int(await self.page.locator(".step.is-selected").get_attribute("data-step") or -1)


async def check_opening(reader: Reader) -> None:
    """The first screen: the trial that failed, at the step that its first failed check points to."""
    await reader.shows("h1", "writes-notes", "trial 1")
    await reader.shows(".head .status", "failed")
    await reader.shows(".step.is-selected", "create", "does not contain '--output-dir'")
    await reader.shows(".workspace .file[aria-current]", "NOTES.md", "this step")
    await reader.shows(".line.is-added.is-pointed.is-current", "APP-1", "says-the-option")
    await reader.shows(".figures", "Tokens in", "4000")
    # Hundreds of steps, of which a screenful is in the page.
    assert await reader.page.locator(".steps .step").count() < 40
    await reader.shows(".conversation .count", f"{_MANY + 4} steps")


async def check_checks_and_places(reader: Reader) -> None:
    """A failed check leads to its place, and that place back to the check."""
    page = reader.page
    await page.get_by_role("button", name="Output, line 2").click()
    await reader.shows(".pointed-line.is-current", "The notes are in NOTES.md.")
    assert "check=1.2" in page.url
    await page.get_by_role("button", name="Step 2", exact=True).click()
    await reader.shows(".step.is-selected", "view", "never looked at the code")
    await page.locator(".marks .mark").first.click()
    await reader.shows(".failed-check.is-current", "never looked at the code")
    await page.get_by_role("button", name="NOTES.md:3").click()
    await reader.shows(".line.is-current", "APP-1")


async def check_keys(reader: Reader) -> None:
    page = reader.page
    await page.get_by_role("slider").first.focus()
    await reader.press("Home", "ArrowRight")
    assert await reader.step() == 2
    await reader.press("j")
    assert await reader.step() == 3
    await reader.press("k", "k")
    assert await reader.step() == 1
    # The step has the focus, and a screen reader hears its name.
    assert await page.evaluate("document.activeElement.dataset.step") == "1"
    await reader.shows(".said[role=status]", "Step 1 of")
    await reader.press("f")
    await reader.shows(".failed-check.is-current", "does not contain")
    await reader.press("f")
    await reader.shows(".failed-check.is-current", "not found: the option")
    await reader.press("Shift+F", "d")
    await reader.shows(".workspace [aria-pressed=true]", "Since the start")
    await reader.press("d", "?")
    await reader.shows("dialog[open]", "Next and previous failed check", "preact")
    await reader.press("Escape")
    await reader.has("dialog", 0)
    await reader.press("y")
    await reader.shows(".toast.is-shown", "Link copied")
    assert "#task=writes-notes&trial=1&step=" in await page.evaluate("navigator.clipboard.readText()")
    await page.get_by_role("button", name="Copy as recording").click()
    await reader.shows(".toast.is-shown", "Recording copied")
    assert '"task": "writes-notes"' in await page.evaluate("navigator.clipboard.readText()")


async def check_filter(reader: Reader) -> None:
    page = reader.page
    await reader.press("/")
    await page.keyboard.type("src/29")
    await reader.shows(".conversation .count", f"11 of {_MANY + 4} steps")
    await reader.shows(".step mark", "src/29")
    # Keys stay among the steps that the filter shows.
    await reader.press("Enter", "k", "k")
    assert await reader.step() in {it + 2 for it in (29, *range(290, 300))}
    await reader.press("f", "/")
    await page.keyboard.press("ControlOrMeta+A")
    await page.keyboard.press("Delete")
    await page.get_by_label("Errors").check()
    await reader.shows(".conversation .count", f"4 of {_MANY + 4} steps")
    await page.get_by_label("Errors").uncheck()
    await page.get_by_label("Tools").select_option("bash")
    await reader.shows(".conversation .count", f"1 of {_MANY + 4} step")
    await page.get_by_label("Text in the steps").fill("nowhere at all")
    await page.get_by_role("button", name="Show all steps").click()
    await reader.shows(".conversation .count", f"{_MANY + 4} steps")
    await reader.press("Escape")


async def check_drafts(reader: Reader) -> None:
    """A check from a call, and one from a text that is selected in a file."""
    page = reader.page
    await page.evaluate("document.activeElement.blur()")
    await reader.press("f", "Shift+F", "m")
    await reader.shows("dialog .yaml", "tool_constraint", "^create$")
    await page.get_by_label("The file exists").check()
    await page.get_by_role("button", name="Copy", exact=True).click()
    await reader.shows(".toast.is-shown", "Check copied")
    assert "must_exist: [NOTES.md]" in await page.evaluate("navigator.clipboard.readText()")
    await page.get_by_role("button", name="Close").click()
    await page.locator(".line code", has_text="blank").dblclick(position={"x": 30, "y": 8})
    await reader.press("m")
    await reader.shows("dialog .yaml", "content_patterns", "Files")
    await reader.press("Escape")


async def check_comparison(reader: Reader) -> None:
    """Beside the trial that passed, at the first difference."""
    page = reader.page
    await reader.press("c")
    await reader.shows(".pair.is-selected", "First difference", "src/300.js")
    await reader.shows(".head", "beside trial 2", "passed")
    assert "with=2" in page.url
    await reader.press("n")
    await reader.shows(".pair.is-selected", "other arguments")
    await reader.shows(".workspace", "left to right")
    await reader.shows(".line.is-deleted", "an option has a new name")
    await reader.shows(".line.is-added", "--output-dir")
    await reader.has(".graders", 2)
    # The timeline selects a pair, too.
    await page.get_by_role("slider").first.focus()
    await reader.press("Home")
    await reader.shows(".pair.is-selected[data-pair='0']", "User")
    await reader.press("c")
    await reader.has(".pair", 0)


async def check_trials(reader: Reader) -> None:
    page = reader.page
    await page.get_by_label("Text in the trials").fill("t29")
    await reader.has(".trial", 1)
    await page.locator(".trial-open").click()
    await reader.shows("h1", "t29")
    await page.get_by_label("Text in the trials").fill("")
    await page.get_by_label("Status").select_option("error")
    await page.locator(".trial-open").click()


async def check_hostile(reader: Reader) -> None:
    """Texts of agents and files stay texts, and hide nothing."""
    await reader.shows("h1", "</script><script>alert(1)</script>", "\\u202e", "\\u0000")
    await reader.shows(".failed-check", "<img src=x onerror=alert(1)>")
    assert await reader.page.locator("img, iframe, object, a[href^=javascript]").count() == 0
    assert await reader.page.locator("script").count() == await reader.page.evaluate(
        "document.querySelectorAll('body > script').length"
    )
    await reader.press("[", "[")
    await reader.shows("h1", "trial 1")


async def check_print(reader: Reader) -> None:
    """Paper has every step with everything in it, and no panes."""
    page = reader.page
    await page.emulate_media(media="print", color_scheme="dark")
    await page.locator(".printed").wait_for()
    soft = "getComputedStyle(document.querySelector('.waza-trace')).getPropertyValue('--soft')"
    assert await page.evaluate(soft) == "#f6f8fa"
    await reader.has(".printed .step", _MANY + 4)
    await page.locator(".screen").wait_for(state="hidden")
    text = await page.locator(".printed").inner_text()
    assert all(it in text for it in ("// 299", "npm test", "+ - APP-1", "does not contain '--output-dir'"))
    assert "Show all" not in text
    await page.emulate_media(media="screen", color_scheme="light")
    await page.locator(".screen").wait_for()


async def check_links(browser: "Browser", url: str) -> None:
    async with Reader(browser, url, "#task=writes-notes&trial=2&step=7") as reader:
        await reader.shows("h1", "trial 2")
        assert await reader.step() == 7
        await reader.page.evaluate("location.hash = '#task=t3&trial=1&step=2'")
        await reader.shows("h1", "t3")
        assert await reader.step() == 2
        # A step that the trial lacks.
        await reader.page.evaluate("location.hash = '#task=t3&trial=1&step=99'")
        await reader.shows(".step.is-selected", "Output")
    phone = Reader(browser, url, "#task=writes-notes&trial=1&with=2")
    async with phone:
        await phone.shows(".pair-state", "First difference")
        await phone.page.set_viewport_size({"width": 390, "height": 800})
        assert await phone.page.evaluate("document.documentElement.scrollWidth") == 390


async def check_axe(browser: "Browser", url: str) -> None:
    looks: tuple[tuple[Literal["light", "dark"], Literal["active", "none"]], ...]
    looks = (("light", "none"), ("dark", "none"), ("light", "active"))
    for scheme, forced in looks:
        for fragment in ("", "#task=writes-notes&trial=1&with=2"):
            # The policy of the page forbids axe, too.
            options = {"color_scheme": scheme, "forced_colors": forced, "bypass_csp": True}
            async with Reader(browser, url, fragment, **options) as reader:
                await reader.page.add_script_tag(path=AXE)
                found = await reader.page.evaluate("axe.run({ resultTypes: ['violations'] })")
                serious = [
                    (it["id"], node["html"][:200], node["any"][0]["message"] if node["any"] else "")
                    for it in found["violations"]
                    if it["impact"] in {"serious", "critical"}
                    for node in it["nodes"][:3]
                ]
                assert serious == [], (scheme, forced, fragment)
