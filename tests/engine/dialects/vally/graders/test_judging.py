"""Prompts for vally's judge, retries, and scores from its points."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from waza_engine.dialects.vally.scoring.results import result_members
from waza_engine.dialects.vally.trajectory.metrics import timeline
from waza_engine.graders.base import GraderResult, GradingContext
from waza_engine.graders.result import GraderVerdict
from waza_engine.grading.grade import grade_entry
from waza_engine.judges.patience import with_retries
from waza_engine.judges.scales import SCALES, score_of_points
from waza_engine.model.judge import JudgeCall, JudgeError, JudgeRequest, JudgeTurn


class Judge:
    """A judge that submits a grade and records its requests."""

    def __init__(self, answer: Callable[[JudgeRequest], JudgeTurn] | None = None) -> None:
        self.requests: list[JudgeRequest] = []
        self._answer = answer or (lambda _: JudgeTurn([JudgeCall("submit_grade", {"score": 5})]))

    def turn(self, request: JudgeRequest) -> JudgeTurn:
        self.requests.append(request)
        return self._answer(request)

    def reply(self, message: str, model: str = "") -> Any:
        raise AssertionError("nobody asks without tools")


def _graded(context: GradingContext, type_name: str = "prompt", **config: Any) -> GraderVerdict:
    graded = grade_entry({"type": type_name, "config": config}, context, "VALLY")
    assert isinstance(graded, GraderVerdict), graded
    return graded


def _request(context: GradingContext, **config: Any) -> JudgeRequest:
    judge = Judge()
    _graded(replace(context, judge=judge), **config)
    (request,) = judge.requests
    return request


TRIAL = GradingContext(
    output="It is 42.",
    prompt="What is it?",
    events=[
        {"type": "user_message", "data": {"content": "What is it?"}},
        {
            "type": "tool_call",
            "data": {"toolName": "bash", "toolCallId": "1", "arguments": {"command": "ls"}},
        },
        {"type": "tool_result", "data": {"toolCallId": "1", "success": True, "result": "a.txt"}},
        {"type": "assistant_message", "data": {"content": "It is 42."}},
    ],
    diff="diff --git a/x b/x\n",
)


def test_the_judge_sees_task_timeline_and_answer() -> None:
    message = _request(TRIAL).message
    assert "What is it?" in message
    assert '[tool call] bash {"command":"ls"}' in message
    assert "[tool result] a.txt" in message
    assert "# Final answer\n\n```\nIt is 42.\n```" in message
    assert "diff --git" not in message


def test_evidence_adds_the_diff() -> None:
    message = _request(TRIAL, evidence=["diff"]).message
    assert "diff --git a/x b/x" in message
    assert "[tool call]" not in message


def test_fences_are_longer_than_those_in_the_answer() -> None:
    assert "````\nuse ```js\n````" in _request(replace(TRIAL, output="use ```js")).message


def test_without_prompt_and_rubric_three_criteria_count() -> None:
    told = _request(TRIAL).system_message
    assert "1. Task completion" in told
    assert "3. Quality" in told


def test_prompt_and_rubric_are_both_used() -> None:
    told = _request(
        replace(TRIAL, rubric=("Names the answer", "Is short")), prompt="Be strict."
    ).system_message
    assert "Be strict." in told
    assert "1. Names the answer\n2. Is short" in told
    assert "Task completion" not in told


def test_a_prompt_alone_adds_no_default_criteria() -> None:
    assert "# Criteria" not in _request(TRIAL, prompt="Be strict.").system_message


@pytest.mark.parametrize(
    ("own", "of_run", "asked"),
    [("a", "b", "a"), ("", "b", "b"), ("", "", "claude-sonnet-4.6")],
)
def test_the_model_is_the_first_that_is_set(own: str, of_run: str, asked: str) -> None:
    assert _request(replace(TRIAL, judge_model=of_run), model=own).model == asked


def test_only_submit_grade_is_offered() -> None:
    request = _request(TRIAL, scoring="scale_1_10")
    assert [it.name for it in request.tools] == ["submit_grade"]
    assert request.only_these_tools
    assert request.tools[0].parameters["properties"]["score"]["maximum"] == 10


def test_a_reminder_says_what_was_wrong() -> None:
    request = _request(TRIAL)
    assert request.reminder is not None
    assert "have not called" in request.reminder([])
    assert "must be 1 (worst) to 5 (best)" in request.reminder([JudgeCall("submit_grade", {"score": 7})])
    assert (
        request.reminder([JudgeCall("submit_grade", {"score": 7}), JudgeCall("submit_grade", {"score": 2})])
        == ""
    )
    assert request.next_reminder([], 2) == ""


def test_without_a_judge_the_check_fails_and_the_run_goes_on() -> None:
    result = _graded(TRIAL).result
    assert (result.score, result.passed, result.status, result.kind) == (0.0, False, "error", "llm")
    assert "no judge is configured" in result.feedback


@pytest.mark.parametrize(
    ("points", "scoring", "score"),
    [
        (3, "scale_1_5", 0.5),
        (5.5, "scale_1_10", 0.5),
        (1, "scale_1_5", 0),
        (10, "scale_1_10", 1),
        (0, "binary", 0),
    ],
)
def test_points_become_scores(points: float, scoring: str, score: float) -> None:
    assert score_of_points(points, SCALES[scoring]) == score


def test_the_alternative_formula() -> None:
    assert score_of_points(4.2, SCALES["scale_1_5"], "share") == pytest.approx(0.84)


class Clock:
    """A clock that advances only during sleep."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def _failing(*faults: bool, each_takes: float = 0.0, clock: Clock | None = None) -> Callable[[], str]:
    left = list(faults)

    def ask() -> str:
        if clock:
            clock.now += each_takes
        if left:
            raise JudgeError("busy", transient=left.pop(0))
        return "answer"

    return ask


