"""Tests of the reports of one run: results JSON, JUnit, text, HTML (docs/reference/waza-formats.md, section 15)."""

import json
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.engine.runs.bench import Bench, Scripted, contains, task
from waza_engine.executors.base import ExecutorOptions, TrialRequest
from waza_engine.model.results.records import MetricResult, RunRecord, TrialVerdict
from waza_engine.model.suite import GraderEntry, Hook, Metric, Scoring, TriggerPrompt, TriggerTests
from waza_engine.model.trajectory import Session, SkillInvocation, ToolCall, ToolEvent, Trajectory, Usage
from waza_engine.reports.comparison import comparison_text
from waza_engine.reports.experiment import ExperimentResults, experiment_text
from waza_engine.reports.github import escape_markdown, github_markdown
from waza_engine.reports.history import history_lines
from waza_engine.reports.html.report import html_report
from waza_engine.reports.inert import inert
from waza_engine.reports.junit import junit_xml
from waza_engine.reports.results.write import results_data, results_json
from waza_engine.reports.text import text_report

RICH = Trajectory(
    prompt="Do <it>",
    output="said \x1b[31mhello\x1b[0m & \x00 \u2028 \U0001f600 <b>",
    duration_ms=1500,
    session_id="s1",
    session=Session(
        tool_call_count=1,
        tools_used=["view"],
        tool_calls=[ToolCall(name="view", arguments={"path": "a.py", "depth": 3}, success=True)],
        usage=Usage(turns=2, input_tokens=10, output_tokens=5),
        session_id="s1",
    ),
    transcript=[{"type": "assistant.message", "content": "hi", "odd": 1}],
    tool_events=[ToolEvent(turn=1, sequence=1, tool_name="view", args={"path": "a.py"}, success=True)],
    skills=[SkillInvocation(name="notes")],
)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
async def record(bench: Bench) -> RunRecord:
    """Two trials each of a task that passes, one that is flaky, one that errors and one that a hook stops."""

    async def perform(request: TrialRequest) -> Trajectory:
        output = RICH.output if request.trial == 1 or request.task.id != "flaky" else "nothing"
        return RICH.model_copy(update={"output": output})

    executor = Scripted(ExecutorOptions(bench.folder))
    executor.perform = perform
    script = bench.folder / "hook.py"
    script.write_text(
        "import os, sys; open('n', 'a').write('.'); sys.exit(os.path.getsize('n') > 3)", encoding="utf-8"
    )
    hook = Hook(f"{sys.executable} {script}", working_directory=str(bench.folder), error_on_fail=True)
    tests = TriggerTests(
        "notes", (TriggerPrompt("take notes", should_trigger=True), TriggerPrompt("x", should_trigger=False))
    )
    suite = bench.suite(
        task("good", prompt="Do <it>", name="Good & <fine>"),
        task("flaky", prompt="Do <it>", group="g"),
        task("broken", prompt="Do <it>", graders=(GraderEntry("nonsense", "odd\x07"),)),
        task("stopped", prompt="Do <it>"),
        graders=(contains("hello", weight=3), contains("said", name="second")),
        hooks={"before_task": (hook,)},
        triggers=tests,
        metrics=(Metric("trigger_accuracy", 1.0, 0.5), Metric("task_completion", 1.0, 0.9)),
        settings={"judge_model": "judge", "trials": 2},
    )
    return replace(await bench.run(suite, executor), started_at=1_760_000_000.25, duration_ms=2500)


async def test_results_have_wazas_members_in_its_order(record: RunRecord) -> None:
    data = results_data(record)
    assert list(data) == [
        *[
            "schemaVersion",
            "eval_id",
            "skill",
            "eval_name",
            "timestamp",
            "config",
            "summary",
            "metrics",
            "tasks",
        ],
        *["trigger_metrics", "trigger_results", "metadata"],
    ]
    assert data["metadata"]["measures"]["task_completion"]["value"] == 0.5
    assert (data["eval_id"], data["timestamp"]) == ("run-1760000000", "2025-10-09T08:53:20.250000Z")
    assert data["config"] == {
        "runs_per_test": 2,
        "model_id": "",
        "engine_type": "scripted",
        "timeout_sec": 5,
        "judge_model": "judge",
    }
    assert list(data["summary"]) == [
        *["total_tests", "succeeded", "failed", "errors", "skipped", "success_rate", "aggregate_score"],
        *[
            "weighted_score",
            "min_score",
            "max_score",
            "std_dev",
            "duration_ms",
            "groups",
            "usage",
            "statistics",
        ],
    ]
    assert data["summary"]["groups"] == [{"name": "g", "passed": 0, "total": 1, "avg_score": 0.5}]
    assert data["summary"]["usage"]["input_tokens"] == 40
    assert list(data["metrics"]) == ["trigger_accuracy"]
    assert json.loads(results_json(record)) == data


