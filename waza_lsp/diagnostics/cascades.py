"""Drop cascades: findings that only follow from another mistake in the text.

Each filter knows one kind of mistake:

- aliases without an anchor and unknown tags: what they should bring is missing, which is no second mistake;
- a line of a mapping that moved to the top level: an unknown key, badly indented lines below it and missing keys in the
  mapping become one finding;
- syntax errors: rules report nothing at broken lines, and nothing that depends on what these lines may contain
  (`Rule.needs`);
- keys on the wrong level: they are missing where their fix moves them to;
- an unfinished key: the items below it seem to belong to the list above.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from waza_engine.analysis.pipeline import takes_keys_along
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import HERE, InsertKey, MoveKey, Severity
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
"""The key in a node's cache for the names of the aliases at or below it."""


def has_unknown_alias(node: Node, anchors: Collection[str]) -> bool:
    """Whether an alias at or below a node has no anchor."""
    names: frozenset[str] | None = node.memory.get(_ALIASES)
    if names is None:
        names = node.memory[_ALIASES] = frozenset(it.source for it in node.walk() if it.kind is Kind.ALIAS)
    return any(it not in anchors for it in names)


def drop_effects_of_unknown_aliases(findings: list[RangedFinding], tree: Tree) -> list[RangedFinding]:
    """Drop findings about values that are missing only because of an unknown alias or tag."""
    findings = _merge_tag_findings(findings)
    aliases: set[Place] = set()
    holders = set(_keys_with_tags(tree))
    if not (tree.has_alias or holders):
        return findings
    for piece in tree.pieces:
        root = piece.parsed.root
        if piece.parsed.has_alias and root is not None and has_unknown_alias(root, tree.anchors):
            for is_alias, place in _alias_effects(root, None, tree.anchors):
                (aliases if is_alias else holders).add(Place(place.line + piece.start, place.column))
    return [it for it in findings if not _is_cascade(it, aliases, holders)]


def _merge_tag_findings(findings: list[RangedFinding]) -> list[RangedFinding]:
    """Keep one finding where an unknown tag makes a value a string of the wrong type: the tag, as an error."""
    tags = {it.span.start for it in findings if it.finding.rule is UNKNOWN_TAG}
    covered = {it.span.start for it in findings if it.finding.rule is WRONG_TYPE} & tags
    if not covered:
        return findings
    return [
        it._replace(finding=replace(it.finding, severity=Severity.ERROR))
        if it.finding.rule is UNKNOWN_TAG and it.span.start in covered
        else it
        for it in findings
        if it.finding.rule is not WRONG_TYPE or it.span.start not in covered
    ]


def _keys_with_tags(tree: Tree) -> Iterator[Place]:
    """The keys whose whole value is an unknown tag: their author takes `!word` for a string."""
    for piece in [tree.pieces[index] for index in tree.odd_pieces]:
        tags = {span for _, span in piece.parsed.tags}
        for node in piece.parsed.root.walk() if tags and piece.parsed.root is not None else ():
            for key, value in node.pairs:
                if value.is_empty and value.span in tags:
                    yield Place(key.start.line + piece.start, key.start.column)


def _is_cascade(ranged: RangedFinding, aliases: set[Place], holders: set[Place]) -> bool:
    rule, start = ranged.finding.rule, ranged.span.start
    return (start in aliases and rule is not SYNTAX_ERROR) or (start in holders and rule in _ABSENT)


def _alias_effects(node: Node, key: Node | None, anchors: Collection[str]) -> Iterator[tuple[bool, Place]]:
    """The start of each unknown alias, with True, and of the keys that may seem empty or incomplete, with False."""
    if node.kind is Kind.ALIAS:
        if node.source not in anchors:
            yield True, node.start
            if key is not None:
                yield False, key.start
        return
    for key_node, value in node.pairs:
        yield from _alias_effects(value, key_node, anchors)
        if key_node.source == "<<" and has_unknown_alias(value, anchors):
            yield from ((False, it.start) for it in (key, node, node.pairs[0][0]) if it is not None)
    for item in node.items:
        yield from _alias_effects(item, None, anchors)


_FIRST = Place(0, 0)
_ABOUT_SINGLE_LINES = frozenset(
    [SYNTAX_ERROR, DUPLICATE_KEY, TEXT_CUT_BY_COMMENT, UNKNOWN_TAG, UNQUOTED_TEMPLATE]
)
"""Rules about a line by itself, whatever the lines around it mean."""


