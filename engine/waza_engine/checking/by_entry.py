"""Remembering what a function makes of a grader entry: unchanged entries stay the same objects from edit to edit."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

_Made = TypeVar("_Made")


class Record(dict[str, Any]):
    """A mapping of a file, which nobody changes, with what is remembered of it: that is let go of with the mapping."""

    __slots__ = ("made",)

    made: dict[Callable[..., Any], Any]


def by_entry(make: Callable[[Mapping[str, Any]], _Made]) -> Callable[[Mapping[str, Any]], _Made]:
    """The function, called once for each entry that is a `Record`. It may look at nothing but the entry."""

    def remembered(entry: Mapping[str, Any]) -> _Made:
        if not isinstance(entry, Record):
            return make(entry)
        try:
            made = entry.made
        except AttributeError:
            made = entry.made = {}
        if make not in made:
            made[make] = make(entry)
        found: _Made = made[make]
        return found

    return remembered
