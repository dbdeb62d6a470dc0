"""Several runs side by side."""

from tests.engine.reports.html.pages import NASTY, edited, well_formed
from tests.engine.runs.bench import Bench, Scripted, contains, task
from waza_engine.reports.html.comparison import html_comparison


async def test_two_runs_side_by_side(bench: Bench, scripted: Scripted) -> None:
    before = await edited(bench, scripted)
    after = await bench.run(bench.suite(task("a", name=NASTY), task("new"), graders=(contains("hello"),)))
    page = well_formed("".join(html_comparison([NASTY, "after"], [before, after])))
    assert "improved tasks" in page
    assert "output of the last run" in page
    same = well_formed("".join(html_comparison(["x", "y"], [before, before])))
    assert "None: verdicts and outputs are the same." in same
