"""Evidence: one piece per cause, over graders and trials, with the line of the check in its file."""

from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from waza_engine.model.results.evidence import FailedCheck
from waza_engine.model.results.records import GraderOutcome, MetricResult, RunRecord, TaskRecord, TrialRecord
from waza_engine.model.results.scores import Status
from waza_engine.model.suite import Scoring
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.evidence import Evidence, Sources, task_evidence
from waza_engine.reports.evidence_lines import Layout
from waza_engine.reports.text import TextStyle, text_report
from waza_engine.runs.run_header import TaskFrame
from waza_engine.runs.totals import seeded_random, task_record, task_totals
from waza_engine.statistics.totals import suite_totals

TASK = """\
    id: one
    graders:
      - type: text
        name: names-it
        config:
          contains:
            - alpha
            # a comment
            - beta
      - {type: file, name: has-it, config: {must_exist: [a.md]}}
    expected:
      output_contains: [gamma]
    """


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "task.yaml"
    file.write_text(dedent(TASK), encoding="utf-8")
    return file


def outcome(path: Path | None, name: str, *parts: FailedCheck, entry: int = 0, **more: Any) -> GraderOutcome:
    values = {"status": "failed", "score": 0.5, "feedback": "no", **more}
    return GraderOutcome(
        name=name, type="text", weight=1, path=path, pointer=("graders", entry), parts=parts, **values
    )


def trial(number: int, *graders: GraderOutcome, **more: Any) -> TrialRecord:
    status: Status = "error" if "error" in more else "failed"
    return TrialRecord("one", 0, number, status, 0.5, 0.5, Trajectory(), graders, **more)


def evidence(*trials: TrialRecord, error: str = "") -> list[Evidence]:
    return task_evidence(TaskRecord("one", "One", "", "failed", trials, error=error), Sources())


BETA = FailedCheck(("contains", 1), '"beta" not found', "line 1: 'x'", wanted="contains: beta")


def test_a_check_of_several_trials_is_one_piece_with_its_line(path: Path) -> None:
    grader = outcome(path, "names-it", BETA)
    [found] = evidence(
        trial(1, grader), trial(2), trial(3, replace(grader, parts=(replace(BETA, found="y"),)))
    )
    assert (found.message, found.wanted, found.found) == ('"beta" not found', "contains: beta", "line 1: 'x'")
    assert (found.graders, found.score, found.trials) == (("names-it",), 0.5, (1, 3))
    assert found.source is not None
    assert (found.source.path, found.source.line) == (path, 9)


def test_checks_and_graders_with_one_cause_are_one_piece(path: Path) -> None:
    lost = [FailedCheck(("must_exist", it), f"{it} not checked", cause="no a.md") for it in range(3)]
    alone = FailedCheck(("contains", 0), "none", cause="the output is empty")
    found = evidence(
        trial(
            1,
            outcome(path, "has-it", *lost, entry=1),
            outcome(path, "other", lost[0]),
            outcome(path, "x", alone),
        )
    )
    assert [(it.message, it.checks, it.graders) for it in found] == [
        ("no a.md", 4, ("has-it", "other")),
        ("none", 1, ("x",)),
    ]
    assert [it.source.line for it in found if it.source] == [10, 0]


def test_graders_that_say_the_same_are_one_piece_but_errors_are_not(path: Path) -> None:
    same = [outcome(path, name, feedback="The run has no session digest") for name in ("a", "b")]
    broken = [outcome(path, name, status="error", feedback="no judge") for name in ("c", "d")]
    found = evidence(trial(1, *same, *broken))
    assert [(it.status, it.message, it.graders) for it in found] == [
        ("failed", "The run has no session digest", ("a", "b")),
        ("error", "no judge", ("c",)),
        ("error", "no judge", ("d",)),
    ]


def test_an_error_explains_the_graders_that_could_not_run(path: Path) -> None:
    broken = outcome(path, "has-it", status="error", feedback="cannot start", entry=1)
    [found] = evidence(trial(1, broken, error="grader 'has-it': cannot start"))
    assert (found.message, found.graders) == ("grader 'has-it': cannot start", ("has-it",))
    assert found.source is not None
    assert found.source.line == 10
    agent = trial(1, outcome(path, "names-it", BETA), error="the agent timed out")
    assert [(it.status, it.graders) for it in evidence(agent)] == [("error", ()), ("failed", ("names-it",))]
    assert evidence(error="hook failed")[0].message == "hook failed"


def test_a_passing_grader_below_1_took_points(path: Path) -> None:
    almost = outcome(path, "names-it", status="passed", score=0.8, feedback="mostly right")
    full = outcome(path, "has-it", status="passed", score=1.0, entry=1)
    [found] = evidence(trial(1, almost, full))
    assert (found.status, found.message, found.score) == ("points", "mostly right", 0.8)


