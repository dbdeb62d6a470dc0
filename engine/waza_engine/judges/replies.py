"""Read scores from a judge's reply: JSON with 1 to 5 points, or free text.

See docs/reference/waza-graders.md, sections 7.9, 7.10 and 13.13.
"""

import json
import re
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from pydantic import TypeAdapter, ValidationError

from waza_engine.graders.base import InfrastructureError
from waza_engine.model.judge import JudgeError

_FLAG = TypeAdapter(bool)
_POINTS_WHEN_MISSING = 3
_FENCE = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?")


def reply_mapping(reply: Any) -> Mapping[str, Any]:
    """Return the reply, which must be an object.

    Raises:
        InfrastructureError: it is not an object.

    """
    if not isinstance(reply, Mapping):
        raise InfrastructureError("The judge's reply is not a JSON object")
    return reply


def points_of(reply: Mapping[str, Any]) -> float:
    """Return the reply's `score`; 3 if it is missing.

    Raises:
        InfrastructureError: it is not a number.

    """
    points = reply.get("score", _POINTS_WHEN_MISSING)
    if not isinstance(points, (int, float)):
        raise InfrastructureError(f"The judge's score is not a number: {points!r}")
    return points


def score_of_points(points: float) -> float:
    """Convert 1 to 5 points to a score of 0 to 1."""
    return (points - 1) / 4


def reasoning_of(reply: Mapping[str, Any]) -> str:
    """Return the reply's `reasoning`.

    Raises:
        InfrastructureError: it is not a string.

    """
    reasoning = reply.get("reasoning", "")
    if not isinstance(reasoning, str):
        raise InfrastructureError("The judge's reasoning is not a string")
    return reasoning


def flag_of(reply: Mapping[str, Any], name: str) -> bool:
    """Return the reply's member `name` as a boolean; the usual words for booleans count too.

    Raises:
        InfrastructureError: it is not a boolean.

    """
    try:
        return _FLAG.validate_python(reply.get(name))
    except ValidationError as error:
        raise InfrastructureError(f"The judge's '{name}' is not a boolean") from error


def json_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object that `text` is, or contains in a code fence; None without one."""
    fenced = _FENCE.search(text)
    for candidate in (text, fenced[1] if fenced else ""):
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    return None


def json_reply(text: str) -> Any:
    """Return the JSON value that a judge's reply is, or the object in its code fence.

    Raises:
        JudgeError: the reply contains neither.

    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        if (reply := json_object(text)) is not None:
            return reply
        raise JudgeError(f"the judge's reply is not valid JSON: {text[:200]}") from error


def score_in(reply: Mapping[str, Any]) -> float | None:
    """Return the score of a JSON reply: its total, else the mean of its scores, else the mean of its numbers."""
    numbers = {name: float(it) for name, it in reply.items() if _is_number(it)}
    for name in ("overall_score", "score"):
        if name in numbers:
            return numbers[name]
    scores = [it for name, it in numbers.items() if name.endswith("_score")] or list(numbers.values())
    return fmean(scores) if scores else None


def first_number(text: str) -> float | None:
    """Return the first number in `text`."""
    found = _NUMBER.search(text)
    return float(found[0]) if found else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
