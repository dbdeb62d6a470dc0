"""Find out from its options whether a check demands something, forbids something, or only sets limits.

No dialect is named: all of them call such options and types by the same words.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.suite import GraderEntry

_FORBIDS = re.compile(
    r"^(?:disallow|forbid|forbidden|reject|banned|prohibit|not_|no_|never|exclude)|_not_", re.IGNORECASE
)
_LIMITS = re.compile(r"^(?:max|limit)(?:_|$)", re.IGNORECASE)
_NEUTRAL = frozenset(["name", "description", "mode", "threshold", "path", "negate", "metric", "match"])
_NEGATIVE = "negative"


def demands(entry: GraderEntry) -> bool:
    """Whether a grader wants something to be there: a text, a call, a file."""
    if _forbids_by_type(entry) or _is_negative(entry):
        return False
    return any(_is_demand(key, it) for key, it in options(entry).items())


def only_limits(entry: GraderEntry) -> bool:
    """Whether a grader only limits figures, such as tokens or time."""
    told = [it for it in options(entry) if it not in _NEUTRAL]
    return bool(told) and all(map(_LIMITS.search, told))


def forbids_deeds(entry: GraderEntry) -> bool:
    """Whether a grader only forbids calls, skills or changes."""
    found = options(entry)
    if _is_negative(entry):
        return True
    if _forbids_by_type(entry):
        return not found
    told = [it for it in found if it not in _NEUTRAL]
    is_about_calls = any("tool" in it or "skill" in it for it in (entry.type, *told))
    return is_about_calls and bool(told) and all(forbids(it) or _is_zero(it, found[it]) for it in told)


def forbids(key: str) -> bool:
    """Whether an option of this name lists what must not be."""
    return _FORBIDS.search(key) is not None


def options(entry: GraderEntry) -> dict[str, Any]:
    """Return the options of a grader that have a value."""
    config = plain(entry.config)
    if not isinstance(config, Mapping):
        return {}
    return {str(key): it for key, it in config.items() if it not in (None, [], {}, "")}


def _forbids_by_type(entry: GraderEntry) -> bool:
    """Whether the type itself says that something must not be there: `output-not-contains`, `diff-empty`."""
    words = re.split(r"[-_]", entry.type)
    return "not" in words or "empty" in words or options(entry).get("negate") is True


def _is_negative(entry: GraderEntry) -> bool:
    return options(entry).get("mode") == _NEGATIVE


def _is_demand(key: str, value: Any) -> bool:
    if key in _NEUTRAL or forbids(key) or _LIMITS.search(key):
        return False
    if isinstance(value, Sequence) and value and all(isinstance(it, Mapping) for it in value):
        return any(_is_demand(str(inner), each) for it in value for inner, each in it.items())
    return True


def _is_zero(key: str, value: Any) -> bool:
    return bool(_LIMITS.search(key)) and value == 0