def report_outdented_keys(findings: list[RangedFinding], tree: Tree, form: Form) -> list[RangedFinding]:
    """Replace all findings that follow from a line that moved to the top level by one about its indentation."""
    moved: list[RangedFinding] = []
    covered: set[int] = set()
    incomplete: set[Place] = set()
    unreadable: set[int] = set()
    for above in _pieces_without_a_line(tree):
        if above.kind is PieceKind.ITEM:
            unreadable.update(range(above.start, above.end))
        else:
            incomplete.add(_last_key_start(above))
    for holder, piece, key in _moved_lines(tree, form):
        moved.append(RangedFinding(key.span.shift(piece.start), SYNTAX_ERROR.at((), INDENTED)))
        covered.update(range(piece.start, piece.end))
        incomplete.add(holder)
    if not (moved or incomplete or unreadable):
        return findings
    return [
        it
        for it in findings
        if it.span.start.line not in covered
        and not (it.finding.rule in _ABSENT and it.span.start in incomplete)
        and not (it.span.start.line in unreadable and it.finding.rule not in _ABOUT_SINGLE_LINES)
    ] + moved


def _moved_lines(tree: Tree, form: Form) -> Iterator[tuple[Place, Piece, Node]]:
    """For each moved line: the start of its mapping's key, the piece that the line begins, and its own key."""
    pieces, known = tree.pieces, form.schema.get("properties", {})
    for number in [it for it in tree.odd_pieces if pieces[it].parsed.problems and it > 0]:
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
        # The parser decides which of the lines is the broken one: it may be this one.
        if key.start == _FIRST and key.source not in known and _may_contain(above, first.span.start.column):
            yield _last_key_start(above), piece, key


def _pieces_without_a_line(tree: Tree) -> Iterator[Piece]:
    """The pieces that lost a line because it is indented with spaces that YAML does not know.

    Nearly all findings about an item depend on all of its lines, so such an item counts as unreadable. At a top-level key
    only findings about missing keys do.
    """
    for index in tree.odd_pieces:
        above, piece = tree.pieces[max(index - 1, 0)], tree.pieces[index]
        has_lost_line = piece.kind is PieceKind.STRAY and above.kind in _PIECES_WITH_DATA
        if has_lost_line and any(
            it.cause is Cause.SPACES and it.span.start == _FIRST for it in piece.parsed.problems
        ):
            yield above


_PIECES_WITH_DATA = frozenset([PieceKind.PAIR, PieceKind.ITEM])


def _last_key_start(piece: Piece) -> Place:
    """The start of the last key in a piece."""
    start = piece.parsed.root.pairs[-1][0].start if piece.parsed.root is not None else _FIRST
    return Place(start.line + piece.start, start.column)


def _may_contain(piece: Piece, column: int) -> bool:
    """Whether a piece has no value yet, or its value is a mapping with a key in `column`."""
    root = piece.parsed.root
    value = root.pairs[-1][1] if root is not None and root.pairs else None
    if value is None or value.flow or value.kind is not Kind.MAP:
        return value is not None and value.is_empty
    return any(key.start.column == column for key, _ in value.pairs)


def drop_effects_of_syntax_errors(
    findings: list[RangedFinding], tree: Tree, form: Form
) -> list[RangedFinding]:
    """Drop findings of rules at broken lines, and those that depend on what such lines may contain."""
    lines: set[int] = set()
    keys: set[str] = set()
    for index in tree.odd_pieces:
        piece = tree.pieces[index]
        if _is_unread(piece, tree):
            lines.update(_broken_lines(piece))
            above = next(
                (it for it in reversed(tree.pieces[: index + 1]) if it.kind not in _WITHOUT_KEY), None
            )
            keys.update(_affected_keys(piece, above, form))
    if not keys:
        return findings
    return [it for it in findings if not (_touches(it, lines) or _depends_on(it, tree, keys))]


_WITHOUT_KEY = frozenset([PieceKind.ITEM, PieceKind.SKIPPED])
_ANY = "*"
"""Any key of the top level."""


def _touches(ranged: RangedFinding, lines: set[int]) -> bool:
    return any(it in lines for it in range(ranged.span.start.line, ranged.span.end.line + 1))


def _depends_on(ranged: RangedFinding, tree: Tree, keys: set[str]) -> bool:
    needs = ranged.finding.rule.needs
    if not needs:
        return False
    if _ANY in keys or not needs.isdisjoint(keys):
        return True
    piece = tree.piece_at(ranged.span.start.line) if HERE in needs else None
    return piece is not None and _is_unread(piece, tree)


