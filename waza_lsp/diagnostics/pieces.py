"""The findings of one piece of a text: of its part of the schema, of its grader types, of the project's version.

They are cached with the piece, so an edit costs the pieces that it touches. A piece whose findings depend on files is
checked again when one of these files has changed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from waza_engine.analysis.pipeline import check_grader, unknown_keys
from waza_engine.analysis.schema.navigate import Schema, discriminated_values, resolve
from waza_engine.analysis.versions import newer_than_target
from waza_engine.lib.files.read_tracking import Stamp, note_read, stamp, track_reads
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Scope
from waza_lsp.diagnostics.cascades import has_unknown_alias
from waza_lsp.diagnostics.config_roundtrip import apart
from waza_lsp.diagnostics.ranges import RangedFinding, span_of
from waza_lsp.schema.document_kind import Form
from waza_lsp.syntax.tree.node import Kind, Node, descend
from waza_lsp.syntax.tree.parse import Parsed
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.tree import Entry, Tree


@dataclass(frozen=True, slots=True, eq=False)
class PieceContext:
    """Where pieces are: in a list under `key`, or at the top level (None); and what is checked there.

    With a `target` the findings are those about versions, and no others. Else they are those of the schema and, with a
    scope, of the grader types.
    """

    form: Form
    key: str | None
    scope: Scope | None
    target: str = ""

    def may_have_findings(self, item: tuple[Piece, Node]) -> bool:
        """Whether an item may have findings here, now or when files on disk are others."""
        parsed = item[0].parsed
        if parsed.root is None or parsed.problems:
            return False
        if parsed.has_alias:
            return True
        remembered = _cache_of(parsed, parsed.root, self)
        return bool(remembered.found) or remembered.has_stamps


@lru_cache(maxsize=256)
def piece_context(form: Form, key: str | None, scope: Scope | None, target: str = "") -> PieceContext:
    """The one object for equal arguments, so that cached findings are found fast."""
    return PieceContext(form, key, scope, target)


def piece_findings(
    parsed: Parsed, where: PieceContext, anchors: dict[str, Node]
) -> tuple[RangedFinding, ...]:
    """Findings of a piece that is sound, with places that count from its first line.

    `anchors` are those of the whole text.
    """
    if parsed.root is None:
        return ()
    if parsed.has_alias:
        return _check_piece(parsed, parsed.root, where, anchors)
    return _cache_of(parsed, parsed.root, where).found


def list_findings(tree: Tree, entry: Entry, where: PieceContext) -> Iterator[RangedFinding]:
    """Findings of the sound pieces in the list of a top-level key, with places in the whole text."""
    last = None
    for index, _ in entry.items.results(where, where.may_have_findings):
        piece, _ = entry.items[index]
        if piece is not last:
            yield from _item_findings(piece, where, tree.anchors, index)
        last = piece


def _item_findings(
    piece: Piece, where: PieceContext, anchors: dict[str, Node], index: int
) -> tuple[RangedFinding, ...]:
    """`index` is that of the piece's first item."""
    parsed, base = piece.parsed, (where.key or "", index)
    if parsed.root is None or parsed.has_alias:
        return tuple(it.shift(piece.start, base) for it in piece_findings(parsed, where, anchors))
    return _cache_of(parsed, parsed.root, where).at(piece.start, base)


def _cache_of(parsed: Parsed, root: Node, where: PieceContext) -> "_PieceCache":
    memory = root.cache
    remembered: _PieceCache | None = memory.get(where)
    if remembered is None:
        remembered = memory[where] = _PieceCache()
    if not remembered.is_fresh():
        remembered.refresh(lambda: _check_piece(parsed, root, where, parsed.anchors))
    return remembered


