"""Graders that only the documentation, or one week in February 2026, knew."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from waza_engine.dialects.waza.graders.tool_constraint import ToolConstraintGrader
from waza_engine.dialects.waza.legacy_graders.rubric_prompt import RubricPromptGrader
from waza_engine.dialects.waza.legacy_graders.tool_constraint_feb import ToolConstraintFebGrader
from waza_engine.graders.base import GradeError, GraderResult, GradingContext
from waza_engine.graders.registry import find_grader
from waza_engine.graders.result import GraderFailure, GraderVerdict
from waza_engine.grading.grade import grade_entry
from waza_engine.model.judge import JudgeError, JudgeRequest, JudgeTurn
from waza_engine.model.trajectory import Session, Usage


class Judge:
    def __init__(self, turn: JudgeTurn | JudgeError) -> None:
        self._turn = turn
        self.request = JudgeRequest("")

    def turn(self, request: JudgeRequest) -> JudgeTurn:
        self.request = request
        if isinstance(self._turn, JudgeError):
            raise self._turn
        return self._turn

    def reply(self, message: str, model: str = "") -> Any:
        raise NotImplementedError


def judged(text: str, rubric: str = "my rubric", **config: Any) -> GraderResult:
    grader = RubricPromptGrader.model_validate({"rubric": rubric, **config})
    return grader.grade(GradingContext(judge=Judge(JudgeTurn(text=text)), output="out", process_dir=Path()))


@pytest.mark.parametrize(
    ("reply", "config", "score", "passed"),
    [
        ('{"overall_score": 4, "score": 1}', {}, 0.75, True),
        ('{"score": 4, "a_score": 1}', {}, 0.75, True),
        ('{"a_score": 3, "b_score": 5, "n": 1}', {}, 0.75, True),
        ('{"a": 2, "b": 4, "c": "x", "d": true}', {}, 0.5, False),
        ('text\n```json\n{"score": 5}\n```', {}, 1.0, True),
        ('{"score": 5, "passed": false}', {}, 1.0, False),
        ('{"score": 0.8}', {"score_type": "raw"}, 0.8, True),
        ('{"score": 3}', {"threshold": 0.5}, 0.5, True),
        ("I give 4.5 of 5", {"response_format": "text"}, 0.875, True),
        ("0.4", {"response_format": "text", "score_type": "raw"}, 0.4, False),
    ],
)
def test_the_reply_becomes_a_score(reply: str, config: dict[str, Any], score: float, passed: bool) -> None:
    result = judged(reply, **config)
    assert result.score == pytest.approx(score)
    assert result.passed is passed


@pytest.mark.parametrize("reply", ["", "4", "{}", '{"score": "4"}', '{"score": 9}', "[4]"])
def test_an_unusable_reply_fails(reply: str) -> None:
    result = judged(reply)
    assert (result.score, result.passed) == (0.0, False)
    assert "no usable score" in result.feedback


def test_a_template_brings_its_own_scale() -> None:
    assert judged('{"flagged": true, "explanation": "broke it"}', "task_adherence").score == 0.0
    assert judged('{"flagged": false}', "task_adherence").passed
    assert judged('{"success": true}', "task_completion").score == 1.0
    assert not judged('{"overall_score": 5}', "tool_selection").passed


def test_the_judge_gets_rubric_task_and_output(tmp_path: Path) -> None:
    (tmp_path / "r.md").write_text("rhyme")
    judge = Judge(JudgeTurn(text='{"score": 5}'))
    context = GradingContext(judge=judge, prompt="task", output="out", process_dir=tmp_path)
    RubricPromptGrader(rubric="r.md").grade(context)
    assert judge.request.message == "rhyme\n\n---\n\n## Task input\ntask\n\n## Candidate output\nout\n"
    assert judge.request.model == "gpt-4o-mini"


@pytest.mark.parametrize("turn", [JudgeError("boom"), JudgeTurn(error="boom")])
def test_a_judge_that_fails_gives_no_verdict(turn: JudgeTurn | JudgeError) -> None:
    with pytest.raises(GradeError, match="boom"):
        RubricPromptGrader(rubric="r").grade(GradingContext(judge=Judge(turn)))
    with pytest.raises(GradeError, match="No judge"):
        RubricPromptGrader(rubric="r").grade(GradingContext())


SESSION = Session(tools_used=["bash", "edit"], usage=Usage(turns=3, input_tokens=70, output_tokens=30))


def constrained(session: Session | None = SESSION, **config: Any) -> GraderResult:
    return ToolConstraintFebGrader.model_validate(config).grade(GradingContext(session=session))


@pytest.mark.parametrize(
    ("config", "score"),
    [
        ({"expect_tools": ["bash"], "reject_tools": ["rm"], "max_turns": 3, "max_tokens": 100}, 1.0),
        ({"expect_tools": ["Bash", "edit"], "reject_tools": ["bash"]}, 1 / 3),
        ({"max_turns": 2, "max_tokens": 99}, 0.0),
        ({"expect_tools": ["bash"], "max_turns": -1}, 1.0),
        ({"max_turns": -1}, 1.0),
    ],
)
def test_names_and_limits_are_one_check_each(config: dict[str, Any], score: float) -> None:
    result = constrained(**config)
    assert result.score == pytest.approx(score)
    assert result.passed is (score == 1.0)


def test_unknown_usage_counts_as_0_and_no_session_fails() -> None:
    assert constrained(Session(), max_turns=1, max_tokens=1).passed
    assert constrained(None, max_turns=1).score == 0.0


@pytest.mark.parametrize("config", [{}, {"expect_tools": [], "max_turns": 0}])
def test_nothing_to_check_is_refused(config: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ToolConstraintFebGrader.model_validate(config)


@pytest.mark.parametrize(
    ("config", "generation", "kind"),
    [
        ({"expect_tools": ["bash"]}, "G1", ToolConstraintFebGrader),
        ({"max_turns": 3}, "G1", ToolConstraintFebGrader),
        ({"Max_Tokens": 3, "expect_tools": []}, "G1", ToolConstraintFebGrader),
        ({"expect_tools": [{"tool": "bash"}, "rm"]}, "G1", ToolConstraintFebGrader),
        # The limits were passed over as soon as there were mappings.
        ({"expect_tools": [{"tool": "bash"}], "max_turns": 3}, "G1", ToolConstraintGrader),
        ({"expect_tools": []}, "G1", ToolConstraintGrader),
        (None, "G1", ToolConstraintGrader),
        ({"expect_tools": ["bash"]}, "G2+G3", ToolConstraintGrader),
    ],
)
def test_the_config_tells_which_of_two_meanings_a_type_has(config: Any, generation: str, kind: Any) -> None:
    assert find_grader("tool_constraint", generation, config) is kind


def test_an_entry_of_february_is_graded_as_it_was() -> None:
    config = {"expect_tools": ["bash", "Bash"], "max_turns": 3}
    entry = {"type": "tool_constraint", "name": "a", "config": config}
    context = GradingContext(session=Session(tools_used=["bash"], usage=Usage(turns=3)))
    verdict = grade_entry(entry, context, "G1")
    assert isinstance(verdict, GraderVerdict)
    assert verdict.result.score == pytest.approx(2 / 3)
    assert isinstance(grade_entry(entry, context), GraderFailure)
