"""Remembering what a function makes of a grader entry: unchanged entries stay the same objects from edit to edit."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

_Made = TypeVar("_Made")
_MOST = 8192


def by_entry(make: Callable[[Mapping[str, Any]], _Made]) -> Callable[[Mapping[str, Any]], _Made]:
    """The function, called once for each entry. It may look at nothing but the entry, which nobody may change."""
    made: dict[int, tuple[Mapping[str, Any], _Made]] = {}

    def remembered(entry: Mapping[str, Any]) -> _Made:
        found = made.get(id(entry))
        if found is None or found[0] is not entry:
            if len(made) >= _MOST:
                made.clear()
            found = made[id(entry)] = (entry, make(entry))
        return found[1]

    return remembered
