"""The first screen of a report, and the evidence that it links to."""

import os
import re
from dataclasses import replace

import pytest

from tests.engine.reports.html.pages import EVAL, dead_links, failing, well_formed
from tests.engine.runs.bench import Bench, Scripted, contains, said, task
from waza_engine.executors.base import TrialRequest
from waza_engine.model.results.records import RunRecord
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.evidence import Sources
from waza_engine.reports.html.report import html_report
from waza_engine.reports.html.verdict import Verdict, verdict, worst_first


def first_screen(record: RunRecord) -> Verdict:
    return verdict(record, worst_first(record.tasks), Sources())


async def test_the_first_screen_has_each_failed_check_with_a_link(bench: Bench, scripted: Scripted) -> None:
    record = await failing(bench, scripted)
    screen = first_screen(record)
    assert screen.text.startswith("1 of 2 tasks passed, score ")
    [bad] = screen.tasks
    assert (bad.index, bad.more) == (1, 0)
    # One check of each grader comes first.
    assert [it.title for it in bad.checks] == ["says", "wrote", "looked", "says"]
    assert [it.see for it in bad.checks] == ["output", "trial 1", "step 2", "output"]
    assert bad.checks[-1].evidence.found.startswith("line 2: ")
    page = well_formed(html_report(record))
    first = page.partition("<h2>")[0]
    assert "1 of 2 tasks passed" in first
    for check in bad.checks:
        assert f'<a href="#{check.anchor}">{check.see}</a>' in first
    assert dead_links(page) == []


async def test_what_a_check_points_to_is_unfolded(bench: Bench, scripted: Scripted) -> None:
    page = html_report(await failing(bench, scripted))
    before = page.partition('id="task-1-trial-1-step-2"')[0]
    # Nothing around the step is folded, so that the link works in viewers that unfold nothing.
    open_tags = re.findall(r"<details[^>]*>|</details>", before)
    around: list[str] = []
    for it in open_tags:
        if it == "</details>":
            around.pop()
        else:
            around.append(it)
    assert around
    assert all("open" in it for it in around)


async def test_a_failed_grader_is_shown_as_it_is_in_its_file(bench: Bench, scripted: Scripted) -> None:
    record = await failing(bench, scripted)
    page = html_report(record)
    entry = re.search(r'<pre class="entry"[^>]*>(.*?)</pre>', page, re.DOTALL)
    assert entry is not None
    assert re.findall(r"<i>(\d+)</i>(.*)", entry[1]) == [
        ("3", "- type: text"),
        ("4", "  name: says"),
        ("5", "  config:"),
        ("6", "    # What people wait for."),
        ("7", "    contains: [hello]"),
        ("8", "    not_contains: [bad word]"),
    ]
    assert re.findall(r'class="hit"><i>(\d+)', page) == ["7", "8", "12", "14"]
    assert "eval.yaml:7</p>" in page
    os.utime(bench.folder / "eval.yaml", (record.started_at + 60, record.started_at + 60))
    assert "eval.yaml:7 (the file is newer than this run)</p>" in html_report(record)
    # Another grader stands there now: nothing is shown rather than something wrong.
    path = bench.folder / "eval.yaml"
    path.write_text(EVAL.replace("name: says", "name: other"), encoding="utf-8")
    assert "not_contains: [bad word]" not in html_report(record)
    path.write_text("- not: [valid", encoding="utf-8")
    assert '<pre class="entry"' not in html_report(record)


async def test_a_value_that_is_no_grader_is_never_shown(bench: Bench, scripted: Scripted) -> None:
    """A store that came with a repository may name any file."""
    record = await failing(bench, scripted)
    secret = bench.folder / "secret.yaml"
    secret.write_text("users:\n- token: hunter2\n", encoding="utf-8")
    task = record.tasks[1]
    graders = tuple(replace(it, path=secret, pointer=("users", 0)) for it in task.trials[0].graders)
    foreign = replace(task, trials=(replace(task.trials[0], graders=graders),))
    assert "hunter2" not in html_report(replace(record, tasks=(foreign,)))


@pytest.mark.parametrize("tasks", [1, 3, 10, 11])
async def test_the_worst_tasks_share_the_lines_of_the_screen(
    bench: Bench, scripted: Scripted, tasks: int
) -> None:
    async def says(request: TrialRequest) -> Trajectory:
        return said("one two three four five"[: 1 + int(request.task.id)])

    scripted.perform = says
    graders = (*(contains(it, name=it) for it in ("one", "two", "three", "four", "five")), contains("six"))
    suite = bench.suite(*(task(str(it)) for it in range(tasks)), graders=graders)
    bench.emit_nothing = True
    record = await bench.run(suite, scripted)
    screen = first_screen(record)
    assert (len(screen.tasks), screen.more) == (min(tasks, 10), max(0, tasks - 10))
    rows = sum(1 + len(it.checks) * screen.lines for it in screen.tasks)
    assert rows <= 28
    failed = [sum(not grader.passed for grader in it.record.trials[0].graders) for it in screen.tasks]
    assert [len(it.checks) + it.more for it in screen.tasks] == failed
    assert all(it.checks for it in screen.tasks)
    scores = [it.record.stats.avg_score for it in screen.tasks if it.record.stats]
    assert scores == sorted(scores)


async def test_a_passed_run_has_no_failures(bench: Bench, scripted: Scripted) -> None:
    record = await bench.run(bench.suite(task("a"), graders=(contains("hello"),)), scripted)
    screen = first_screen(record)
    assert screen.text.startswith("1 of 1 tasks passed, score 1.00")
    assert (screen.tasks, screen.counts) == ([], [("passed", 1)])
    assert 'class="failures' not in html_report(record)


async def test_a_long_reason_takes_its_lines_from_the_tasks(bench: Bench, scripted: Scripted) -> None:
    record = await failing(bench, scripted)
    [usual] = first_screen(record).tasks
    long = replace(record, status="error", error="The agent's endpoint is down. " * 100)
    [cramped] = first_screen(long).tasks
    assert long.error in first_screen(long).text
    assert len(usual.checks) + usual.more == len(cramped.checks) + cramped.more
    assert first_screen(long).lines < first_screen(record).lines


async def test_a_page_has_a_limit_but_what_the_first_screen_links_to(
    bench: Bench, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def says(request: TrialRequest) -> Trajectory:
        return said(f"x{request.task.id} " * 1000)

    scripted.perform = says
    suite = bench.suite(*(task(str(it)) for it in range(40)), graders=(contains("hello"),))
    record = await bench.run(suite, scripted)
    whole = html_report(record)
    assert "To keep this page small" not in whole
    monkeypatch.setattr("waza_engine.reports.html.report._WHOLE_PAGE", 40_000)
    monkeypatch.setattr("waza_engine.reports.html.report._LARGEST_PAGE", 70_000)
    page = well_formed(html_report(record))
    assert len(page) < 100_000 < len(whole)
    assert dead_links(page) == []
    end = page.partition("To keep this page small, ")[2]
    shortened, left_out = map(int, re.findall(r"(\d+) trials", end))
    assert page.count("are left out to keep this page small") == shortened > 0
    assert left_out > 0
    assert page.count('id="task-') == 40 + 3 * (40 - left_out) - shortened
