"""A line of a mapping that was moved to the top level while those below it were not (peers.md, V12).

The text has three faults then: a key that the top level does not know, lines below it in no column of their neighbours,
and a mapping that lacks the rest of its keys. The author made one.
"""

from collections.abc import Iterator

from waza_engine.rules.missing_key import MISSING_KEY
from waza_engine.rules.syntax_error import SYNTAX_ERROR
from waza_lsp.schema.form import Form
from waza_lsp.schema.mark import Mark
from waza_lsp.syntax.cut import PieceKind
from waza_lsp.syntax.node import Kind
from waza_lsp.syntax.piece import Piece
from waza_lsp.syntax.problem import Cause
from waza_lsp.syntax.tree import Tree

_MESSAGE = "This line is indented differently from its neighbours; align it with them"


def with_strays_told(marks: list[Mark], tree: Tree, form: Form) -> list[Mark]:
    """The marks of a document, with one for all that such a line brings about."""
    for above, piece in list(_strays(tree, form)):
        root = piece.parsed.root
        if root is None or not root.pairs:
            continue
        marks = [
            it
            for it in marks
            if not (_is_in(it, piece) or (it.finding.rule is MISSING_KEY and _is_in(it, above)))
        ]
        marks.append(Mark(root.pairs[0][0].span.shifted(piece.start), SYNTAX_ERROR.at((), _MESSAGE)))
    return marks


def _is_in(mark: Mark, piece: Piece) -> bool:
    return piece.start <= mark.span.start.line < piece.end


def _strays(tree: Tree, form: Form) -> Iterator[tuple[Piece, Piece]]:
    """The pieces of mappings, and those that begin with a key that was meant to be in them."""
    pieces, known = tree.pieces, form.schema.get("properties", {})
    for number in [index for index, it in enumerate(pieces) if it.parsed.problems]:
        above, piece = pieces[number - 1], pieces[number]
        root, first = piece.parsed.root, piece.parsed.problems[0]
        if (
            number > 0
            and first.cause is Cause.INDENTATION
            and piece.kind is above.kind is PieceKind.PAIR
            and not above.parsed.problems
            and root is not None
            and root.pairs
            and root.pairs[0][0].source not in known
            and first.span.start.column in _columns(above)
        ):
            yield above, piece


def _columns(piece: Piece) -> set[int]:
    """Where the keys of the mapping stand that is the value of a piece."""
    root = piece.parsed.root
    value = root.pairs[-1][1] if root is not None and root.pairs else None
    if value is None or value.flow or value.kind is not Kind.MAP:
        return set()
    return {key.start.column for key, _ in value.pairs}
