"""Reading a judge's JSON reply that gives 1 to 5 points.

See docs/reference/waza-graders.md, sections 7.9, 7.10 and 13.13.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from waza_engine.graders.base import GradeError

_FLAG = TypeAdapter(bool)
_POINTS_WHEN_MISSING = 3


def reply_mapping(reply: Any) -> Mapping[str, Any]:
    """The reply as an object.

    Raises:
        GradeError: it is none.

    """
    if not isinstance(reply, Mapping):
        raise GradeError("The judge's reply is no JSON object")
    return reply


def points_of(reply: Mapping[str, Any]) -> float:
    """The reply's `score`; 3 when it has none.

    Raises:
        GradeError: it is no number.

    """
    points = reply.get("score", _POINTS_WHEN_MISSING)
    if not isinstance(points, (int, float)):
        raise GradeError(f"The judge's score is no number: {points!r}")
    return points


def normalised(points: float) -> float:
    """Points of 1 to 5 as a score of 0 to 1."""
    return (points - 1) / 4


def reasoning_of(reply: Mapping[str, Any]) -> str:
    """The reply's `reasoning`.

    Raises:
        GradeError: it is no text.

    """
    reasoning = reply.get("reasoning", "")
    if not isinstance(reasoning, str):
        raise GradeError("The judge's reasoning is no text")
    return reasoning


def flag_of(reply: Mapping[str, Any], name: str) -> bool:
    """The reply's member `name` as a boolean, with the usual words for one.

    Raises:
        GradeError: it is none.

    """
    try:
        return _FLAG.validate_python(reply.get(name))
    except ValidationError as error:
        raise GradeError(f"The judge's '{name}' is no boolean") from error