class _PieceCache:
    """What a piece gave, and the state of the files on disk that had a say in it."""

    __slots__ = ("_at", "_shifted", "_stamps", "found")

    def __init__(self) -> None:
        self.found: tuple[RangedFinding, ...] = ()
        self._stamps: dict[Path, Stamp] | None = None
        self._at: tuple[int, tuple[str, int]] | None = None
        self._shifted: tuple[RangedFinding, ...] = ()

    @property
    def has_stamps(self) -> bool:
        """Whether files had a say."""
        return bool(self._stamps)

    def is_fresh(self) -> bool:
        """Whether there are findings, and none of the files has changed since."""
        if not self._stamps:
            return self._stamps is not None
        for path in self._stamps:
            note_read(path)
        return all(stamp(path) == then for path, then in self._stamps.items())

    def refresh(self, find: Callable[[], tuple[RangedFinding, ...]]) -> None:
        """Find and remember."""
        with track_reads() as seen:
            self.found = find()
        self._stamps = {it: stamp(it) for it in seen.paths}
        self._at = None
        for path in self._stamps:
            note_read(path)

    def at(self, start: int, base: tuple[str, int]) -> tuple[RangedFinding, ...]:
        """The findings of a piece that starts at a line: most stay where they were, and are the same objects."""
        if self._at != (start, base):
            self._shifted = tuple(it.shift(start, base) for it in self.found)
            self._at = (start, base)
        return self._shifted


def _check_piece(
    parsed: Parsed, root: Node, where: PieceContext, anchors: dict[str, Node]
) -> tuple[RangedFinding, ...]:
    found = _check_nodes(root, where, anchors, has_alias=parsed.has_alias)
    # A template is read as a text; what that text would be worth is not said before it is one.
    templates = {it.start for it in parsed.templates}
    return tuple(it for it in found if it.span.start not in templates) if templates else found


def _check_nodes(
    root: Node, where: PieceContext, nodes: dict[str, Node], *, has_alias: bool
) -> tuple[RangedFinding, ...]:
    form, key = where.form, where.key
    known: dict[str, Any] = form.schema.get("properties", {})
    if where.target:
        schema = form.schema if key is None else resolve(form.schema, known[key])
        versions = newer_than_target(form.schema, root.data(nodes), where.target, part=schema)
        return tuple(locate_in(root, it) for it in versions)
    result: list[RangedFinding] = []
    if key is not None:
        items = resolve(form.schema, known[key])["items"]
        for index, item in enumerate(root.items):
            result += _check_value(root, (index,), item, where, items, nodes, has_alias=has_alias)
    else:
        for key_node, value in root.pairs:
            if key_node.source in known:
                result += _check_value(
                    root,
                    (key_node.source,),
                    value,
                    where,
                    known[key_node.source],
                    nodes,
                    has_alias=has_alias,
                )
    return tuple(result)


def _check_value(
    root: Node,
    base: Pointer,
    value: Node,
    where: PieceContext,
    schema: Schema,
    anchors: dict[str, Node],
    *,
    has_alias: bool,
) -> Iterator[RangedFinding]:
    form, scope = where.form, where.scope
    data = value.data(anchors)
    found = form.checker.check_part(data, schema)
    for finding in found:
        yield locate_in(root, finding.below(base))
    if scope is None:
        return
    for pointer, _ in discriminated_values(form.schema, schema, data):
        unknown = unknown_keys(found, pointer)
        if unknown is None:
            continue
        node = descend(value, pointer)
        if node is None or (has_alias and has_unknown_alias(node[1], anchors)):
            continue
        if node[1].kind is Kind.MAP:
            for finding in check_grader(form.dialect, node[1].typed_data(anchors), scope, unknown):
                yield locate_in(root, finding.below((*base, *pointer)))
            if form.has_separate_config(where.key, (*base, *pointer)):
                for finding in apart(node[1], anchors):
                    yield locate_in(root, finding.below((*base, *pointer)))


def locate_in(root: Node | None, finding: Finding) -> RangedFinding:
    """The finding with its place in a node."""
    span = span_of(root, finding.pointer, on_key=finding.on == "key")
    related = tuple((span_of(root, it.pointer), it.text) for it in finding.related if it.path is None)
    return RangedFinding(span, finding, related)
