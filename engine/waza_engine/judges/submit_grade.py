"""vally's judge protocol for a grade: the judge calls `submit_grade`, and gets reminders until it does.

See docs/reference/vally.md, section 7.9.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from waza_engine.judges.patience import with_retries
from waza_engine.judges.scales import Scale
from waza_engine.judges.votes import hold_turn
from waza_engine.model.judge import Judge, JudgeCall, JudgeError, JudgeRequest, JudgeTool

SUBMIT_GRADE = "submit_grade"


class NoGradeError(JudgeError):
    """The judge answered without a readable grade, despite reminders."""


@dataclass(frozen=True, slots=True)
class GradedCriterion:
    """The judge's points for one criterion."""

    name: str
    points: float
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Grade:
    """All points, on the scale of the request; `points` is the judge's own total."""

    points: float
    reasoning: str
    criteria: tuple[GradedCriterion, ...]
    usage: Mapping[str, Any] = field(default_factory=dict)


def request_grade(judge: Judge, request: JudgeRequest, scale: Scale, sleep: Callable[[float], None]) -> Grade:
    """Ask until the judge submits a grade; `request` has everything but the tool and the reminders.

    If the request has a workspace, the judge may read its files.

    Raises:
        JudgeError: the judge gave no grade.

    """
    request = replace(
        request,
        tools=(_tool(scale),),
        only_these_tools=not request.workspace_dir,
        reminder=lambda calls: _reminder(calls, scale),
        retried=True,
    )
    turn = with_retries(lambda: hold_turn(judge, request), sleep)
    problem = "the judge did not call submit_grade"
    for call in reversed(turn.calls):
        try:
            return replace(_read(call.arguments, scale), usage=turn.usage)
        except ValueError as error:
            problem = f"the judge called submit_grade with wrong arguments: {error}"
    raise NoGradeError(problem, turn.calls)


def _tool(scale: Scale) -> JudgeTool:
    points = {
        "type": "number",
        "minimum": scale.low,
        "maximum": scale.high,
        "description": f"Points: {scale.words}.",
    }
    criterion = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "The criterion, in a few words."},
            "score": points,
            "reasoning": {"type": "string", "description": "Why, with what was seen."},
        },
        "required": ["name", "score", "reasoning"],
    }
    parameters = {
        "type": "object",
        "properties": {
            "criteria": {"type": "array", "items": criterion, "description": "One item for each criterion."},
            "score": {**points, "description": f"The work as a whole: {scale.words}."},
            "reasoning": {"type": "string", "description": "The verdict in one or two sentences."},
        },
        "required": ["criteria", "score", "reasoning"],
    }
    return JudgeTool(
        SUBMIT_GRADE,
        "Submit the grade. Call it exactly once, when you have looked at everything.",
        parameters,
    )


def _reminder(calls: Sequence[JudgeCall], scale: Scale) -> str:
    problem = "You have not called submit_grade."
    for call in calls:
        try:
            _read(call.arguments, scale)
        except ValueError as error:
            problem = f"Your call of submit_grade cannot be used: {error}."
        else:
            return ""
    return (
        f"{problem} Call it now, exactly once, with a score and your reasoning for each criterion and for the whole; "
        f"each score is {scale.words}."
    )


def _read(arguments: Mapping[str, Any], scale: Scale) -> Grade:
    """Read the grade from a call's arguments.

    Raises:
        ValueError: the arguments are wrong; the message says why.

    """
    items = arguments.get("criteria") or []
    if not isinstance(items, list):
        raise ValueError("'criteria' is not a list")  # noqa: TRY004  # bad input, not a bug
    criteria = tuple(_criterion(it, scale) for it in items)
    if arguments.get("score") is not None:
        points = _points(arguments["score"], "score", scale)
    elif criteria:
        points = fmean(it.points for it in criteria)
    else:
        raise ValueError("it has neither a 'score' nor 'criteria'")
    return Grade(points, _text(arguments.get("reasoning")), criteria)


def _criterion(item: Any, scale: Scale) -> GradedCriterion:
    if not isinstance(item, Mapping):
        raise ValueError("an item of 'criteria' is not an object")  # noqa: TRY004  # bad input, not a bug
    name = _text(item.get("name"))
    points = _points(item.get("score"), f"score of '{name}'", scale)
    return GradedCriterion(name, points, _text(item.get("reasoning")))


def _points(value: Any, what: str, scale: Scale) -> float:
    if isinstance(value, bool) and scale.whole_only:
        return float(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or not scale.has(value):
        raise ValueError(f"the {what} must be {scale.words}")
    return float(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