async def test_a_task_in_the_results(record: RunRecord) -> None:
    good, flaky, broken, stopped = results_data(record)["tasks"]
    assert list(good) == ["test_id", "display_name", "status", "runs", "stats"]
    first = good["runs"][0]
    assert list(first) == [
        *[
            "run_number",
            "attempts",
            "prompt",
            "status",
            "duration_ms",
            "validations",
            "session_digest",
            "transcript",
        ],
        *["final_output", "skill_invocations", "usage", "tool_events"],
    ]
    assert list(first["validations"]["says"]) == [
        *["identifier", "type", "score", "weight", "passed", "feedback", "details", "duration_ms"]
    ]
    assert first["session_digest"]["tool_calls"][0]["arguments"] == {
        "path": "a.py",
        "file_text": "",
        "command": "",
        "description": "",
        "skill": "",
    }
    assert first["transcript"] == [{"type": "assistant.message", "content": "hi"}]
    assert list(good["stats"]) == [
        *[
            "pass_rate",
            "flakiness_percent",
            "passed_runs",
            "failed_runs",
            "error_runs",
            "total_runs",
            "avg_score",
        ],
        *[
            "avg_weighted_score",
            "min_score",
            "max_score",
            "std_dev_score",
            "score_variance",
            "ci95_lo",
            "ci95_hi",
        ],
        *["flaky", "avg_duration_ms", "bootstrap_ci", "is_significant"],
    ]
    assert (flaky["status"], flaky["stats"]["flaky"], flaky["stats"]["pass_rate"]) == ("failed", True, 0.5)
    assert (broken["status"], broken["runs"][0]["status"], broken["runs"][0]["validations"]) == (
        "failed",
        "error",
        {},
    )
    assert "Unknown grader type 'nonsense'" in broken["runs"][0]["error_msg"]
    assert (stopped["status"], stopped["runs"], "stats" in stopped) == ("failed", [], False)


async def test_junit_is_well_formed_and_lists_failures(record: RunRecord) -> None:
    root = ET.fromstring(junit_xml(record))  # noqa: S314  # our own text
    suite = root[0]
    assert (root.tag, suite.get("name"), suite.get("tests"), suite.get("failures")) == (
        "testsuites",
        "demo",
        "4",
        "3",
    )
    assert {it.get("name"): it.get("value") for it in suite.iter("property")}["engine"] == "scripted"
    good, flaky, broken, stopped = suite.iter("testcase")
    assert (good.get("name"), good.get("classname"), good.get("time"), len(good)) == (
        "Good & <fine>",
        "demo-skill",
        "1.500",
        0,
    )
    assert flaky[0].get("message") == "Flaky: score=0.50"
    assert [it for it in (flaky[0].text or "").splitlines() if it.startswith("[")] == [
        '[FAIL] says (text): score=0.00 \u2014 "hello" not found in the output',
        '[FAIL] second (text): score=0.00 \u2014 "said" not found in the output',
    ]
    assert (broken[0].get("type"), "odd'" in (broken[0].text or "")) == ("ExecutionError", True)
    assert "exit code 1" in (stopped[0].text or "")


@pytest.mark.parametrize("scoring", [None, Scoring(threshold=0.5)])
async def test_junit_lists_tasks_skipped_by_fail_fast(bench: Bench, scoring: Scoring | None) -> None:
    never = contains("nothing of the kind")
    tasks = (task("a"), task("b", graders=(never,)), task("c", name="<c>"), task("c", name="d"))
    record = await bench.run(
        bench.suite(*tasks, settings={"fail_fast": True, "executor": "mock"}, scoring=scoring)
    )
    suite = ET.fromstring(junit_xml(record))[0]  # noqa: S314  # our own text
    skipped = {
        it.get("name"): it[0].get("message")
        for it in suite.iter("testcase")
        if it.find("skipped") is not None
    }
    message = "not run: an earlier task did not pass (fail_fast)"
    assert skipped == {"<c>": message, "d": message}
    assert (suite.get("tests"), suite.get("skipped")) == (str(len(list(suite.iter("testcase")))), "2")


