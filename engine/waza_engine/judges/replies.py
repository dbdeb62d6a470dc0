"""Getting a score out of what a judge wrote freely.

Reading a judge's JSON reply that gives 1 to 5 points.

See docs/reference/waza-graders.md, sections 7.9, 7.10 and 13.13.
"""

import json
import re
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from pydantic import TypeAdapter, ValidationError

from waza_engine.graders.base import GradeError
from waza_engine.model.judge import JudgeError

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


_FENCE = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?")


def json_object(text: str) -> dict[str, Any] | None:
    """The one JSON object that `text` is, alone or in a code fence; None when it is none."""
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
    """The JSON value that a judge's reply is, or the object that it has in a code fence.

    Raises:
        JudgeError: there is neither.

    """
    try:
        return json.loads(text)
    except ValueError as error:
        if (reply := json_object(text)) is not None:
            return reply
        raise JudgeError(f"the judge's reply is no JSON: {text[:200]}") from error


def score_in(reply: Mapping[str, Any]) -> float | None:
    """The score of a JSON reply: a total if it has one, else the mean of its single scores, else of its numbers."""
    numbers = {name: float(it) for name, it in reply.items() if _is_number(it)}
    for name in ("overall_score", "score"):
        if name in numbers:
            return numbers[name]
    scores = [it for name, it in numbers.items() if name.endswith("_score")] or list(numbers.values())
    return fmean(scores) if scores else None


def first_number(text: str) -> float | None:
    """The first number in `text`."""
    found = _NUMBER.search(text)
    return float(found[0]) if found else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