def test_the_line_is_left_out_when_the_file_has_changed(path: Path) -> None:
    expectation = replace(outcome(path, "_output_contains", BETA), pointer=("expected", "output_contains"))
    part = replace(BETA, pointer=(0,))
    for record, line in (
        (outcome(path, "another-name", BETA), 0),
        (outcome(path, "names-it", replace(BETA, pointer=("contains", 7))), 3),
        (outcome(path.with_name("gone.yaml"), "names-it", BETA), 0),
        (replace(expectation, parts=(part,)), 12),
    ):
        [found] = evidence(trial(1, record))
        assert found.source is not None
        assert found.source.line == line
    [found] = evidence(trial(1, outcome(None, "names-it", BETA)))
    assert found.source is None


def record_of(*tasks: TaskRecord, **changes: Any) -> RunRecord:
    totals = suite_totals([task_totals(it) for it in tasks], 1, seeded_random("x"))
    values: dict[str, Any] = {
        **dict.fromkeys(("run_id", "suite_name", "skill", "executor", "model", "judge_model"), "x"),
        "trials": 1,
        "timeout_seconds": 1,
        "started_at": 0.0,
        "duration_ms": 1000,
        "status": "failed",
    }
    return RunRecord(**values | {"tasks": tasks, "totals": totals} | changes)


def task_of(name: str, *trials: TrialRecord) -> TaskRecord:
    record = task_record(TaskFrame(name, name), trials, "", seeded_random("x"))
    return replace(record, status=trials[0].status) if trials else record


def test_a_report_wraps_and_says_one_error_once(path: Path) -> None:
    broken = outcome(path, "has-it", status="error", feedback="cannot start", entry=1)
    stopped = trial(1, broken, error="grader 'has-it': cannot start")
    long = outcome(path, "names-it", replace(BETA, message=" ".join(["word"] * 20), found="line 1: 'x y'"))
    style = TextStyle(Layout(width=60, base=path.parent))
    text = text_report(
        record_of(task_of("a", trial(1, long)), task_of("b", stopped), task_of("c", stopped)), style
    )
    assert text.splitlines() == [
        "FAIL  a  score 0.50",
        "      names-it 0.50  task.yaml:9",
        "        word word word word word word word word word word",
        "            word word word word word word word word word",
        "            word",
        "          wanted contains: beta",
        "          line 1: 'x y'",
        "ERROR b  score 0.50",
        "      error: grader 'has-it': cannot start",
        "        task.yaml:10",
        "ERROR c  score 0.50",
        "      the same error as in b",
        "FAILED: 0 of 3 tasks passed, score 0.50 (weighted 0.50",
        "    [0.25, 0.75]), 1.0 s",
    ]


def test_a_pass_says_who_took_points_and_quiet_does_not(path: Path) -> None:
    almost = outcome(path, "names-it", status="passed", score=0.8, feedback="mostly right")
    passed = replace(trial(1, almost), status="passed", score=0.8)
    full = replace(trial(1), status="passed", score=1.0)
    record = record_of(task_of("a", passed), task_of("b", full), status="passed")
    style = TextStyle(Layout(base=path.parent), hides_passed=True, more="waza-lsp report x")
    assert text_report(record, style).splitlines() == [
        "PASS  a  score 0.80",
        "      names-it 0.80  task.yaml:3",
        "        mostly right",
        "See more: waza-lsp report x",
        "PASSED: 2 of 2 tasks passed, score 0.90 (weighted 0.50 [0.19, 0.81]), 1.0 s",
    ]
    assert text_report(record, replace(style, problems_only=True)) == ""


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"status": "failed", "scoring": Scoring(threshold=0.9)},
         "FAILED: the eval's score 0.50 is below its threshold 0.90; 1 of 1 tasks passed"),
        ({"status": "passed", "scoring": Scoring(threshold=0.4)},
         "PASSED: the eval's score 0.50 reaches its threshold 0.40; 1 of 1 tasks passed"),
        ({"status": "failed", "metrics": (MetricResult("trigger_accuracy", 0.8, 0.9, False, 1.0),)},
         "FAILED: metric trigger_accuracy 0.80 is below its threshold 0.90; 1 of 1 tasks passed"),
        ({"status": "cancelled", "error": "stopped", "planned": 3, "trials": 2, "unperformed": ("b", "c")},
         "CANCELLED: 1 of 6 trials; 1 of 1 started tasks passed"),
        ({"status": "error", "error": "2 trials could not be judged"},
         "ERROR: 2 trials could not be judged; 1 of 1 tasks passed"),
    ],
)  # fmt: skip
def test_the_last_line_is_the_verdict_with_its_reason(changes: dict[str, Any], reason: str) -> None:
    record = record_of(task_of("a", replace(trial(1), status="passed")), **changes)
    assert text_report(record).splitlines()[-1].startswith(f"{reason}, score 0.50")
