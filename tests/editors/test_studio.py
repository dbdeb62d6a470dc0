"""The studio's demo in a real Chromium: from a misspelt option to the step of a failed check, and who is kept out."""

import asyncio
import importlib.util
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from tests.editors.programs import RAN
from tests.editors.studio_host import running_studio
from tests.editors.studio_strangers import cleans_hostile_markup, keeps_strangers_out
from tests.editors.vscode_screen import AXE, require_browser, running_browser
from tests.editors.workspaces import CLIENTS

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Locator, Page

pytestmark = pytest.mark.editor

_PATIENCE_MS = 30_000
_SLOW = """\
name: slow
defaults: {executor: mock, runs: 1}
stimuli:
  - name: waits
    prompt: Hi
    graders:
      - type: run-command
        config: {command: sleep 60}
"""


def missing() -> Iterator[str]:
    if not (CLIENTS / "studio" / "node_modules" / ".bin" / "esbuild").is_file():
        yield "the packages of the studio's page (npm ci in editor-client/studio)"
    for package in ("starlette", "uvicorn", "websockets"):
        if importlib.util.find_spec(package) is None:
            yield f"the Python package {package}"


async def test_the_demo_leads_from_a_mistake_to_the_step_of_a_failed_check(tmp_path: Path) -> None:
    require_browser(missing())
    with running_studio(tmp_path) as address:
        async with running_browser() as browser:
            context = await browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light")
            context.set_default_timeout(_PATIENCE_MS)
            studio = Studio(context, address, tmp_path)
            async with studio.opened():
                await studio.finds_and_fixes_a_mistake()
                await studio.completes_and_explains()
                await studio.runs_only_with_trust()
                await studio.shows_the_step_of_a_failed_check()
                await studio.grades_an_edit_live()
                await studio.lists_compares_and_audits()
                await studio.cancels()
                await studio.survives_a_reload()
                await studio.joins_two_tabs_and_the_disk()
                await studio.has_no_barriers()
                await studio.goes_to_other_files()
            assert studio.complaints == []
            await keeps_strangers_out(context, address)
            await cleans_hostile_markup(context)
    RAN.add("the studio in Chromium")


