"""Weights, threshold and constraints: the verdict on a trial and on an eval.

See docs/reference/vally.md, sections 3 and 5.
"""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from waza_engine.dialects.vally.scoring.trial import is_passed, trial_score
from waza_engine.graders.base import GraderResult, GradingContext
from waza_engine.graders.result import GraderVerdict, RunVerdict
from waza_engine.grading.grade import grade_entry, grade_task
from waza_engine.model.results.records import TaskRecord, TrialRecord
from waza_engine.model.results.threshold import eval_verdict, is_failed
from waza_engine.model.suite import Constraint, GraderEntry, Scoring, Task
from waza_engine.model.trajectory import Session, SkillInvocation, ToolEvent, Trajectory, Usage
from waza_engine.runs.run_header import TaskFrame
from waza_engine.runs.totals import task_record


def _verdict(score: float, weight: float = 1.0) -> GraderVerdict:
    return GraderVerdict("x", "x", weight, GraderResult(score, score == 1.0))


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        # Measured: of prompt 0.7, wall-time 0.15 and a third type only the first two are there.
        ([(1.0, 0.7), (0.0, 0.15)], 0.7 / 0.85),
        ([(0.0, 0.7), (1.0, 0.15)], 0.15 / 0.85),
        ([(1.0, 1.0), (0.0, 1.0)], 0.5),
        ([(1.0, 0.0), (0.5, 1.0)], 0.5),
        ([(1.0, 0.0), (0.0, 0.0)], 0.5),
        ([], 1.0),
    ],
)
def test_the_score_is_the_weighted_mean_of_the_graders_that_are_there(
    scores: list[tuple[float, float]], expected: float
) -> None:
    assert trial_score([_verdict(*it) for it in scores]) == pytest.approx(expected)


def test_a_threshold_replaces_the_condition_that_all_pass() -> None:
    verdicts = [_verdict(1.0), _verdict(0.0)]
    assert is_passed(0.5, 0.5, verdicts)
    assert is_passed(0.1 + 0.2, 0.3, verdicts)
    assert is_passed(0.3 - 1e-10, 0.3, verdicts)
    assert not is_passed(0.5, 0.51, verdicts)
    assert not is_passed(0.5, None, verdicts)
    assert is_passed(1.0, None, [_verdict(1.0)])


CONTEXT = GradingContext(
    output="done",
    session=Session(usage=Usage(turns=3, input_tokens=90, output_tokens=10)),
    tool_events=[ToolEvent(tool_name="bash", tool_call_id="1", success=True, args={})],
    skills=[SkillInvocation(name="deploy")],
    duration_ms=5_000,
)


def _trial_verdict(
    *constraints: Constraint, entries: Sequence[GraderEntry] = (), **scoring: Any
) -> RunVerdict:
    task = Task("a", "a", "p", graders=tuple(entries), constraints=constraints)
    return grade_task("vally", task, (), Scoring(**scoring), CONTEXT)


@pytest.mark.parametrize(
    ("key", "value", "kept"),
    [
        ("max_turns", 3, True),
        ("max_turns", 2, False),
        ("max_tokens", 100, True),
        ("max_tokens", 99, False),
        ("max_duration", 5_000, True),
        ("max_duration", 4_999, False),
        ("expect_tools", ("bash",), True),
        ("expect_tools", ("Bash",), False),
        ("expect_tools", ("bash", "edit"), False),
        ("reject_tools", ("edit",), True),
        ("reject_tools", ("bash",), False),
        ("reject_tools", ("bas",), True),
        ("expect_skills", ("deploy",), True),
        ("expect_skills", ("other",), False),
        ("reject_skills", ("other",), True),
        ("reject_skills", ("deploy",), False),
        ("reject_skills", ("*",), False),
    ],
)
def test_each_constraint_is_a_check(key: str, value: Any, kept: bool) -> None:
    verdict = _trial_verdict(Constraint(key, value))
    assert verdict.status == ("passed" if kept else "failed")
    assert verdict.score == 1.0
    assert list(verdict.results) == [f"constraint:{key}"]
    assert verdict.results[f"constraint:{key}"].result.passed is kept


def test_a_broken_constraint_fails_a_trial_that_reaches_the_threshold() -> None:
    verdict = _trial_verdict(Constraint("max_turns", 0), threshold=0.5)
    assert (verdict.status, verdict.score) == ("failed", 1.0)


