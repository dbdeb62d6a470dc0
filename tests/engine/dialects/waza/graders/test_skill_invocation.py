"""The `skill_invocation` grader: what the vectors do not say (docs/reference/waza-graders.md, section 5.9)."""

from typing import Any

import pytest
from pydantic import ValidationError

from waza_engine.dialects.waza.graders.skill_invocation import SkillInvocationGrader
from waza_engine.graders.base import GraderResult, GradingContext, Scope
from waza_engine.model.trajectory import SkillInvocation


def graded(actual: list[str], **config: Any) -> GraderResult:
    context = GradingContext(skills=[SkillInvocation(name=it) for it in actual])
    return SkillInvocationGrader.model_validate(config).grade(context)


def test_violations_are_unique_and_in_configured_order() -> None:
    result = graded(["b", "a", "b"], forbidden_skills=["a", "c", "b", "a"])
    assert result.details is not None
    assert result.details["forbidden_violations"] == ["a", "b"]
    assert (result.score, result.passed) == (0.0, False)


def test_the_penalty_counts_by_length_also_when_the_match_failed() -> None:
    result = graded(["x", "a", "y"], required_skills=["a", "b"], mode="in_order", allow_extra=False)
    assert result.score == pytest.approx(0.4 * (1 - 0.6 / 3))
    assert not result.passed


def test_null_options_are_the_defaults() -> None:
    assert graded(
        ["a", "x"], required_skills=["a"], mode="any_order", allow_extra=None
    ).score == pytest.approx(2 / 3)
    assert graded([], forbidden_skills=["a"], mode=None).passed


def test_a_missing_mode_forbids_the_run_and_has_a_fix() -> None:
    for mode in ({}, {"mode": None}, {"mode": ""}):
        grader = SkillInvocationGrader.model_validate({"required_skills": ["a"], **mode})
        (finding,) = grader.refusals(Scope())
        assert finding.refused
        assert finding.fixes[0].title == "Add 'mode: any_order'"


@pytest.mark.parametrize("config", [{}, {"forbidden_skills": ["a"], "mode": "Any_order"}])
def test_what_cannot_be_built(config: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        SkillInvocationGrader.model_validate(config)
