"""vally's constraints as waza's graders: what a run must not exceed, or must or must not use.

See docs/reference/vally.md, section 3.
"""

import math

from waza_engine.graders.base import Grader
from waza_engine.graders.waza.behavior import BehaviorGrader
from waza_engine.graders.waza.skill_invocation import SkillInvocationGrader
from waza_engine.graders.waza.tool_calls import ToolCallsGrader
from waza_engine.suite import Constraint


def grader_of_constraint(constraint: Constraint) -> Grader | None:
    """The waza grader that passes when the constraint holds; None when there is none."""
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
