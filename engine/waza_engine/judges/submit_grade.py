"""How a judge grades a trial: it calls `submit_grade`, and is reminded when it does not.

See docs/reference/vally.md, section 7.9.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from waza_engine.judges.patience import patiently
from waza_engine.judges.scales import Scale
from waza_engine.judges.votes import hold_turn
from waza_engine.model.judge import Judge, JudgeCall, JudgeError, JudgeRequest, JudgeTool

SUBMIT_GRADE = "submit_grade"


class NoGradeError(JudgeError):
    """The judge answered, and gave no grade that can be read, reminders or not."""


@dataclass(frozen=True, slots=True)
class GradedCriterion:
    """The judge's points for one criterion."""

    name: str
    points: float
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Grade:
    """All points, on the scale of the question; `points` is the judge's own figure for the whole."""

    points: float
    reasoning: str
    criteria: tuple[GradedCriterion, ...]
    usage: Mapping[str, Any] = field(default_factory=dict)


def graded(judge: Judge, request: JudgeRequest, scale: Scale, sleep: Callable[[float], None]) -> Grade:
    """Ask until there is a grade; `request` holds everything but the tool and the reminders.

    With a workspace in it the judge may look around there.

    Raises:
        JudgeError: no grade could be had.

    """
    asked = replace(
        request,
        tools=(_tool(scale),),
        only_these_tools=not request.workspace_dir,
        reminder=lambda calls: _reminder(calls, scale),
        retried=True,
    )
    turn = patiently(lambda: hold_turn(judge, asked), sleep)
    problem = "the judge did not call submit_grade"
    for call in reversed(turn.calls):
        try:
            return replace(_read(call.arguments, scale), usage=turn.usage)
        except ValueError as error:
            problem = f"the judge's call of submit_grade cannot be read: {error}"
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
    """The grade in a call's arguments.

    Raises:
        ValueError: they are not as asked for; the text says why.

    """
    listed = arguments.get("criteria") or []
    if not isinstance(listed, list):
        raise ValueError("'criteria' is no list")  # noqa: TRY004  # bad input, not a bug
    criteria = tuple(_criterion(it, scale) for it in listed)
    if arguments.get("score") is not None:
        points = _points(arguments["score"], "score", scale)
    elif criteria:
        points = fmean(it.points for it in criteria)
    else:
        raise ValueError("it has neither a 'score' nor 'criteria'")
    return Grade(points, _text(arguments.get("reasoning")), criteria)


def _criterion(item: Any, scale: Scale) -> GradedCriterion:
    if not isinstance(item, Mapping):
        raise ValueError("an item of 'criteria' is no object")  # noqa: TRY004  # bad input, not a bug
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
