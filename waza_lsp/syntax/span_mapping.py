"""Carrying stretches of text from one version of a text to a later one, for findings that took long to make.

Two texts differ in one stretch: what lies before it stays, what lies after it moves, what it touches is gone. So
the versions in between need not be known, and it does not matter how an editor sends its changes.
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


def change_between(before: Sequence[str], after: Sequence[str]) -> Change | None:
    """The one stretch in which two texts differ; None when they are the same."""
    top = _same(before, after)
    if top == len(before) == len(after):
        return None
    most = min(len(before), len(after)) - top
    bottom = min(_same(before[: top - 1 if top else None : -1], after[: top - 1 if top else None : -1]), most)
    old, new = "".join(before[top : len(before) - bottom]), "".join(after[top : len(after) - bottom])
    head = _same(old, new)
    if old[head - 1 : head] == "\r" and "\n" in {old[head : head + 1], new[head : head + 1]}:
        head -= 1  # Between a CR and its LF there is no place.
    tail = min(_same(old[::-1], new[::-1]), min(len(old), len(new)) - head)
    if tail and old[-tail] == "\n" and "\r" in {old[-tail - 1 : -tail], new[-tail - 1 : -tail]}:
        tail -= 1
    return Change(
        _place(top, old, head),
        _place(top, old, len(old) - tail),
        _place(top, new, len(new) - tail),
        new[head : len(new) - tail],
    )


def carried(span: Span, change: Change | None) -> Span | None:
    """Where a stretch stands after the change; None when the change touched it.

    Typing right behind a word touches it. A new line behind or above it does not.
    """
    if change is None or span.end < change.start:
        return span
    if span.end == change.start == change.old_end and change.new.startswith(("\n", "\r")):
        return span
    new_lines_above = change.start.line < change.new_end.line and change.new_end.column == span.start.column
    if span.start > change.old_end or (span.start == change.old_end and new_lines_above):
        return Span(_moved(span.start, change), _moved(span.end, change))
    return None


def _moved(place: Place, change: Change) -> Place:
    lines = change.new_end.line - change.old_end.line
    if place.line > change.old_end.line:
        return Place(place.line + lines, place.column)
    return Place(place.line + lines, place.column - change.old_end.column + change.new_end.column)


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    """How many elements two sequences have in common at their start."""
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
