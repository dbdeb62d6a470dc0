"""The pieces of a text: whole lines, parsed on their own.

Equal lines are parsed once. A piece, with all that others remember at its nodes, lives as long as a tree holds it, and
a while longer, so that an edit that is taken back costs nothing.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple
from weakref import WeakValueDictionary

from waza_lsp.syntax.errors.messages import stray
from waza_lsp.syntax.tree.parse import Parsed, parse
from waza_lsp.syntax.tree.split import Cut, PieceKind, directive_problem

_MOST_JOINED = 3
_MOST_RECENT = 128
_LONGEST_RECENT = 2_000
"""Characters. What was parsed needs some fifty times its text."""
_A_PLACE = 500
"""Characters for which a piece takes one of the places of those parsed last: long ones are held for a shorter time."""


class Piece(NamedTuple):
    """Whole lines of the text, parsed on their own. Places inside count from line `start`."""

    kind: PieceKind
    start: int
    end: int
    parsed: Parsed

    def shifted(self, lines: int) -> "Piece":
        """The same piece `lines` further down."""
        return Piece(self.kind, self.start + lines, self.end + lines, self.parsed)


def piece_of(lines: Sequence[str], it: Cut) -> Piece:
    """The piece at a cut of the text."""
    if it.kind is PieceKind.SKIPPED:
        problem = directive_problem("".join(lines[it.start : it.end]))
        return Piece(*it, Parsed(None, (problem,)) if problem is not None else _NOTHING)
    parsed = _parsed("".join(lines[it.start : it.end]))
    if it.kind is PieceKind.STRAY and not (parsed.problems or _begins_with_template(parsed)):
        parsed = replace(parsed, problems=(stray(lines[it.start : it.end]),))
    return Piece(*it, parsed)


def _begins_with_template(parsed: Parsed) -> bool:
    """Whether the key of a line is a template, of which more cannot be said than that it needs quotes."""
    root = parsed.root
    return root is not None and bool(root.pairs) and root.pairs[0][0] in parsed.templates


def pieces_of(
    lines: Sequence[str], cuts: Sequence[Cut], before: Sequence[Piece], count: int, same: tuple[int, int]
) -> Iterator[Piece]:
    """All pieces of a text, those of the version `before`, which had `count` lines, where they are the `same`."""
    top, bottom = same
    shift = len(lines) - count
    known = {(it.kind, it.start, it.end): it for it in before if it.end <= top}
    moved = {
        (it.kind, it.start + shift, it.end + shift): it.parsed
        for it in before
        if it.start + shift >= len(lines) - bottom
    }
    for it in cuts:
        if it in known:
            yield known[it]
        elif it in moved:
            yield Piece(*it, moved[it])
        else:
            yield piece_of(lines, it)


def completed(pieces: Sequence[Piece], lines: Sequence[str]) -> Iterator[Piece]:
    """The pieces, joined where a quote or a bracket runs across them, if that makes them valid."""
    index = 0
    while index < len(pieces):
        piece, used = (
            _joined(pieces, index, lines) if pieces[index].parsed.unterminated else (pieces[index], 1)
        )
        yield piece
        index += used


def forget() -> None:
    """Let every text that is opened from now on be parsed anew."""
    _living.clear()
    _recent.clear()


def _joined(pieces: Sequence[Piece], index: int, lines: Sequence[str]) -> tuple[Piece, int]:
    first = pieces[index]
    for count in range(2, _MOST_JOINED + 2):
        if index + count > len(pieces):
            break
        end = pieces[index + count - 1].end
        parsed = _parsed("".join(lines[first.start : end]))
        if not parsed.problems:
            return Piece(first.kind, first.start, end, parsed), count
    return first, 1


def _parsed(source: str) -> Parsed:
    found = _living.get(source)
    if found is None:
        found = _living[source] = parse(source)
        if len(source) <= _LONGEST_RECENT:
            _recent.extend([found] * (1 + len(source) // _A_PLACE))
    return found


_NOTHING = Parsed(None)
_living: WeakValueDictionary[str, Parsed] = WeakValueDictionary()
_recent: deque[Parsed] = deque(maxlen=_MOST_RECENT)