def _is_unread(piece: Piece, tree: Tree) -> bool:
    """Whether a piece has a syntax error, an unquoted template or an unknown alias."""
    it = piece.parsed
    is_read = not (it.problems or it.templates)
    return not is_read or (it.has_alias and it.root is not None and has_unknown_alias(it.root, tree.anchors))


def _broken_lines(piece: Piece) -> Iterator[int]:
    for it in piece.parsed.problems:
        yield from range(piece.start + it.span.start.line, piece.start + it.span.end.line + 1)


def _affected_keys(piece: Piece, above: Piece | None, form: Form) -> Iterator[str]:
    """The top-level keys that a broken piece may belong to; `above` is the piece with the key of its list."""
    holder = piece if above is None else above
    keys, known = _first_keys(holder), form.schema.get("properties", {})
    is_known = holder.kind is not PieceKind.WHOLE and bool(keys) and all(it in known for it in keys)
    yield from keys if is_known else _keys_starting_like(holder, known) or [_ANY]


def _first_keys(piece: Piece) -> list[str]:
    root = piece.parsed.root
    return [key.source for key, _ in root.pairs] if root is not None and root.kind is Kind.MAP else []


def drop_missing_keys_on_the_move(findings: list[RangedFinding]) -> list[RangedFinding]:
    """Drop missing keys that the fix of an unknown key in another piece of the text moves to their place."""
    moving = (it.in_document for it in findings if takes_keys_along(it.finding))
    changes = (change for it in moving for change in it.fixes[0].changes)
    moved = {it.to for it in changes if isinstance(it, MoveKey)}
    if not moved:
        return findings
    reduced = (_without_keys(it, moved) if it.finding.rule is MISSING_KEY else it for it in findings)
    return [it for it in reduced if it is not None]


def _without_keys(ranged: RangedFinding, moved: Collection[Pointer]) -> RangedFinding | None:
    """Return a finding about missing keys without the moved ones; None if no other is left, or any of them is enough."""
    fixes = [[it for it in fix.changes if isinstance(it, InsertKey)] for fix in ranged.in_document.fixes]
    lacking = [it.key for fix in fixes for it in fix]
    left = [it.key for fix in fixes for it in fix if (*it.pointer, it.key) not in moved]
    if len(left) == len(lacking):
        return ranged
    if not left or len(fixes) > 1:
        return None
    old, new = (", ".join(f"'{it}'" for it in names) for names in (lacking, left))
    finding = ranged.finding
    own = [it for it in finding.fixes[0].changes if not isinstance(it, InsertKey) or it.key in left]
    fix = replace(finding.fixes[0], title=finding.fixes[0].title.replace(old, new), changes=tuple(own))
    return ranged._replace(finding=replace(finding, message=finding.message.replace(old, new), fixes=(fix,)))


def drop_items_below_unfinished_keys(
    findings: list[RangedFinding], tree: Tree, form: Form
) -> list[RangedFinding]:
    """Drop findings about items below an unfinished key: they do not belong to the list above it."""
    odd = [tree.pieces[index] for index in tree.odd_pieces]
    if not any(it.kind is PieceKind.STRAY or it.parsed.stray_key is not None for it in odd):
        return findings
    lines = {line for it in _items_below_unfinished_keys(tree, form) for line in range(it.start, it.end)}
    return [it for it in findings if it.span.start.line not in lines or it.finding.rule is SYNTAX_ERROR]


def _items_below_unfinished_keys(tree: Tree, form: Form) -> Iterator[Piece]:
    known, is_below = form.schema.get("properties", {}), False
    for piece in tree.pieces:
        if piece.kind is PieceKind.STRAY:
            is_below = bool(_keys_starting_like(piece, known))
        elif piece.kind not in {PieceKind.ITEM, PieceKind.SKIPPED}:
            is_below = False
        elif is_below:
            yield piece
        key = piece.parsed.stray_key
        is_below = is_below or (piece.kind is PieceKind.ITEM and key is not None and key.is_open)


def _keys_starting_like(piece: Piece, known: Iterable[str]) -> list[str]:
    """The top-level keys that begin with the first word of a half-typed line."""
    root = piece.parsed.root if piece.kind is PieceKind.STRAY else None
    first = next((key for key, _ in root.pairs), root) if root is not None else None
    word = _WORD.match(first.source) if first is not None else None
    return [it for it in known if it.startswith(word[0])] if word is not None else []


_WORD = re.compile(r"\w+")
