"""The HTML reports in a browser: the first screen, the links, and what axe finds. One browser for all pages."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from tests.editors.programs import RAN
from tests.editors.vscode_screen import AXE, require_browser, running_browser
from tests.engine.reports.html.audits import audited_eval
from tests.engine.reports.html.pages import NASTY, edited, failing
from tests.engine.reports.html.test_history import past
from tests.engine.runs.bench import Bench, Scripted
from waza_engine.executors.base import ExecutorOptions
from waza_engine.model.results.records import RunRecord, TaskRecord, TrialVerdict
from waza_engine.reports.html.audit import html_audit
from waza_engine.reports.html.comparison import html_comparison
from waza_engine.reports.html.history import history_page
from waza_engine.reports.html.report import html_report

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = pytest.mark.editor

_EVENTS = 1000
_LARGEST_PAGE = 5_000_000


async def test_reports_answer_on_their_first_screen(tmp_path: Path) -> None:
    require_browser()
    bench = Bench(tmp_path)
    record = await failing(bench, Scripted(ExecutorOptions(tmp_path)))
    async with running_browser() as browser:
        for count in (3, 60, 1000):
            await check_report(browser, tmp_path, enlarged(record, count))
        other = await edited(bench, Scripted(ExecutorOptions(tmp_path)))
        verdicts = TrialVerdict("a", 1, "passed", 1.0), TrialVerdict("b", 1, "failed", 0.0)
        pages = {
            "comparison": html_comparison([NASTY, "after"], [record, other]),
            "audit": html_audit([audited_eval(6)], ["other.yaml: error"], "out of time", "t0"),
            "history": history_page([past(0, *verdicts), past(1, *verdicts, page="reports/r1.html")]),
        }
        for name, chunks in pages.items():
            await check_axe(browser, written(tmp_path / f"{name}.html", "".join(chunks)))
    RAN.add("Chromium with axe")


def enlarged(record: RunRecord, count: int) -> RunRecord:
    """The run with so many tasks, of which every third passed. The agent of the last one took many steps."""
    good, bad = record.tasks
    [trial] = bad.trials
    steps = trial.trajectory.transcript
    long = trial.trajectory.model_copy(update={"transcript": steps * (_EVENTS // len(steps))})

    def task(index: int) -> TaskRecord:
        source, trials = (good, good.trials) if index % 3 == 0 else (bad, bad.trials)
        if index == count - 1:
            source, trials = bad, (replace(trial, trajectory=long),)
        return replace(
            source, task=f"t{index}", name=f"{NASTY} {index} " + "long " * (index % 30), trials=trials
        )

    tasks = tuple(task(it) for it in range(count))
    totals = replace(record.totals, total=count, succeeded=sum(it.status == "passed" for it in tasks))
    return replace(record, tasks=tasks, totals=totals)


def written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


async def check_report(browser: "Browser", folder: Path, record: RunRecord) -> None:
    count = len(record.tasks)
    text = html_report(record)
    assert len(text) < _LARGEST_PAGE
    url = written(folder / f"{count}.html", text)
    page = await opened(browser, url)
    # Scripts of a page do not run, whatever is in it.
    assert "alert(1)" in text
    failed = sum(it.status == "failed" for it in record.tasks)
    assert await page.locator(".failures .task").count() == min(10, failed)
    # Each failed check with what was wanted and found, within the first screen.
    bottoms = await page.locator(".failures tr, .verdict").evaluate_all(
        "them => them.map(it => it.getBoundingClientRect().bottom)"
    )
    assert len(bottoms) > 3
    assert max(bottoms) <= 800
    links = page.locator(".failures td:last-child a")
    for index in range(min(4, await links.count())):
        await follow(page, index)
    # What is folded opens, too.
    passed = page.locator(".strips a.name, .matrix a").last
    target = page.locator(f'[id="{((await passed.get_attribute("href")) or "")[1:]}"]')
    await passed.click()
    assert await target.is_visible()
    await page.close()
    phone = await opened(browser, url, width=390)
    assert await phone.evaluate("document.documentElement.scrollWidth") == 390
    await phone.close()
    if count == 3:
        # Larger reports have the same parts, and take axe minutes.
        await check_axe(browser, url)


async def follow(page: "Page", index: int) -> None:
    """Follow the link of a failed check: what it points to is on the screen."""
    link = page.locator(".failures td:last-child a").nth(index)
    anchor = (await link.get_attribute("href") or "")[1:]
    await link.click()
    target = page.locator(f'[id="{anchor}"]')
    box = await target.bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 800
    await page.evaluate("window.scrollTo(0, 0)")


async def opened(
    browser: "Browser", url: str, width: int = 1280, scheme: Literal["light", "dark"] = "light"
) -> "Page":
    # The policy of the pages forbids scripts, also that of axe.
    page = await browser.new_page(
        viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True
    )
    await page.goto(url)
    return page


async def check_axe(browser: "Browser", url: str) -> None:
    looks: tuple[tuple[int, Literal["light", "dark"]], ...] = (
        (1280, "light"),
        (1280, "dark"),
        (390, "light"),
    )
    for width, scheme in looks:
        page = await opened(browser, url, width, scheme)
        await page.add_script_tag(path=AXE)
        found = await page.evaluate("axe.run({ resultTypes: ['violations'] })")
        serious = [
            (it["id"], it["nodes"][0]["html"])
            for it in found["violations"]
            if it["impact"] in {"serious", "critical"}
        ]
        assert serious == [], (url, width, scheme)
        await page.close()
