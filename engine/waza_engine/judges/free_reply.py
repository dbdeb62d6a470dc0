"""Getting a score out of what a judge wrote freely."""

import json
import re
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from waza_engine.judges.base import JudgeError

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
