"""A JavaScript regular expression as data: what the parser makes and the two writers read.

Sets are sets of UTF-16 code units, because that is what a JavaScript pattern without the flag `u` matches. Upper and
lower case are already in the sets: no node knows the flag `i` but a back-reference.

Sets of UTF-16 code units as sorted ranges, and JavaScript's idea of upper and lower case.

Without the flag `u` two units are the same letter when `toUpperCase` makes them the same single unit; an ASCII letter
is never the same as one that is not ASCII (ECMAScript, Canonicalize).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

Units = tuple[tuple[int, int], ...]
"""Sorted ranges that neither touch nor overlap, both ends included."""

LAST_UNIT = 0xFFFF
DIGITS: Units = ((0x30, 0x39),)
WORD: Units = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
LINE_ENDS: Units = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))
SPACE: Units = (
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
)
"""`\\s`: white space, line ends and the byte order mark."""


def joined(ranges: Iterable[tuple[int, int]]) -> Units:
    """One set out of ranges in any order."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return tuple(found)


def without(units: Units) -> Units:
    """All other units."""
    found: list[tuple[int, int]] = []
    start = 0
    for low, high in units:
        if low > start:
            found.append((start, low - 1))
        start = high + 1
    if start <= LAST_UNIT:
        found.append((start, LAST_UNIT))
    return tuple(found)


def in_any_case(units: Units) -> Units:
    """The set with all units that are the same letters."""
    found = list(units)
    for low, high in units:
        for letters, other in (((0x41, 0x5A), 0x20), ((0x61, 0x7A), -0x20)):
            first, last = max(low, letters[0]), min(high, letters[1])
            if first <= last:
                found.append((first + other, last + other))
        if high > 0x7F:
            found += _other_letters(max(low, 0x80), high)
    return joined(found)


def _other_letters(low: int, high: int) -> Iterable[tuple[int, int]]:
    families = _families()
    if high - low < len(families):
        members = {it for unit in range(low, high + 1) for it in families.get(unit, ())}
    else:
        members = {it for unit, family in families.items() if low <= unit <= high for it in family}
    return [(it, it) for it in members]


@cache
def _families() -> dict[int, tuple[int, ...]]:
    """For each unit outside ASCII that has other cases: all units that are the same letter."""
    by_letter: dict[int, list[int]] = {}
    for unit in range(0x80, LAST_UNIT + 1):
        if not 0xD800 <= unit <= 0xDFFF:
            by_letter.setdefault(_canonical(unit), []).append(unit)
    return {it: tuple(family) for family in by_letter.values() if len(family) > 1 for it in family}


def _canonical(unit: int) -> int:
    upper = chr(unit).upper()
    if len(upper) != 1 or not 0x80 <= ord(upper) <= LAST_UNIT:
        return unit
    return ord(upper)


class JsPatternError(ValueError):
    """A pattern that JavaScript refuses. `position` counts characters of the pattern as it was given."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


@dataclass(frozen=True, slots=True)
class JsNote:
    """Something valid that does not mean what it looks like, or not in every version of JavaScript.

    `start` and `end` are characters of the pattern as it was given.
    """

    message: str
    start: int
    end: int


class Place(StrEnum):
    """A condition on a position that consumes nothing."""

    START = "start"
    END = "end"
    LINE_START = "line start"
    LINE_END = "line end"
    WORD_EDGE = "word edge"
    NO_WORD_EDGE = "no word edge"


@dataclass(frozen=True, slots=True)
class One:
    """One code unit out of a set."""

    units: Units


@dataclass(frozen=True, slots=True)
class At:
    """A position."""

    place: Place


@dataclass(frozen=True, slots=True)
class Sequence:
    """All items, one after the other; none: the empty text."""

    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The first option that leads to a match."""

    options: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """`low` to `high` times (None: any number)."""

    item: "Node"
    low: int
    high: int | None
    greedy: bool


@dataclass(frozen=True, slots=True)
class Group:
    """A capturing group; numbers count from 1."""

    item: "Node"
    number: int


@dataclass(frozen=True, slots=True)
class Look:
    """A look-ahead or look-behind."""

    item: "Node"
    ahead: bool
    negative: bool


@dataclass(frozen=True, slots=True)
class Back:
    """What a group has captured; the empty text when it has captured nothing."""

    number: int
    any_case: bool


Node = One | At | Sequence | Choice | Repeat | Group | Look | Back


@dataclass(frozen=True, slots=True)
class Pattern:
    """A whole pattern. `notes` are about what it says, in the order of their places."""

    node: Node
    notes: tuple[JsNote, ...] = ()
