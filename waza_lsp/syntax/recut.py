"""Cutting only where an edit was: most edits stay inside the items of one top-level list."""

from bisect import bisect_right
from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

from waza_lsp.syntax.cut import Cut, PieceKind, items_in, starts_nothing

_START = itemgetter(1)


class Recut(NamedTuple):
    """The pieces from `first` up to, not including, `last` give way to `cuts`."""

    first: int
    last: int
    cuts: list[Cut]


def recut(
    lines: Sequence[str],
    pieces: Sequence[tuple[PieceKind, int, int, object]],
    count: int,
    same: tuple[int, int],
) -> Recut | None:
    """New cuts for the items that an edit touched; None where more than these may be cut in another way.

    Args:
        lines: the text after the edit.
        pieces: kinds, starts and ends of the pieces before it, none of them joined.
        count: how many lines there were.
        same: how many lines at the top and at the bottom are those from before.

    """
    top, bottom = same
    shift = len(lines) - count
    first = bisect_right(pieces, max(top - 1, 0), key=_START) - 1
    last = bisect_right(pieces, max(count - bottom - 1, top, 0), key=_START)
    # The first item of a list decides in which column the others have their dashes.
    if first < 1 or any(it[0] is not PieceKind.ITEM for it in pieces[first - 1 : last]):
        return None
    start, end = pieces[first][1], pieces[last - 1][2] + shift
    if not all(map(starts_nothing, lines[start:end])):
        return None
    dash = lines[pieces[first - 1][1]]
    cuts = items_in(lines, start, end, len(dash) - len(dash.lstrip(" ")))
    return (
        Recut(first, last, cuts)
        if cuts and cuts[0].start == start and cuts[0].kind is PieceKind.ITEM
        else None
    )
