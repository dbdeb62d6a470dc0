"""Runs with a baseline: a second pass without skills decides (docs/reference/waza-formats.md, section 13.7)."""

import json
import sys
from pathlib import Path

import pytest

from tests.engine.runs.bench import Bench, Scripted, contains, said, task
from waza_engine.executors.base import TrialRequest
from waza_engine.model.suite import GraderEntry, Hook
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.github import github_markdown
from waza_engine.reports.html.report import html_report
from waza_engine.reports.results.write import results_data
from waza_engine.reports.text import text_report
from waza_engine.runs.events import BaselineEvent, Note, TaskFinished, event_line
from waza_engine.runs.store.store import RunStore

GRADERS = (contains("hello"),)
SETTINGS = {"baseline": True, "skill_directories": ("skills/greet",)}


async def with_skills_only(request: TrialRequest) -> Trajectory:
    return said("hello" if request.skill_directories else "nope")


async def test_the_run_passes_when_the_skills_helped(bench: Bench, scripted: Scripted) -> None:
    scripted.perform = with_skills_only
    record = await bench.run(bench.suite(task("a"), task("b"), graders=GRADERS, settings=SETTINGS), scripted)
    assert record.status == "passed"
    assert record.baseline is not None
    assert [it.status for it in record.baseline.tasks] == ["failed", "failed"]
    second = scripted.requests[2:]
    assert [(it.baseline, it.skill, it.skill_directories, it.system_message) for it in second] == [
        (True, "", (), "")
    ] * 2
    data = results_data(record)
    assert data["tasks"][0]["skill_impact"] == {
        "pass_rate_with_skills": 1.0,
        "pass_rate_baseline": 0.0,
        "delta": 1.0,
        "percent_change": 10_000.0,
    }
    assert data["baseline_outcome"]["is_baseline"] is True
    assert data["baseline_outcome"]["summary"]["succeeded"] == 0
    assert "with skills 100% of the tasks passed, without 0%: the skills helped" in text_report(record)
    shown = "score and pass rate: +1.00, 95 % interval "
    for page in (
        text_report(record),
        "".join(html_report(record)),
        github_markdown(record).replace("\\", ""),
    ):
        assert shown in page
        assert "cannot be shown with this many" in page


async def test_as_good_without_skills_is_a_failure(bench: Bench, scripted: Scripted) -> None:
    record = await bench.run(bench.suite(task("a"), graders=GRADERS, settings=SETTINGS), scripted)
    assert [it.status for it in record.tasks] == ["passed"]
    assert record.status == "failed"


async def test_failed_tasks_do_not_matter_when_it_got_better(bench: Bench, scripted: Scripted) -> None:
    async def one_of_two(request: TrialRequest) -> Trajectory:
        return said("hello" if request.skill_directories and request.task.id == "a" else "nope")

    scripted.perform = one_of_two
    record = await bench.run(bench.suite(task("a"), task("b"), graders=GRADERS, settings=SETTINGS), scripted)
    assert ([it.status for it in record.tasks], record.status) == (["passed", "failed"], "passed")


async def test_skill_invocation_graders_decide_nothing(bench: Bench, scripted: Scripted) -> None:
    scripted.perform = with_skills_only
    wants = GraderEntry("skill_invocation", "wants", config={"required_skills": ["x"], "mode": "any_order"})
    suite = bench.suite(task("a"), graders=(*GRADERS, wants), settings=SETTINGS)
    record = await bench.run(suite, scripted)
    only = record.tasks[0].trials[0]
    assert (only.status, only.score, [it.status for it in only.graders]) == (
        "passed",
        0.5,
        ["passed", "failed"],
    )


async def test_without_any_skill_it_is_a_normal_run_and_says_so(bench: Bench, scripted: Scripted) -> None:
    suite = bench.suite(task("a"), graders=GRADERS, settings={"baseline": True})
    suite = type(suite)(**{name: getattr(suite, name) for name in suite.__slots__} | {"skill": ""})
    record = await bench.run(suite, scripted)
    assert (record.status, record.baseline, len(scripted.requests)) == ("passed", None, 1)
    assert any(
        "the eval names no skill to leave out" in it.message for it in bench.events if isinstance(it, Note)
    )


async def test_events_of_the_second_pass_are_no_verdicts(bench: Bench, scripted: Scripted) -> None:
    scripted.perform = with_skills_only
    await bench.run(bench.suite(task("a"), graders=GRADERS, settings=SETTINGS), scripted)
    assert [it.status for it in bench.events if isinstance(it, TaskFinished)] == ["passed"]
    told = [json.loads(event_line(it)) for it in bench.events if isinstance(it, BaselineEvent)]
    assert {it["event"] for it in told} == {"baseline"}
    assert [it["told"]["event"] for it in told] == [
        "task_started",
        "trial_started",
        "trial_finished",
        "task_finished",
    ]


async def test_both_passes_are_stored_and_the_second_is_no_run_of_its_own(
    bench: Bench, scripted: Scripted, tmp_path: Path
) -> None:
    with RunStore(tmp_path / "store") as store:
        bench.store = store
        scripted.perform = with_skills_only
        await bench.run(bench.suite(task("a"), graders=GRADERS, settings=SETTINGS), scripted)
        assert [it.run_id for it in store.runs()] == ["run-1"]
        assert [it.record.status for it in store.trials("run-1-baseline")] == ["failed"]
        eval_path = bench.folder / "eval.yaml"
        assert [it.run_id for it in store.latest_trials(eval_path, "a")] == ["run-1"]


@pytest.mark.skipif(sys.platform == "win32", reason="uses touch")
async def test_run_hooks_run_in_each_pass(bench: Bench, scripted: Scripted) -> None:
    script = bench.folder / "hook.py"
    script.write_text("open('count', 'a').write('.')", encoding="utf-8")
    hook = Hook(f"{sys.executable} {script}", working_directory=str(bench.folder))
    hooks = {"before_run": (hook,)}
    await bench.run(bench.suite(task("a"), graders=GRADERS, settings=SETTINGS, hooks=hooks), scripted)
    assert (bench.folder / "count").read_text() == ".."