class Studio:
    """The page of a studio, and what somebody does on it."""

    def __init__(self, context: "BrowserContext", address: str, shots: Path) -> None:
        self.context = context
        self.address = address
        self.origin = address.partition("/?")[0]
        self.shots = shots
        self.complaints: list[str] = []
        self.page: Page
        self.folder = Path()

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        self.page = await self.new_tab(self.address)
        session = await self.page.evaluate("fetch('/api/session').then((it) => it.json())")
        self.folder = Path(session["folder"])
        try:
            yield
        except Exception:
            await self.page.screenshot(path=self.shots / "failed.png")
            raise

    async def new_tab(self, address: str) -> "Page":
        page = await self.context.new_page()
        page.on("pageerror", lambda it: self.complaints.append(str(it)))
        page.on(
            "console",
            lambda it: (
                self.complaints.append(f"{it.text} {it.location}")
                if it.type in {"error", "warning"}
                else None
            ),
        )
        await page.goto(address)
        await page.locator(".lens").first.wait_for()
        return page

    def line(self, text: str) -> "Locator":
        return self.page.locator(".cm-line", has_text=text).first

    def lens(self, text: str) -> "Locator":
        return self.page.locator(".lens", has_text=text).first

    async def go_to(self, symbol: str) -> None:
        await self.page.locator("#tab-outline").click()
        await self.page.locator(".outline button", has_text=symbol).first.click()

    async def press(self, *keys: str) -> None:
        for it in keys:
            await self.page.keyboard.press(it)

    async def shot(self, name: str) -> None:
        await self.page.screenshot(path=self.shots / f"{name}.png")

    def on_disk(self, name: str = "eval.yaml") -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    async def until_saved(self, text: str, name: str = "eval.yaml") -> None:
        end = time.monotonic() + _PATIENCE_MS / 1000
        while text not in self.on_disk(name):
            assert time.monotonic() < end, f"{text!r} is not in {self.on_disk(name)}"
            await asyncio.sleep(0.05)

    async def finds_and_fixes_a_mistake(self) -> None:
        page = self.page
        # On the first screen; the list leads to it, too.
        await page.locator(".cm-lintRange-warning", has_text="timeot").wait_for()
        await page.locator(".problems li button", has_text="timeot").click()
        assert await page.locator(".tree .row.eval.warning").count() == 1
        await self.shot("mistake")
        await self.press("Control+.")
        await page.locator(".menu button", has_text="Change to 'timeout'").wait_for()
        await self.press("ArrowDown", "ArrowUp", "Enter")
        await page.locator(".cm-lintRange-warning", has_text="timeot").wait_for(state="detached")
        assert await self.line("timeout: 3m").count() == 1
        await self.until_saved("  timeout: 3m\n")
        # The same by mouse, on the bulb beside the line.
        await self.press("Control+z")
        await page.locator(".bulb").click()
        await page.locator(".menu button", has_text="Change to 'timeout'").click()
        await self.line("timeout: 3m").wait_for()

    async def completes_and_explains(self) -> None:
        page = self.page
        await self.go_to("changelog-is-untouched")
        await self.line("max_turns: 8").click()
        await self.press("End", "Enter", "Control+Space")
        await page.locator(".cm-tooltip-autocomplete", has_text="max_tokens").wait_for()
        await page.locator(".cm-completionInfo").wait_for()
        await page.keyboard.type("max_to")
        await page.locator(".cm-completionLabel", has_text="max_tokens").click()
        await self.line("max_tokens: ").wait_for()
        await self.press("Escape", "Control+z")
        while await self.line("max_to").count():
            await self.press("Control+z")
        await self.line("max_turns: 8").locator("span", has_text="max_turns").hover()
        hover = page.locator(".cm-lsp-hover-tooltip")
        await hover.wait_for()
        assert "Maximum number of agent turns" in await hover.inner_text()
        assert await hover.locator("a[target=_blank][rel~=noopener]").count() == 1
        await page.mouse.move(5, 5)
        await self.line("max_turns: 8").click()
        await self.press("End")
        await page.keyboard.type("   ")
        await self.press("Shift+Alt+F")
        await page.wait_for_function(
            "[...document.querySelectorAll('.cm-line')].some((it) => it.textContent.trimStart() === 'max_turns: 8')"
        )

    async def runs_only_with_trust(self) -> None:
        page = self.page
        await self.go_to("writes-the-notes")
        await self.lens("Run task").click()
        question = page.locator(".question")
        await question.wait_for()
        await question.get_by_text("Not now").click()
        assert await page.evaluate("fetch('/api/runs').then((it) => it.json())") == {"runs": []}
        assert await page.locator(".trust").count() == 1
        # By keyboard: from the editor to the lens.
        await self.lens("Run task").focus()
        await self.press("Enter")
        # The key that has started the run does not answer the question.
        await page.locator(".question:focus").wait_for()
        await self.press("Enter", "Tab", "Tab", "Enter")
        await page.locator(".trust").wait_for(state="detached")
        await page.locator("footer .work progress").wait_for()
        await page.locator(".verdict", has_text="No file RELEASE.md contains '--output-dir'").wait_for()
        await self.lens("✗ 0.75").wait_for()
        await self.shot("verdict")

    async def shows_the_step_of_a_failed_check(self) -> None:
        page = self.page
        await page.locator(".verdict", has_text="--output-dir").get_by_text("Show the step").click()
        trace = page.locator(".waza-trace")
        await trace.get_by_text("RELEASE.md, step 6").first.wait_for()
        assert "trial 2" in await trace.inner_text()
        await self.shot("trace")
        await trace.get_by_text("eval.yaml:48").first.click()
        await self.page.locator(".cm-activeLine", has_text="path: RELEASE.md").wait_for()
        # A check that is made from the step goes into the eval, where it is graded at once.
        await trace.get_by_role("button", name="Make a check").first.click()
        await page.get_by_role("button", name="Add to the eval").click()
        await page.locator(".cm-activeLine", has_text="type: tool-calls").wait_for()
        await page.locator(".inlay.passed", has_text="live").wait_for()
        await self.until_saved("      - type: tool-calls\n        name: create\n")
        await self.press("Control+z")
        await page.locator(".inlay.passed", has_text="live").wait_for(state="detached")

    async def grades_an_edit_live(self) -> None:
        page = self.page
        await self.go_to("breaking-change-is-told")
        await self.line('value: "--output-dir"').click()
        await self.press("End", "ArrowLeft")
        await page.keyboard.type("ectory")
        await page.locator(".verdict", has_text="--output-directory").wait_for()
        await self.lens("live:").wait_for()
        await self.shot("live")
        for _ in "ectory":
            await self.press("Backspace")
        await page.locator(".verdict", has_text="--output-directory").wait_for(state="detached")
        await self.until_saved('value: "--output-dir"\n')

    async def lists_compares_and_audits(self) -> None:
        page = self.page
        await self.go_to("writes-the-notes")
        # The lenses change while the task runs; the focus stays among them.
        await self.lens("Run task").focus()
        await self.press("Enter")
        await page.wait_for_function(
            "fetch('/api/runs').then((it) => it.json()).then(({ runs }) => runs[1] && runs[0].status !== 'running')"
        )
        await page.locator(".lens:focus", has_text="Run task").wait_for()
        await page.locator("#tab-runs").click()
        await page.locator(".runs tbody .badge.failed").nth(1).wait_for()
        assert await page.locator(".trend circle").count() == 2
        assert await page.locator(".cells .cell.mixed").count() == 2
        await page.locator(".runs tbody input").nth(0).check()
        await page.locator(".runs tbody input").nth(1).check()
        await page.get_by_role("button", name="Compare", exact=True).click()
        await page.locator(".sum .verdict-word").first.wait_for()
        assert await page.locator(".sum .verdict-word").first.inner_text()
        assert "between" in await page.locator(".compare tbody .interval").first.inner_text()
        await self.axe("compare")
        await page.locator("#tab-audit").click()
        await page.locator(".matrix tr.survives").first.wait_for()
        assert await page.locator(".matrix .mark.only").count() > 0
        await self.axe("audit")
        await self.shot("audit")

    async def cancels(self) -> None:
        page = self.page
        # An empty file cannot be audited, and the open panel would say so on the console.
        await page.locator("#tab-outline").click()
        await page.get_by_role("button", name="New file").click()
        await page.get_by_label("Path of the new file").fill("slow.eval.yaml")
        await self.press("Enter")
        await page.get_by_role("tab", name="slow.eval.yaml").wait_for()
        await page.get_by_label("Text of slow.eval.yaml").focus()
        await page.keyboard.insert_text(_SLOW)
        await self.lens("Run task").click()
        await self.lens("Running: cancel").wait_for()
        await page.locator("footer .work .cancel").click()
        await page.locator("footer .work").wait_for(state="detached")
        await self.lens("Running").wait_for(state="detached")
        runs = await page.evaluate("fetch('/api/runs?path=slow.eval.yaml').then((it) => it.json())")
        assert [it["status"] for it in runs["runs"]] == ["cancelled"]
        await page.get_by_role("tab", name="slow.eval.yaml").press("Delete")
        await page.get_by_role("tab", name="slow.eval.yaml").wait_for(state="detached")

    async def survives_a_reload(self) -> None:
        page = self.page
        await self.go_to("skill-invocation")
        await page.locator("#tab-runs").click()
        await page.get_by_label("Text of eval.yaml").focus()
        await self.press("Control+Home")
        # What the server cannot get is restored.
        await page.evaluate(
            "void (fetch = ((real) => (at, it) => (it?.method === 'PUT' ? Promise.reject('no') : real(at, it)))(fetch))"
        )
        await page.keyboard.type("# mine\n")
        await page.reload()
        await self.line("# mine").wait_for()
        assert await page.get_by_role("tab", name="Runs").get_attribute("aria-selected") == "true"
        assert "# mine" not in self.on_disk()
        await self.lens("Run all").wait_for()
        await self.line("# mine").click()
        await self.press("Home")
        # A page that is left saves what it can.
        await page.keyboard.type("# last\n")
        await page.reload()
        await self.until_saved("# last\n# mine\n")
        await self.lens("Run all").wait_for()
        await self.press("Control+s")
        assert await page.get_by_text("has changed on disk").count() == 0

    async def joins_two_tabs_and_the_disk(self) -> None:
        page = self.page
        other = await self.new_tab(self.origin)
        await other.locator(".cm-line", has_text="# mine").click()
        await other.keyboard.press("End")
        await other.keyboard.type(" and yours")
        await self.line("# mine and yours").wait_for()
        await other.close()
        # Both the page and somebody else change the file.
        await self.line("# mine and yours").click()
        await self.press("End")
        path = self.folder / "eval.yaml"
        path.write_text(path.read_text("utf-8") + "# theirs\n", "utf-8")
        await page.keyboard.type("!")
        await page.get_by_text("has changed on disk").wait_for()
        await self.shot("conflict")
        assert "# theirs" in self.on_disk()
        await page.get_by_role("button", name="Take the file from disk").click()
        await page.get_by_text("has changed on disk").wait_for(state="detached")
        assert await self.line("# mine and yours!").count() == 0
        self.complaints = [it for it in self.complaints if "409" not in it]

    async def goes_to_other_files(self) -> None:
        page = self.page
        await page.locator(".files input[type=search]").fill("skill.exp")
        await page.get_by_role("treeitem", name="skill.experiment.yaml").click()
        await page.get_by_role("tab", name="skill.experiment.yaml").wait_for()
        await page.locator(".cm-editor.cm-focused").get_by_label("Text of skill.experiment.yaml").wait_for()
        await self.line("eval.yaml").click()
        await self.press("End", "ArrowLeft", "F12")
        await page.get_by_label("Text of eval.yaml").wait_for()

    async def has_no_barriers(self) -> None:
        schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
        for scheme in schemes:
            await self.page.emulate_media(color_scheme=scheme)
            for name in ("outline", "trace"):
                await self.page.locator(f"#tab-{name}").click()
                await self.page.locator(".panel > *").first.wait_for()
                await self.axe(f"{name}, {scheme}")
            await self.shot(f"trace-{scheme}")
        await self.page.emulate_media(color_scheme="light")

    async def axe(self, where: str) -> None:
        found = await audited(self.page)
        serious = [it for it in found if it["impact"] in {"serious", "critical"}]
        assert serious == [], f"{where}: {json.dumps(serious)[:3000]}"


async def audited(page: "Page") -> list[dict[str, Any]]:
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE.read_text("utf-8"))
    found = await page.evaluate("axe.run({ resultTypes: ['violations'] })")
    return [
        {"impact": it["impact"], "id": it["id"], "nodes": [node["html"] for node in it["nodes"]]}
        for it in found["violations"]
    ]
