"""The history of an eval as a page, and as a part of a run's report."""

from tests.engine.reports.html.pages import NASTY, edited, macro, well_formed
from tests.engine.runs.bench import Bench, Scripted
from waza_engine.model.records import TrialVerdict
from waza_engine.reports.history import history_lines
from waza_engine.reports.html.history import history_page, square
from waza_engine.reports.html.report import html_report
from waza_engine.runs.store.store import RunStore


async def test_earlier_runs_are_part_of_a_stored_report(bench: Bench, scripted: Scripted) -> None:
    with RunStore(bench.folder / "store") as store:
        bench.store = store
        record = await edited(bench, scripted)
        assert "runs</h2>" not in html_report(record, store.history("run-1"))
        again = [
            [TrialVerdict(NASTY, 1, "passed", 1.0), TrialVerdict("b", 1, "failed", 0.0)],
            *store.history("run-1"),
        ]
        page = well_formed(html_report(record, again))
    assert "The last 2 runs" in page
    assert '<i class="failed" title="failed"></i>' in page


def test_the_history_of_an_eval_ends_with_the_run(bench: Bench) -> None:
    from tests.engine.runs.store.test_store import started, trial

    with RunStore(bench.folder) as store:
        for number in range(3):
            started(store, f"r{number}", float(number))
            store.save_trial(f"r{number}", trial("a", number))
        started(store, "empty", 2.5)
        assert [[it.trial for it in run] for run in store.history("r1")] == [[0], [1]]
        assert [[it.trial for it in run] for run in store.history("empty", most=3)] == [[1], [2]]


def test_a_history_of_its_own() -> None:
    runs = [[TrialVerdict("a", 1, "passed", 1.0)], [TrialVerdict("a", 1, "failed", 0.0)], []]
    page = well_formed("".join(history_page(NASTY, runs)))
    assert page.count("<i ") >= 3
    assert "needs at least two runs" in well_formed("".join(history_page("x", runs[:1])))


def test_trials_that_were_not_judged_say_nothing_of_a_task() -> None:
    judged = [TrialVerdict("a", 1, "passed", 1.0), TrialVerdict("a", 2, "skipped", 0.0)]
    never = [TrialVerdict("b", 1, "skipped", 0.0)]
    first, second, _ = history_lines([[*never, *judged], [*never, *judged]])
    assert first.split() == ["a", "100%", "+.", "+."]
    assert second.split() == ["b", "-", ".", "."]
    page = well_formed("".join(history_page("x", [[*never, *judged], [*never, *judged]])))
    *_, first, second = page.partition("<table>")[2].split("<tr>")
    assert "100%" in first
    assert second.split("</tr>")[0].endswith("<td><td>")
    assert "flaky" not in first + second


def test_a_square_sums_up_the_trials_of_a_run() -> None:
    runs = [["passed"], ["failed", "passed"], ["failed", "error"], [NASTY], []]
    found = [square(it) for it in runs]
    assert [it.look for it in found] == ["passed", "mixed", "failed", "quiet", ""]
    shown = macro("charts", "squares", found)
    assert '<i class="mixed" title="failed, passed"></i>' in shown
    assert '<i class="quiet" title="&lt;/pre&gt;' in shown
