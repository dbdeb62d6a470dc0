"""Pieces of a text: whole lines that are parsed separately.

Equal lines are parsed once. A parsed piece, with all results cached at its nodes, lives as long as a tree refers to it
and a while longer, so that undoing an edit costs nothing.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from waza_lsp.syntax.errors.messages import stray_line_problem
from waza_lsp.syntax.tree.parse import Parsed, parse
from waza_lsp.syntax.tree.split import Cut, PieceKind, directive_problem

_MOST_JOINED = 3
_MOST_RECENT = 128
_LONGEST_RECENT = 2_000
"""In characters. A parsed piece needs about fifty times the memory of its text."""
_CHARACTERS_PER_PLACE = 500
"""A piece takes one place in `_recent` per this many characters, so long pieces leave earlier."""


class Piece(NamedTuple):
    """Whole lines of the text, parsed separately. Lines inside count from `start`."""

    kind: PieceKind
    start: int
    end: int
    parsed: Parsed
    memory: dict[Any, Any]
    """Results about the piece at this place. A piece that an edit does not move stays the same object."""

    def shift(self, lines: int) -> "Piece":
        """Return the same piece `lines` further down."""
        return Piece(self.kind, self.start + lines, self.end + lines, self.parsed, {})


def piece_of(lines: Sequence[str], it: Cut) -> Piece:
    """Parse the piece at a cut of the text."""
    if it.kind is PieceKind.SKIPPED:
        problem = directive_problem("".join(lines[it.start : it.end]))
        return Piece(*it, Parsed(None, (problem,)) if problem is not None else _NOTHING, {})
    parsed = _parse_cached("".join(lines[it.start : it.end]))
    if it.kind is PieceKind.STRAY and not (parsed.problems or _begins_with_template(parsed)):
        parsed = replace(parsed, problems=(stray_line_problem(lines[it.start : it.end]),))
    return Piece(*it, parsed, {})


def pieces_of(
    lines: Sequence[str], cuts: Sequence[Cut], before: Sequence[Piece], count: int, same: tuple[int, int]
) -> Iterator[Piece]:
    """Yield all pieces of a text, reusing those of an earlier version.

    Args:
        lines: the text's lines.
        cuts: where to cut it.
        before: the pieces of the earlier version.
        count: how many lines the earlier version had.
        same: how many lines are the same at the top and at the bottom.

    """
    top, bottom = same
    shift = len(lines) - count
    known = {(it.kind, it.start, it.end): it for it in before if it.end <= top}
    moved = {
        (it.kind, it.start + shift, it.end + shift): it
        for it in before
        if it.start + shift >= len(lines) - bottom
    }
    for it in cuts:
        if it in known:
            yield known[it]
        elif it in moved:
            yield moved[it].shift(shift) if shift else moved[it]
        else:
            yield piece_of(lines, it)


def join_unterminated(pieces: Sequence[Piece], lines: Sequence[str]) -> Iterator[Piece]:
    """Yield the pieces, joined where a quote or bracket spans several.

    Pieces stay apart if joining does not make them valid.
    """
    index = 0
    while index < len(pieces):
        piece, used = (
            _joined(pieces, index, lines) if pieces[index].parsed.unterminated else (pieces[index], 1)
        )
        yield piece
        index += used


def clear_cache() -> None:
    """Forget all parsed pieces, so that texts are parsed again."""
    _by_source.clear()
    _recent.clear()


def _begins_with_template(parsed: Parsed) -> bool:
    """Whether the first key is an unquoted template, which is reported elsewhere."""
    root = parsed.root
    return root is not None and bool(root.pairs) and root.pairs[0][0] in parsed.templates


def _joined(pieces: Sequence[Piece], index: int, lines: Sequence[str]) -> tuple[Piece, int]:
    first = pieces[index]
    for count in range(2, _MOST_JOINED + 2):
        if index + count > len(pieces):
            break
        end = pieces[index + count - 1].end
        parsed = _parse_cached("".join(lines[first.start : end]))
        if not parsed.problems:
            return Piece(first.kind, first.start, end, parsed, {}), count
    return first, 1


def _parse_cached(source: str) -> Parsed:
    parsed = _by_source.get(source)
    if parsed is None:
        parsed = _by_source[source] = parse(source)
        if len(source) <= _LONGEST_RECENT:
            _recent.extend([parsed] * (1 + len(source) // _CHARACTERS_PER_PLACE))
    return parsed


_NOTHING = Parsed(None)
_by_source: WeakValueDictionary[str, Parsed] = WeakValueDictionary()
_recent: deque[Parsed] = deque(maxlen=_MOST_RECENT)
