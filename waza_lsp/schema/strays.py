"""A line of a mapping that was moved to the top level while those below it were not (peers.md, V12).

The text has three faults then: a key that the top level does not know, lines below it in no column of their neighbours,
and a mapping that lacks the rest of its keys. The author made one.
"""

from collections.abc import Iterator
from itertools import pairwise

from waza_engine.rules.missing_key import MISSING_KEY
from waza_engine.rules.syntax_error import SYNTAX_ERROR
from waza_lsp.schema.form import Form
from waza_lsp.schema.mark import Mark
from waza_lsp.syntax.cut import PieceKind
from waza_lsp.syntax.node import Kind, Node
from waza_lsp.syntax.piece import Piece
from waza_lsp.syntax.problem import Cause
from waza_lsp.syntax.text import Place
from waza_lsp.syntax.tree import Tree

_FIRST = Place(0, 0)
_MESSAGE = "This line is indented differently from its neighbours; align it with them"


def with_strays_told(marks: list[Mark], tree: Tree, form: Form) -> list[Mark]:
    """The marks of a document, with one for all that such a line brings about."""
    told: list[Mark] = []
    spoiled: set[int] = set()
    robbed = set(_robbed_by_blanks(tree))
    for above, piece, key in _strays(tree, form):
        told.append(Mark(key.span.shifted(piece.start), SYNTAX_ERROR.at((), _MESSAGE)))
        spoiled.update(range(piece.start, piece.end))
        robbed.add(above)
    if not (told or robbed):
        return marks
    return [
        it
        for it in marks
        if it.span.start.line not in spoiled
        and not (it.finding.rule is MISSING_KEY and it.span.start in robbed)
    ] + told


def _strays(tree: Tree, form: Form) -> Iterator[tuple[Place, Piece, Node]]:
    """Where the mapping's key stands, the piece that begins with a key that was meant to be in it, and that key."""
    pieces, known = tree.pieces, form.schema.get("properties", {})
    for number in [index for index, it in enumerate(pieces) if it.parsed.problems and index > 0]:
        above, piece = pieces[number - 1], pieces[number]
        root, first = piece.parsed.root, piece.parsed.problems[0]
        if (
            first.cause is not Cause.INDENTATION
            or not (piece.kind is above.kind is PieceKind.PAIR)
            or above.parsed.problems
            or root is None
            or not root.pairs
        ):
            continue
        key = root.pairs[0][0]
        # Which of the lines could not be read is decided elsewhere: it may have been this one.
        if key.start == _FIRST and key.source not in known and first.span.start.column in _columns(above):
            yield _owner(above), piece, key


def _robbed_by_blanks(tree: Tree) -> Iterator[Place]:
    """The keys of mappings that lack a line because its indentation is of blanks that YAML does not know."""
    for above, piece in pairwise(tree.pieces):
        causes = {it.cause for it in piece.parsed.problems}
        if Cause.BLANKS in causes and piece.kind is PieceKind.STRAY and above.kind is PieceKind.PAIR:
            yield _owner(above)


def _owner(piece: Piece) -> Place:
    """Where the last key of a piece stands."""
    start = piece.parsed.root.pairs[-1][0].start if piece.parsed.root is not None else _FIRST
    return Place(start.line + piece.start, start.column)


def _columns(piece: Piece) -> set[int]:
    """Where the keys of the mapping stand that is the value of a piece."""
    root = piece.parsed.root
    value = root.pairs[-1][1] if root is not None and root.pairs else None
    if value is None or value.flow or value.kind is not Kind.MAP:
        return set()
    return {key.start.column for key, _ in value.pairs}
