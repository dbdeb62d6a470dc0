"""A line of a mapping that was moved to the top level while those below it were not.

The text has three faults then: a key that the top level does not know, lines below it in no column of their neighbours,
and a mapping that lacks the rest of its keys. The author made one.

Aliases and tags that stand for nothing: what else could be said of their places comes only from what they lack.

What rules say of a text of which some cannot be read (a syntax mistake must not cause further findings).

Nothing is said of lines at fault, and nothing of what is absent, or of a sum, where the missing part may stand in them
(`Rule.needs`).
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from waza_engine.model.findings import HERE, Severity
from waza_engine.rules.duplicate_key import DUPLICATE_KEY
from waza_engine.rules.empty_value import EMPTY_VALUE
from waza_engine.rules.missing_key import MISSING_KEY
from waza_engine.rules.syntax_error import SYNTAX_ERROR
from waza_engine.rules.text_cut_by_comment import TEXT_CUT_BY_COMMENT
from waza_engine.rules.unknown_tag import UNKNOWN_TAG
from waza_engine.rules.unquoted_template import UNQUOTED_TEMPLATE
from waza_engine.rules.wrong_type import WRONG_TYPE
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.schema.document_kind import Form
from waza_lsp.syntax.errors.hints import Cause
from waza_lsp.syntax.errors.messages import INDENTED
from waza_lsp.syntax.text import Place
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.split import PieceKind
from waza_lsp.syntax.tree.tree import Tree

_ABSENT = frozenset([MISSING_KEY, EMPTY_VALUE])
_ALIASES = object()
"""Under which a node knows the names of the aliases at or below it."""


def has_unknown_alias(node: Node, anchors: Collection[str]) -> bool:
    """Whether there is an alias at or below a node that stands for nothing."""
    names: frozenset[str] | None = node.cache.get(_ALIASES)
    if names is None:
        names = node.cache[_ALIASES] = frozenset(it.source for it in node.walk() if it.kind is Kind.ALIAS)
    return any(it not in anchors for it in names)


def drop_effects_of_unknown_aliases(marks: list[RangedFinding], tree: Tree) -> list[RangedFinding]:
    """The findings without those that only say that something is not there which an alias or a tag was to bring."""
    marks = _with_tags_at_fault(marks)
    holes: set[Place] = set()
    around = set(_tagged(tree))
    if not (tree.has_alias or around):
        return marks
    for piece in tree.pieces:
        root = piece.parsed.root
        if piece.parsed.has_alias and root is not None and has_unknown_alias(root, tree.anchors):
            for is_hole, place in _places(root, None, tree.anchors):
                (holes if is_hole else around).add(Place(place.line + piece.start, place.column))
    return [it for it in marks if not _is_consequence(it, holes, around)]


def _with_tags_at_fault(marks: list[RangedFinding]) -> list[RangedFinding]:
    """The findings where a tag alone makes a number, say, a text that is refused: the tag is the mistake then."""
    tags = {it.span.start for it in marks if it.finding.rule is UNKNOWN_TAG}
    spoiled = {it.span.start for it in marks if it.finding.rule is WRONG_TYPE} & tags
    if not spoiled:
        return marks
    return [
        it._replace(finding=replace(it.finding, severity=Severity.ERROR))
        if it.finding.rule is UNKNOWN_TAG and it.span.start in spoiled
        else it
        for it in marks
        if it.finding.rule is not WRONG_TYPE or it.span.start not in spoiled
    ]


def _tagged(tree: Tree) -> Iterator[Place]:
    """The keys that have nothing but an unknown tag: `!word` is a text to people."""
    for piece in tree.pieces:
        tags = {span for _, span in piece.parsed.tags}
        for node in piece.parsed.root.walk() if tags and piece.parsed.root is not None else ():
            for key, value in node.pairs:
                if value.is_empty and value.span in tags:
                    yield Place(key.start.line + piece.start, key.start.column)


def _is_consequence(mark: RangedFinding, holes: set[Place], around: set[Place]) -> bool:
    rule, start = mark.finding.rule, mark.span.start
    return (start in holes and rule is not SYNTAX_ERROR) or (start in around and rule in _ABSENT)


def _places(node: Node, key: Node | None, anchors: Collection[str]) -> Iterator[tuple[bool, Place]]:
    """Where such aliases stand, each with True; and where it would be said that they are missing."""
    if node.kind is Kind.ALIAS:
        if node.source not in anchors:
            yield True, node.start
            if key is not None:
                yield False, key.start
        return
    for key_node, value in node.pairs:
        yield from _places(value, key_node, anchors)
        if key_node.source == "<<" and has_unknown_alias(value, anchors):
            yield from ((False, it.start) for it in (key, node, node.pairs[0][0]) if it is not None)
    for item in node.items:
        yield from _places(item, None, anchors)


_FIRST = Place(0, 0)
_ABSENT_strays = frozenset([MISSING_KEY, EMPTY_VALUE])
_OF_THE_TEXT = frozenset([SYNTAX_ERROR, DUPLICATE_KEY, TEXT_CUT_BY_COMMENT, UNKNOWN_TAG, UNQUOTED_TEMPLATE])
"""What is said of lines as they stand, whatever they mean together."""


def report_outdented_keys(marks: list[RangedFinding], tree: Tree, form: Form) -> list[RangedFinding]:
    """The marks of a document, with one for all that such a line brings about."""
    told: list[RangedFinding] = []
    spoiled: set[int] = set()
    robbed: set[Place] = set()
    unread: set[int] = set()
    for above in _robbed_by_blanks(tree):
        if above.kind is PieceKind.ITEM:
            unread.update(range(above.start, above.end))
        else:
            robbed.add(_owner(above))
    for owner, piece, key in _strays(tree, form):
        told.append(RangedFinding(key.span.shift(piece.start), SYNTAX_ERROR.at((), INDENTED)))
        spoiled.update(range(piece.start, piece.end))
        robbed.add(owner)
    if not (told or robbed or unread):
        return marks
    return [
        it
        for it in marks
        if it.span.start.line not in spoiled
        and not (it.finding.rule in _ABSENT_strays and it.span.start in robbed)
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
            it.cause is Cause.SPACES and it.span.start == _FIRST for it in piece.parsed.problems
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


def drop_effects_of_syntax_errors(said: list[RangedFinding], tree: Tree, form: Form) -> list[RangedFinding]:
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


def _is_at(mark: RangedFinding, lines: set[int]) -> bool:
    return any(it in lines for it in range(mark.span.start.line, mark.span.end.line + 1))


def _is_about(mark: RangedFinding, tree: Tree, keys: set[str]) -> bool:
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
    return not is_read or (it.has_alias and it.root is not None and has_unknown_alias(it.root, tree.anchors))


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


def drop_items_below_unfinished_keys(
    marks: list[RangedFinding], tree: Tree, form: Form
) -> list[RangedFinding]:
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