def test_transient_errors_are_retried() -> None:
    clock = Clock()
    assert with_retries(_failing(True, True), clock.sleep, clock, lambda: 0.5) == "answer"
    assert clock.pauses == [5.5, 10.5]


def test_there_are_three_attempts() -> None:
    clock = Clock()
    with pytest.raises(JudgeError):
        with_retries(_failing(True, True, True), clock.sleep, clock, lambda: 0)
    assert clock.pauses == [5, 10]


def test_permanent_errors_are_not_retried() -> None:
    clock = Clock()
    with pytest.raises(JudgeError):
        with_retries(_failing(False), clock.sleep, clock, lambda: 0)
    assert clock.pauses == []


def test_retries_stop_after_ten_minutes() -> None:
    clock = Clock()
    with pytest.raises(JudgeError):
        with_retries(_failing(True, True, each_takes=597, clock=clock), clock.sleep, clock, lambda: 0)
    assert clock.pauses == []


def test_the_grader_sleeps_through_its_context() -> None:
    def busy(_: JudgeRequest) -> JudgeTurn:
        raise JudgeError("busy", transient=True)

    pauses: list[float] = []
    result = _graded(replace(TRIAL, judge=Judge(busy), sleep=pauses.append)).result
    assert (result.score, result.passed, result.status, len(pauses)) == (0.0, False, "", 2)
    assert 5 <= pauses[0] <= 6
    assert 10 <= pauses[1] <= 11


def test_a_panel_asks_each_model() -> None:
    judge = Judge()
    verdict = _graded(replace(TRIAL, judge=judge), "panel", models=["a", "b", "c"])
    assert sorted(it.model for it in judge.requests) == ["a", "b", "c"]
    assert [it.name for it in verdict.result.criteria] == ["a", "b", "c"]


def test_swapped_order_swaps_the_trials() -> None:
    choice = {"winner": "A", "magnitude": "much-better", "reasoning": "r", "criteria": []}
    judge = Judge(lambda _: JudgeTurn([JudgeCall("submit_pairwise_grade", choice)]))
    context = replace(TRIAL, judge=judge, compared=replace(TRIAL, output="It is 43."))
    result = _graded(context, "pairwise").result
    first, second = (it.message for it in judge.requests)
    assert first.index("It is 42.") < first.index("It is 43.")
    assert second.rindex("It is 43.") < second.rindex("It is 42.")
    assert (result.score, result.details and result.details["consistent"]) == (0.5, False)


def test_the_result_in_vallys_format() -> None:
    grade = {
        "score": 4,
        "reasoning": "good",
        "criteria": [{"name": "tone", "score": 5, "reasoning": "kind"}],
    }
    verdict = _graded(replace(TRIAL, judge=Judge(lambda _: JudgeTurn([JudgeCall("submit_grade", grade)]))))
    told = result_members(verdict)
    assert told["kind"] == "llm"
    assert (told["name"], told["score"], told["passed"], told["evidence"]) == ("prompt", 0.75, True, "good")
    assert told["details"] == [
        {
            "name": "tone",
            "kind": "llm",
            "passed": True,
            "score": 1.0,
            "evidence": "kind",
            "metadata": {"points": 5.0},
        }
    ]
    assert told["metadata"]["model"] == "claude-sonnet-4.6"
    assert "status" not in told


def test_long_texts_keep_head_and_tail() -> None:
    text = timeline([{"type": "tool_result", "data": {"result": "a" * 9000 + "z"}}])
    assert len(text) < 4200
    assert text.startswith("[tool result] aaa")
    assert text.endswith("z")
    assert "characters left out" in text


def test_an_undecided_result_is_a_failure() -> None:
    result = GraderResult.undecided("why")
    assert (result.score, result.passed, result.status) == (0.0, False, "error")
