"""The syntax tree of a JavaScript regular expression, and sets of UTF-16 code units.

Without the flag `u` a pattern matches code units, so the sets contain these. The parser resolves the flag `i`: it adds
the other case to each set, and only back-references remember the flag. Two units are the same letter if `toUpperCase`
maps them to the same single unit; an ASCII letter never equals one that is not ASCII (ECMAScript, Canonicalize).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

Units = tuple[tuple[int, int], ...]
"""Sorted ranges that neither touch nor overlap. Both ends are included."""

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


def union(ranges: Iterable[tuple[int, int]]) -> Units:
    """Return the union of ranges in any order."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return tuple(found)


def complement(units: Units) -> Units:
    """Return all other units."""
    found: list[tuple[int, int]] = []
    start = 0
    for low, high in units:
        if low > start:
            found.append((start, low - 1))
        start = high + 1
    if start <= LAST_UNIT:
        found.append((start, LAST_UNIT))
    return tuple(found)


def with_all_cases(units: Units) -> Units:
    """Return the set with both cases of its letters."""
    found = list(units)
    for low, high in units:
        for letters, other in (((0x41, 0x5A), 0x20), ((0x61, 0x7A), -0x20)):
            first, last = max(low, letters[0]), min(high, letters[1])
            if first <= last:
                found.append((first + other, last + other))
        if high > 0x7F:
            found += _other_cases(max(low, 0x80), high)
    return union(found)


def _other_cases(low: int, high: int) -> Iterable[tuple[int, int]]:
    families = _case_families()
    if high - low < len(families):
        members = {it for unit in range(low, high + 1) for it in families.get(unit, ())}
    else:
        members = {it for unit, family in families.items() if low <= unit <= high for it in family}
    return [(it, it) for it in members]


@cache
def _case_families() -> dict[int, tuple[int, ...]]:
    """Return, for each unit outside ASCII that has other cases, all units that are the same letter."""
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
    """JavaScript refuses the pattern. `position` counts characters of the pattern."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


@dataclass(frozen=True, slots=True)
class JsNote:
    """A valid part of a pattern that is misleading, or that some JavaScript versions refuse.

    `start` and `end` count characters of the pattern.
    """

    message: str
    start: int
    end: int


class AssertionKind(StrEnum):
    """A condition on a position. It consumes nothing."""

    START = "start"
    END = "end"
    LINE_START = "line start"
    LINE_END = "line end"
    WORD_EDGE = "word edge"
    NO_WORD_EDGE = "no word edge"


@dataclass(frozen=True, slots=True)
class UnitSet:
    """One code unit of a set."""

    units: Units


@dataclass(frozen=True, slots=True)
class Assertion:
    """A check of the position."""

    kind: AssertionKind


@dataclass(frozen=True, slots=True)
class Sequence:
    """All items, one after the other. Without items it matches the empty string."""

    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The first of several options that leads to a match."""

    options: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """The item `low` to `high` times; `high` None is unlimited."""

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
class LookAround:
    """A look-ahead or look-behind."""

    item: "Node"
    ahead: bool
    negative: bool


@dataclass(frozen=True, slots=True)
class BackReference:
    """The capture of a group; the empty string if it has none."""

    number: int
    any_case: bool


Node = UnitSet | Assertion | Sequence | Choice | Repeat | Group | LookAround | BackReference


@dataclass(frozen=True, slots=True)
class Pattern:
    """A whole pattern and the notes on it, in order of their positions."""

    node: Node
    notes: tuple[JsNote, ...] = ()
