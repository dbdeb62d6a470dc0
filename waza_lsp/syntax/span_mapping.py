"""Map spans from one version of a text to a later one.

Two versions differ in one span: spans before it stay, spans after it move, spans that it touches are dropped. So the
versions in between, and the way an editor sends its changes, do not matter.
"""

from collections.abc import Sequence
from typing import NamedTuple

from waza_lsp.syntax.text import Place, Span


class Change(NamedTuple):
    """The text from `start` to `old_end` became `new`, which ends at `new_end`."""

    start: Place
    old_end: Place
    new_end: Place
    new: str


_last: tuple[Sequence[str], Sequence[str], Change | None] = ((), (), None)
"""The texts that were compared last, and their change."""


def change_between(before: Sequence[str], after: Sequence[str]) -> Change | None:
    """Return the one span in which two texts differ; None if they are equal. The lists must not change later."""
    # Several parts of the server ask about each edit. Only one assignment: they may do so in several threads.
    global _last  # noqa: PLW0603  # a memory of one
    known = _last
    if before is after:
        return None
    if known[0] is not before or known[1] is not after:
        _last = known = before, after, _change_between(before, after)
    return known[2]


def _change_between(before: Sequence[str], after: Sequence[str]) -> Change | None:
    top = _common_length(before, after)
    if top == len(before) == len(after):
        return None
    most = min(len(before), len(after)) - top
    bottom = min(
        _common_length(before[: top - 1 if top else None : -1], after[: top - 1 if top else None : -1]), most
    )
    old, new = "".join(before[top : len(before) - bottom]), "".join(after[top : len(after) - bottom])
    head = _common_length(old, new)
    if old[head - 1 : head] == "\r" and "\n" in {old[head : head + 1], new[head : head + 1]}:
        head -= 1  # No place is between a CR and its LF.
    tail = min(_common_length(old[::-1], new[::-1]), min(len(old), len(new)) - head)
    if tail and old[-tail] == "\n" and "\r" in {old[-tail - 1 : -tail], new[-tail - 1 : -tail]}:
        tail -= 1
    return Change(
        _place(top, old, head),
        _place(top, old, len(old) - tail),
        _place(top, new, len(new) - tail),
        new[head : len(new) - tail],
    )


def map_span(span: Span, change: Change | None) -> Span | None:
    """Return a span as it is after the change; None if the change touches it.

    Typing directly after a word touches it. A new line after or above it does not.
    """
    if change is None or span.end < change.start:
        return span
    if span.end == change.start == change.old_end and change.new.startswith(("\n", "\r")):
        return span
    new_lines_above = change.start.line < change.new_end.line and change.new_end.column == span.start.column
    if span.start > change.old_end or (span.start == change.old_end and new_lines_above):
        return Span(_shift(span.start, change), _shift(span.end, change))
    return None


def _shift(place: Place, change: Change) -> Place:
    lines = change.new_end.line - change.old_end.line
    if place.line > change.old_end.line:
        return Place(place.line + lines, place.column)
    return Place(place.line + lines, place.column - change.old_end.column + change.new_end.column)


def _common_length(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of equal elements at the start of two sequences."""
    most = min(len(one), len(other))
    if one[:most] == other[:most]:
        return most
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _place(top: int, text: str, offset: int) -> Place:
    before = text[:offset]
    lines = before.count("\n") + before.count("\r") - before.count("\r\n")
    last = max(before.rfind("\n"), before.rfind("\r")) + 1
    return Place(top + lines, offset - last)
