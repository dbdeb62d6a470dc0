"""What rules say of a text of which some cannot be read (a syntax mistake must not cause further findings).

Nothing is said of lines at fault, and nothing of what is absent, or of a sum, where the missing part may stand in them
(`Rule.needs`).
"""

import re
from collections.abc import Iterable, Iterator

from waza_engine.findings import HERE
from waza_engine.rules.syntax_error import SYNTAX_ERROR
from waza_lsp.schema.form import Form
from waza_lsp.schema.mark import Mark
from waza_lsp.schema.nameless import has_hole
from waza_lsp.syntax.cut import PieceKind
from waza_lsp.syntax.node import Kind
from waza_lsp.syntax.piece import Piece
from waza_lsp.syntax.tree import Tree


def without_unread(said: list[Mark], tree: Tree, form: Form) -> list[Mark]:
    """What the rules said, without what a mistake in the syntax brings about."""
    lines: set[int] = set()
    keys: set[str] = set()
    above: Piece | None = None
    for piece in tree.pieces:
        if piece.kind not in {PieceKind.ITEM, PieceKind.SKIPPED}:
            above = piece
        if _is_unread(piece, tree):
            lines.update(_lines_at_fault(piece))
            keys.update(_keys(piece, above, form))
    if not keys:
        return said
    return [it for it in said if not (_is_at(it, lines) or _is_about(it, tree, keys))]


_ANY = "*"
"""Stands for every key of the top level."""


def _is_at(mark: Mark, lines: set[int]) -> bool:
    return any(it in lines for it in range(mark.span.start.line, mark.span.end.line + 1))


def _is_about(mark: Mark, tree: Tree, keys: set[str]) -> bool:
    needs = mark.finding.rule.needs
    if not needs:
        return False
    if _ANY in keys or not needs.isdisjoint(keys):
        return True
    piece = tree.piece_at(mark.span.start.line) if HERE in needs else None
    return piece is not None and _is_unread(piece, tree)


def _is_unread(piece: Piece, tree: Tree) -> bool:
    """Whether the text of a piece is broken, or a value in it stands for nothing that is known."""
    it = piece.parsed
    is_read = not (it.problems or it.templates)
    return not is_read or (it.has_alias and it.root is not None and has_hole(it.root, tree.anchors))


def _lines_at_fault(piece: Piece) -> Iterator[int]:
    for it in piece.parsed.problems:
        yield from range(piece.start + it.span.start.line, piece.start + it.span.end.line + 1)


def _keys(piece: Piece, above: Piece | None, form: Form) -> Iterator[str]:
    """The top-level keys that a broken piece may hold something of; `above` is what its list stands under."""
    owner = piece if above is None else above
    keys, known = _first_keys(owner), form.schema.get("properties", {})
    is_one = owner.kind is not PieceKind.WHOLE and bool(keys) and all(it in known for it in keys)
    yield from keys if is_one else _begun(owner, known) or [_ANY]


def _first_keys(piece: Piece) -> list[str]:
    root = piece.parsed.root
    return [key.source for key, _ in root.pairs] if root is not None and root.kind is Kind.MAP else []


def without_adopted(marks: list[Mark], tree: Tree, form: Form) -> list[Mark]:
    """The marks without those of items below a line that has to be a key: they stand in the list above by mistake."""
    if not any(it.kind is PieceKind.STRAY or it.parsed.stray_key is not None for it in tree.pieces):
        return marks
    lines = {line for it in _adopted(tree, form) for line in range(it.start, it.end)}
    return [it for it in marks if it.span.start.line not in lines or it.finding.rule is SYNTAX_ERROR]


def _adopted(tree: Tree, form: Form) -> Iterator[Piece]:
    known, is_adopting = form.schema.get("properties", {}), False
    for piece in tree.pieces:
        if piece.kind is PieceKind.STRAY:
            is_adopting = bool(_begun(piece, known))
        elif piece.kind not in {PieceKind.ITEM, PieceKind.SKIPPED}:
            is_adopting = False
        elif is_adopting:
            yield piece
        key = piece.parsed.stray_key
        is_adopting = is_adopting or (piece.kind is PieceKind.ITEM and key is not None and key.is_open)


def _begun(piece: Piece, known: Iterable[str]) -> list[str]:
    """The keys of the top level that the first word of half-typed text may become."""
    root = piece.parsed.root if piece.kind is PieceKind.STRAY else None
    first = next((key for key, _ in root.pairs), root) if root is not None else None
    word = _WORD.match(first.source) if first is not None else None
    return [it for it in known if it.startswith(word[0])] if word is not None else []


_WORD = re.compile(r"\w+")