def _entry(kind: str, config: Any = None, name: str = "") -> GraderEntry:
    return GraderEntry(kind, name or kind, config=config, dialect="vally")


def test_a_grader_error_fails_and_the_others_still_count() -> None:
    entries = [_entry("output-contains"), _entry("unheard-of"), _entry("exit-success")]
    verdict = _trial_verdict(entries=entries)
    assert verdict.status == "failed"
    assert verdict.score == pytest.approx(1 / 3)
    assert [it.result.status for it in verdict.results.values()] == ["error", "error", ""]


def test_an_agent_that_failed_without_an_answer_is_an_error() -> None:
    task = Task("a", "a", "p", graders=(_entry("exit-success"),))
    broken, late = GradingContext(error="no login"), GradingContext(error="late", output="half")
    assert grade_task("vally", task, (), Scoring(), broken).status == "error"
    assert grade_task("vally", task, (), Scoring(), late).status == "passed"


@pytest.mark.parametrize(
    ("kind", "limit", "metrics", "told"),
    [
        (
            "token-budget",
            1_000_000,
            {"tokenUsage": {"totalTokens": 1_000_001}},
            "1000001 tokens, only 1000000",
        ),
        ("wall-time", "20m", {"wallTimeMs": 1_200_345}, "1200345 ms, only 1200000"),
        ("wall-time", "1h", {"wallTimeMs": 1_200_345.5}, "1200345.5 ms, at most 3600000"),
        ("turn-count", 3, {"turnCount": 3}, "3 turns, at most 3"),
    ],
)
def test_metrics_are_shown_in_full(kind: str, limit: object, metrics: dict[str, Any], told: str) -> None:
    result = _graded(kind, limit, metrics)
    assert result.feedback.startswith(told)


@pytest.mark.parametrize(
    ("usage", "passed"),
    [
        ({"inputTokens": 100, "totalTokens": 150}, False),
        ({"outputTokens": 100, "totalTokens": 150}, False),
        ({"inputTokens": 100}, True),
        ({"inputTokens": 60, "outputTokens": 60}, True),
        ({"inputTokens": 60, "outputTokens": 60, "totalTokens": 150}, True),
        ({"totalTokens": 150}, False),
    ],
)
def test_the_total_is_used_if_a_part_is_unknown(usage: dict[str, int], passed: bool) -> None:
    assert _graded("token-budget", 120, {"tokenUsage": usage}).passed is passed


def _graded(kind: str, limit: object, metrics: dict[str, Any]) -> GraderResult:
    entry = {"type": kind, "config": {"max": limit}}
    verdict = grade_entry(entry, GradingContext(events=[], metrics=metrics), "VALLY")
    assert isinstance(verdict, GraderVerdict)
    return verdict.result


def _task(*trials: tuple[str, float]) -> TaskRecord:
    records = [
        TrialRecord("a", 0, number, status, score, score, Trajectory())  # type: ignore[arg-type]  # a status
        for number, (status, score) in enumerate(trials, 1)
    ]
    return task_record(TaskFrame("a", "a"), records, "", random.Random(1))  # noqa: S311  # no secret


def test_an_eval_passes_by_its_mean() -> None:
    tasks = [_task(("passed", 1.0), ("failed", 0.5)), _task(("passed", 0.85))]
    verdict = eval_verdict(Scoring(0.8), tasks)
    assert verdict.passed
    assert verdict.overall_score == pytest.approx(0.8)
    assert not eval_verdict(Scoring(0.81), tasks).passed
    assert not eval_verdict(Scoring(), tasks).passed


def test_trials_without_a_score_are_counted_separately() -> None:
    tasks = [_task(("passed", 1.0), ("error", 0.0)), _task(("error", 0.0))]
    verdict = eval_verdict(Scoring(0.8), tasks)
    assert (verdict.passed, verdict.overall_score, verdict.stimuli_run, verdict.stimuli_total) == (
        True,
        1.0,
        1,
        2,
    )
    assert verdict.had_execution_errors
    assert is_failed(Scoring(0.8), tasks)


def test_an_eval_without_trials_has_not_passed() -> None:
    assert not eval_verdict(Scoring(), [_task(("skipped", 0.0))]).passed
    assert not is_failed(Scoring(), [_task(("skipped", 0.0))])
