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
            found: _Made = entry.made[
                make
            ]  # It is there nearly always, and asked for of all entries at every edit.
        except AttributeError:
            entry.made = {}
        except KeyError:
            pass
        else:
            return found
        found = entry.made[make] = make(entry)
        return found

    return remembered