async def test_junit_lists_tasks_that_a_cancelled_run_did_not_start(record: RunRecord) -> None:
    cancelled = replace(record, status="cancelled", error="The run was cancelled", unperformed=("last\x1b",))
    suite = ET.fromstring(junit_xml(cancelled))[0]  # noqa: S314  # our own text
    *_, last, run = suite.iter("testcase")
    assert (last.get("name"), last[0].tag) == ("last", "skipped")
    assert last[0].get("message") == "not run: The run was cancelled"
    assert (run.get("name"), suite.get("tests"), suite.get("skipped")) == ("run", "6", "1")


async def test_a_cancelled_run_says_what_was_done_and_what_was_cancelled(record: RunRecord) -> None:
    done = record.totals.total
    cancelled = replace(record, status="cancelled", unperformed=("d", "e"))
    assert f" of {done} started tasks passed, score" in text_report(cancelled)
    assert f" of {done} started tasks passed, score" in github_markdown(cancelled)
    more = replace(cancelled, unperformed=("d",), trials=record.trials + 1)
    count = sum(it.stats is not None and not it.error for it in record.tasks)
    assert text_report(more).count(" trials, 1 cancelled") == count
    nothing = replace(cancelled, tasks=())
    assert "2 tasks cancelled" in text_report(nothing)
    stopped = replace(record, status="error", unperformed=("d", "e"))
    assert f" of {done + 2} tasks passed, 2 tasks not run, " in text_report(stopped)


async def test_junit_lists_no_skipped_tasks_for_a_finished_run(record: RunRecord) -> None:
    assert record.unperformed == ()
    assert "not run: " not in junit_xml(record)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("nasty", "read"),
    [
        ("a\x00\x08\x1bb", "ab"),
        ("a\ud800b", "ab"),
        ("a\ufffe\uffffb", "ab"),
        ("]]>&<", "]]>&<"),
    ],
)
async def test_junit_can_be_parsed_whatever_the_agent_prints(
    record: RunRecord, nasty: str, read: str
) -> None:
    task = replace(record.tasks[0], name=nasty, status="failed", error=nasty, trials=())
    suites = ET.fromstring(junit_xml(replace(record, suite_name=nasty, skill=nasty, tasks=(task,))))  # noqa: S314  # our own text
    [case] = suites.iter("testcase")
    assert case.get("name") == read


def held_to_more(record: RunRecord, changes: dict[str, Any]) -> tuple[ET.Element, str]:
    """The JUnit report of a run whose tasks all passed, and the Markdown."""
    good = record.tasks[0]
    passed = replace(record, tasks=(good,), totals=replace(record.totals, total=1, failed=0, succeeded=1))
    changed = replace(passed, **changes)
    return ET.fromstring(junit_xml(changed))[0], github_markdown(changed)  # noqa: S314  # our own text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "name", "message"),
    [
        (
            {"status": "cancelled", "error": "The run was cancelled"},
            "run",
            "cancelled: The run was cancelled",
        ),
        ({"status": "error", "error": "Hook 'x' failed\x1b"}, "run", "error: Hook 'x' failed"),
        (
            {"status": "failed", "metrics": (MetricResult("trigger_accuracy", 0.88, 0.9, False, 1.0),)},
            "metric trigger_accuracy",
            "metric trigger_accuracy 0.88 is below its threshold 0.90",
        ),
        (
            {"status": "failed", "scoring": Scoring(threshold=1.01)},
            "threshold",
            "the eval's score 1.00 is below its threshold 1.01",
        ),
    ],
)
async def test_junit_and_markdown_report_run_level_failures(
    record: RunRecord, changes: dict[str, Any], name: str, message: str
) -> None:
    suite, markdown = held_to_more(record, changes)
    *cases, case = suite.iter("testcase")
    assert not any(len(it) for it in cases)
    assert (case.get("name"), case[0].get("message")) == (name, message)
    is_error = changes["status"] != "failed"
    assert case[0].tag == ("error" if is_error else "failure")
    counts = [int(suite.get(it) or 0) for it in ("tests", "failures", "errors")]
    assert counts == [len(cases) + 1, int(not is_error), int(is_error)]
    reason = changes.get("error", message).removesuffix("\x1b")
    assert escape_markdown(reason) in markdown


async def test_junit_and_markdown_report_that_skills_did_not_help(record: RunRecord) -> None:
    worse = replace(record, baseline=record, status="failed", metrics=())
    [case] = [it for it in ET.fromstring(junit_xml(worse)).iter("testcase") if it.get("name") == "baseline"]  # noqa: S314  # our own text
    assert "did not help" in (case[0].get("message") or "")
    assert "did not help" in github_markdown(worse)


