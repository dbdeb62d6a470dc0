"""A JavaScript regular expression as data: what the parser makes and the two writers read.

Sets are sets of UTF-16 code units, because that is what a JavaScript pattern without the flag `u` matches. Upper and
lower case are already in the sets: no node knows the flag `i` but a back-reference.
"""

from dataclasses import dataclass
from enum import StrEnum

from waza_engine.js_regex.units import Units


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
