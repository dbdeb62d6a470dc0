"""A line of a mapping that was moved to the top level while those below it were not.

The text has three faults then: a key that the top level does not know, lines below it in no column of their neighbours,
and a mapping that lacks the rest of its keys. The author made one.
"""

from collections.abc import Iterator
from itertools import pairwise

from waza_engine.rules.duplicate_key import DUPLICATE_KEY
from waza_engine.rules.empty_value import EMPTY_VALUE
from waza_engine.rules.missing_key import MISSING_KEY
from waza_engine.rules.syntax_error import SYNTAX_ERROR
from waza_engine.rules.text_cut_by_comment import TEXT_CUT_BY_COMMENT
from waza_engine.rules.unknown_tag import UNKNOWN_TAG
from waza_engine.rules.unquoted_template import UNQUOTED_TEMPLATE
from waza_lsp.schema.form import Form
from waza_lsp.schema.mark import Mark
from waza_lsp.syntax.cut import PieceKind
from waza_lsp.syntax.node import Kind, Node
from waza_lsp.syntax.piece import Piece
from waza_lsp.syntax.problem import Cause
from waza_lsp.syntax.problems import INDENTED
from waza_lsp.syntax.text import Place
from waza_lsp.syntax.tree import Tree

_FIRST = Place(0, 0)
_ABSENT = frozenset([MISSING_KEY, EMPTY_VALUE])
_OF_THE_TEXT = frozenset([SYNTAX_ERROR, DUPLICATE_KEY, TEXT_CUT_BY_COMMENT, UNKNOWN_TAG, UNQUOTED_TEMPLATE])
"""What is said of lines as they stand, whatever they mean together."""


def with_strays_told(marks: list[Mark], tree: Tree, form: Form) -> list[Mark]:
    """The marks of a document, with one for all that such a line brings about."""
    told: list[Mark] = []
    spoiled: set[int] = set()
    robbed: set[Place] = set()
    unread: set[int] = set()
    for above in _robbed_by_blanks(tree):
        if above.kind is PieceKind.ITEM:
            unread.update(range(above.start, above.end))
        else:
            robbed.add(_owner(above))
    for owner, piece, key in _strays(tree, form):
        told.append(Mark(key.span.shifted(piece.start), SYNTAX_ERROR.at((), INDENTED)))
        spoiled.update(range(piece.start, piece.end))
        robbed.add(owner)
    if not (told or robbed or unread):
        return marks
    return [
        it
        for it in marks
        if it.span.start.line not in spoiled
        and not (it.finding.rule in _ABSENT and it.span.start in robbed)
        and not (it.span.start.line in unread and it.finding.rule not in _OF_THE_TEXT)
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
        if key.start == _FIRST and key.source not in known and _may_hold(above, first.span.start.column):
            yield _owner(above), piece, key


def _robbed_by_blanks(tree: Tree) -> Iterator[Piece]:
    """The pieces that lack a line because its indentation is of blanks that YAML does not know.

    Of an item nearly everything depends on what else is in it, so that it counts as unread; of a top-level key only
    what its mapping lacks.
    """
    for above, piece in pairwise(tree.pieces):
        is_robbed = piece.kind is PieceKind.STRAY and above.kind in _READABLE
        if is_robbed and any(
            it.cause is Cause.BLANKS and it.span.start == _FIRST for it in piece.parsed.problems
        ):
            yield above


_READABLE = frozenset([PieceKind.PAIR, PieceKind.ITEM])


def _owner(piece: Piece) -> Place:
    """Where the last key of a piece stands."""
    start = piece.parsed.root.pairs[-1][0].start if piece.parsed.root is not None else _FIRST
    return Place(start.line + piece.start, start.column)


def _may_hold(piece: Piece, column: int) -> bool:
    """Whether the keys of the mapping that is the value of a piece stand in a column, or it has no value yet."""
    root = piece.parsed.root
    value = root.pairs[-1][1] if root is not None and root.pairs else None
    if value is None or value.flow or value.kind is not Kind.MAP:
        return value is not None and value.is_empty
    return any(key.start.column == column for key, _ in value.pairs)
