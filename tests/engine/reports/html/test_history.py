"""The history of an eval as a page, and as a part of a run's report."""

from pathlib import Path

from tests.engine.reports.html.pages import NASTY, edited, macro, well_formed
from tests.engine.runs.bench import Bench, Scripted
from tests.engine.runs.store.test_store import started, trial
from waza_engine.model.results.records import TrialVerdict
from waza_engine.model.results.scores import Status
from waza_engine.reports.history import history_lines, newest_change
from waza_engine.reports.html.history import PAGES, PastRun, history_page, runs_until, square
from waza_engine.reports.html.report import html_report
from waza_engine.runs.run_header import RunFrame, TaskFrame
from waza_engine.runs.store.rows import StoredRun
from waza_engine.runs.store.store import RunStore


def past(number: int, *verdicts: TrialVerdict, page: str = "") -> PastRun:
    """A run of the eval, in the minute `number`."""
    frame = RunFrame(tasks=(TaskFrame("a", "First task"),))
    run = StoredRun(
        f"r{number}", Path("eval.yaml"), NASTY, "mock", "gpt", 60.0 * number, None, "failed", 0.5, frame
    )
    return PastRun(run, verdicts, page)


async def test_earlier_runs_are_part_of_a_stored_report(bench: Bench, scripted: Scripted) -> None:
    with RunStore(bench.folder / "store") as store:
        bench.store = store
        record = await edited(bench, scripted)
        history = runs_until(store, "run-1", bench.folder / "page.html")
        assert "The last" not in html_report(record, history)
        verdicts = TrialVerdict(NASTY, 1, "passed", 1.0), TrialVerdict("b", 1, "failed", 0.0)
        page = well_formed(html_report(record, [past(0, *verdicts), *history]))
    assert "The last 2 runs" in page
    assert '<a href="#run-r0" class="failed" title="1970-01-01 00:00 UTC, run r0: failed"' in page


def test_the_history_of_an_eval_ends_with_the_run_and_links_to_the_reports_that_exist(bench: Bench) -> None:
    with RunStore(bench.folder) as store:
        for number in range(3):
            started(store, f"r{number}", float(number))
            store.save_trial(f"r{number}", trial("a", number))
        started(store, "empty", 2.5)
        pages = bench.folder / PAGES
        pages.mkdir()
        for it in ("r0", "r1"):
            (pages / f"{it}.html").touch()

        def found(run_id: str, page: Path) -> list[tuple[str, str]]:
            return [(it.run.run_id, it.page) for it in runs_until(store, run_id, page)]

        # No link to the page itself.
        assert found("r1", pages / "r1.html") == [("r0", "r0.html"), ("r1", "")]
        assert found("empty", bench.folder / "ci" / "x.html") == [
            ("r0", "../reports/r0.html"),
            ("r1", "../reports/r1.html"),
            ("r2", ""),
        ]
        assert found("gone", pages / "x.html") == []


def test_a_history_names_its_runs_and_tasks() -> None:
    runs = [
        past(0, TrialVerdict("a", 1, "passed", 1.0), page="reports/r0.html"),
        past(1, TrialVerdict("a", 1, "failed", 0.0), TrialVerdict("b", 1, "passed", 1.0)),
        past(2),
    ]
    page = well_formed("".join(history_page(runs)))
    assert "<title>History of &lt;/pre&gt;" in page
    for shown in (
        '<tr id="run-r0"><td>1970-01-01 00:00 UTC<td><a href="reports/r0.html">r0</a>',
        '<tr id="run-r1"><td>1970-01-01 00:01 UTC<td>r1',
        "<td>mock gpt<td>",
        "First task <small>a</small>",
    ):
        assert shown in page
    assert [it.passed for it in runs] == ["1 of 1", "1 of 2", "0 of 0"]
    # The newest run comes first.
    assert page.index('id="run-r1"') < page.index('id="run-r0"')
    one = well_formed("".join(history_page(runs[:1])))
    assert "<h2>One run</h2>" in one
    assert "First task" in one
    assert "No trial has finished." in well_formed("".join(history_page([])))


def test_trials_that_were_not_judged_say_nothing_of_a_task() -> None:
    judged = [TrialVerdict("a", 1, "passed", 1.0), TrialVerdict("a", 2, "skipped", 0.0)]
    never = [TrialVerdict("b", 1, "skipped", 0.0)]
    first, second, _ = history_lines([[*never, *judged], [*never, *judged]])
    assert first.split() == ["a", "100%", "(34%", "to", "100%)", "+.", "+."]
    assert second.split() == ["b", "-", ".", "."]
    page = well_formed("".join(history_page([past(0, *never, *judged), past(1, *never, *judged)])))
    *_, first, second = page.rpartition("<table>")[2].split("<tr>")
    assert "1.00" in first
    assert second.split("</tr>")[0].endswith("<td><td>")
    assert "flaky" not in first + second


def test_a_task_whose_grader_changed_is_not_flaky() -> None:
    runs = [[TrialVerdict("a", 1, status, 1.0)] for status in ("passed", "failed", "passed", "failed")]
    for prints, is_flaky in (
        ((), True),
        (("x", "x", "x", "x"), True),
        (("", "", "", ""), True),
        (("x", "y", "x", "y"), False),
        (("x", "y", "y", "z"), False),
    ):
        line, *_ = history_lines(runs, [{"a": it} for it in prints])
        assert line.endswith("flaky") is is_flaky, prints
    mixed = [[TrialVerdict("a", 1, "passed", 1.0), TrialVerdict("a", 2, "failed", 0.0)]]
    assert next(history_lines(mixed, [{"a": "x"}])).endswith("flaky")


def test_a_square_sums_up_the_trials_of_a_run() -> None:
    statuses = [["passed"], ["failed", "passed"], ["failed", "error"], [NASTY], []]
    found = [square(it) for it in statuses]
    assert [it.look for it in found] == ["passed", "mixed", "failed", "quiet", ""]
    shown = macro("charts", "squares", found, [past(it) for it in range(5)])
    assert '<a href="#run-r1" class="mixed" title="1970-01-01 00:01 UTC, run r1: failed, passed"' in shown
    assert 'class="quiet" title="1970-01-01 00:03 UTC, run r3: &lt;/pre&gt;' in shown


def test_the_history_says_what_the_newest_run_shows() -> None:
    def run(*statuses: Status, times: int = 1) -> list[TrialVerdict]:
        return [TrialVerdict(f"t{number}", 1, it, 0.0) for number, it in enumerate(statuses * times)]

    assert next(history_lines([run("passed")])) == "t0  100%  (21% to 100%)  +"
    assert newest_change([run("passed")]) == newest_change([run("passed"), run("error")[:0]]) == ""
    alike = newest_change([run("passed", "failed"), run("failed", "passed")])
    assert alike.startswith("newest run against the one before: pass rate +0%, 95 % interval -")
    assert alike.endswith("1 better, 1 worse, 0 equal of 2 tasks, p = 1.000: cannot be shown with this many")
    assert newest_change([run("passed", times=8), run("failed", times=8)]).endswith("p = 0.008: worse")
