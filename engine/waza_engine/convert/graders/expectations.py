"""Convert checks that are no graders: a stimulus' constraints, and the expected texts of a task."""

import math
import re
from collections.abc import Iterator
from typing import Any

from waza_engine.convert.conversion import NotConvertibleError
from waza_engine.dialects.vally.graders.output_contains import OutputContainsGrader
from waza_engine.dialects.vally.graders.output_matches import OutputMatchesGrader
from waza_engine.dialects.vally.graders.output_not_contains import OutputNotContainsGrader
from waza_engine.dialects.waza.graders.behavior import BehaviorGrader
from waza_engine.dialects.waza.graders.skill_invocation import SkillInvocationGrader
from waza_engine.dialects.waza.graders.tool_calls import ToolCallsGrader
from waza_engine.graders.base import Grader
from waza_engine.model.suite import Constraint


def grader_of_constraint(constraint: Constraint) -> Grader | None:
    """Return the waza grader that passes when the constraint holds; None if waza has none."""
    value = constraint.value
    match constraint.key if value else "":
        case "max_tokens":
            return BehaviorGrader(max_tokens=value)
        case "max_duration":
            return BehaviorGrader(max_duration_ms=math.ceil(value))
        case "expect_tools":
            return ToolCallsGrader(required_tools=list(value))
        case "reject_tools" if "*" in value:
            return ToolCallsGrader(max_calls=0)
        case "reject_tools":
            return ToolCallsGrader(forbidden_tools=list(value))
        case "expect_skills":
            return SkillInvocationGrader(
                required_skills=list(dict.fromkeys(value)), mode="any_order", allow_extra=True
            )
        case "reject_skills" if "*" not in value:
            return SkillInvocationGrader(forbidden_skills=list(value))
        case _:
            return None


def checks_as_vally(key: str, value: Any) -> Iterator[Grader]:
    """Yield the vally graders that together pass when a list of expected texts of waza does.

    Raises:
        NotConvertibleError: it is no list of texts.

    """
    texts = [str(it) for it in value] if isinstance(value, list) else []
    if not texts or not all(texts):
        raise NotConvertibleError(f"'expected.{key}' is not a list of texts")
    if key == "output_contains_any":
        yield OutputMatchesGrader(pattern="(?i)" + "|".join(map(_quoted, texts)))
        return
    kind = OutputContainsGrader if key == "output_contains" else OutputNotContainsGrader
    yield from (kind(substring=it) for it in texts)


def _quoted(text: str) -> str:
    return re.sub(r"([\\^$.*+?()\[\]{}|/])", r"\\\1", text)
