"""Several runs side by side."""

import re
from dataclasses import replace

from tests.engine.reports.html.pages import NASTY, edited, well_formed
from tests.engine.runs.bench import Bench, Scripted, contains, said, task
from waza_engine.executors.base import TrialRequest
from waza_engine.model.results.records import RunRecord
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.html.comparison import html_comparison


async def test_two_runs_side_by_side(bench: Bench, scripted: Scripted) -> None:
    before = await edited(bench, scripted)
    after = await bench.run(bench.suite(task("a", name=NASTY), task("new"), graders=(contains("hello"),)))
    after = replace(after, model="other", executor="copilot-sdk")
    page = well_formed("".join(html_comparison([NASTY, "after"], [before, after])))
    assert "<title>demo: &lt;/pre&gt;" in page
    assert "\u2192 after</title>" in page
    start = page.index("<body>")
    # Who ran, then what differs, then the rest.
    order = ["copilot-sdk", "<td>other<td>", "What differs", "All tasks", "Details", "output of the last run"]
    assert [page.index(it, start) for it in order] == sorted(page.index(it, start) for it in order)
    same = well_formed("".join(html_comparison(["x", "y"], [before, before])))
    assert "<b>0 tasks worse, 0 better</b>" in same
    assert "No verdict and no score." in same
    assert "None: verdicts and outputs are the same." in same


async def test_what_got_worse_comes_first_and_links_to_its_details(bench: Bench, scripted: Scripted) -> None:
    async def only(*names: str) -> RunRecord:
        async def says(request: TrialRequest) -> Trajectory:
            return said("hello" if request.task.id in names else "nope")

        scripted.perform = says
        tasks = [task(it) for it in ("better", "same", "worse")]
        return await bench.run(bench.suite(*tasks, graders=(contains("hello"),)), scripted)

    records = [await only("same", "worse"), await only("same", "better")]
    page = well_formed("".join(html_comparison(["x", "y"], records, "shorter prompts")))
    assert "<title>Experiment shorter prompts: x \u2192 y</title>" in page
    table = page.partition("What differs")[2].partition("</table>")[0]
    assert re.findall(r'href="#(.+?)">(\w+)', table) == [
        ("difference-0", "Worse"),
        ("difference-2", "Better"),
    ]
    assert "says 1.00 \u2192 0.00" in table
    for it in ("difference-0", "difference-2"):
        assert f'id="{it}"' in page