@pytest.mark.parametrize("nasty", ["::error::x", "a##[error]x", "b\x1b[2J", "plain"])
async def test_columns_align_after_escaping(record: RunRecord, nasty: str) -> None:
    first, *others = record.tasks
    odd = replace(record, tasks=(replace(first, task=nasty), *others))
    runs = [[TrialVerdict(it.task, 1, "passed", 1.0) for it in odd.tasks]]
    for mark, text in {
        "  score": text_report(odd),
        "   0.": comparison_text(["x", "y"], [odd, odd]),
        " 100%": "\n".join(history_lines(runs)),
        " passed  score": experiment_text(ExperimentResults("e", nasty, {nasty: odd, "other one": record})),
    }.items():
        places = {it.index(mark) for it in inert(text).splitlines() if mark in it}
        assert len(places) == 1, text


async def test_the_text_lists_failures_with_reasons(record: RunRecord) -> None:
    lines = text_report(record).splitlines()
    assert lines[:8] == [
        "PASS  good     score 1.00 [0.34, 1.00]  2/2 trials",
        "FAIL  flaky    score 0.50 [0.09, 0.91]  1/2 trials  flaky 50 %",
        "      says 0.00  trial 2",
        '        "hello" not found in the output',
        "          starts with: 'nothing'",
        "      second 0.00  trial 2",
        '        "said" not found in the output',
        "          starts with: 'nothing'",
    ]
    # A line that all trials share is printed once.
    assert [it for it in lines if "nonsense" in it] == [
        "      error: grader 'odd\ufffd': Unknown grader type 'nonsense'"
    ]
    assert lines[-1].startswith("FAILED: 1 of 4 tasks passed, score 0.38 (weighted 0.38 [")
    assert lines[-1].endswith("]), 2.5 s")
    assert "metric task_completion 0.50 is below 0.90, for information only" in lines
    assert "metric trigger_accuracy 1.00 reaches its threshold 0.50" in lines


async def test_html_is_self_contained_and_escaped(record: RunRecord) -> None:
    page = html_report(record)
    found: list[str] = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append(tag)
            assert not {name for name, _ in attrs} & {"src", "onclick"}
            assert all(str(value).startswith("#task-") for name, value in attrs if name == "href")

    Tags().feed(page)
    assert not {"script", "link", "img", "it", "fine", "b"} & set(found) - {"b"}
    assert "Good &amp; &lt;fine&gt;" in page
    assert "Do &lt;it&gt;" in page


@pytest.mark.slow
@pytest.mark.parametrize("nasty", ["</pre><script>x</script>", '"><img src=x onerror=y>', "'\x00\ud800&"])
async def test_html_escapes_every_value(record: RunRecord, nasty: str) -> None:
    trial = record.tasks[0].trials[0]
    grader = replace(trial.graders[0], name=nasty, type=nasty, feedback=nasty)
    transcript = [
        {"type": "assistant.message", "content": nasty},
        {
            "type": "tool.execution_start",
            "tool_name": nasty,
            "arguments": {nasty: nasty},
            "tool_call_id": nasty,
        },
        {"type": "tool.execution_complete", "tool_result": {"content": nasty}, "success": True},
        {"type": "session.error", "message": nasty},
        {"type": nasty},
    ]
    trajectory = trial.trajectory.model_copy(
        update={
            "prompt": nasty,
            "output": nasty,
            "transcript": transcript,
            "files": {nasty: nasty},
            "removed": [nasty],
        }
    )
    changed = replace(trial, trajectory=trajectory, graders=(grader,), error=nasty)
    task_of_it = replace(record.tasks[0], name=nasty, task=nasty, error=nasty, trials=(changed,))
    page = html_report(
        replace(
            record,
            tasks=(task_of_it,),
            suite_name=nasty,
            skill=nasty,
            model=nasty,
            executor=nasty,
            error=nasty,
        )
    )
    assert "<script" not in page
    assert "<img" not in page
    assert "default-src 'none'" in page


async def test_markdown_for_github_forms_no_links_or_mentions(record: RunRecord) -> None:
    """GitHub looks for mentions and addresses after Markdown has removed the backslashes."""
    nasty = "[x](http://e.com) @me <b> | `code`\n# head #12 www.e.com GH-3"
    text = github_markdown(replace(record, suite_name=nasty))
    assert text.splitlines()[0] == (
        "## \\[x\\]\\(http:<!-- -->//e.com\\) \\@<!-- -->me \\<b\\> \\| \\`code\\` \\# head \\#<!-- -->12 "
        "www<!-- -->.e.com GH<!-- -->\\-3: ❌ failed"
    )
    assert "| ❌ | Flaky | 0.50 | 1/2 | 0.09 to 0.91 |" in text
    assert "**Flaky:** flaky (1/2)" in text
