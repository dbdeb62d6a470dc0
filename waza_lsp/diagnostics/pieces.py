"""The findings of one piece of a text: of its part of the schema, of its grader types, of the project's version.

They are cached with the piece, so an edit costs the pieces that it touches. A piece whose findings depend on files is
checked again when one of these files has changed.
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from waza_engine.analysis.pipeline import CheckContext, check_grader, unknown_keys
from waza_engine.analysis.schema.navigate import Schema, discriminated_values, resolve
from waza_engine.analysis.versions import version_findings
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.queries.store import kept_fresh, made_of
from waza_engine.model.findings import Finding, Scope
from waza_engine.rules.missing_key import MISSING_KEY
from waza_lsp.diagnostics.cascades import has_unknown_alias
from waza_lsp.diagnostics.ranges import RangedFinding, span_of
from waza_lsp.schema.document_kind import Form
from waza_lsp.syntax.text import Span
from waza_lsp.syntax.tree.entry import Entry
from waza_lsp.syntax.tree.node import Kind, Node, descend
from waza_lsp.syntax.tree.parse import Parsed
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class PieceContext:
    """Where pieces are, and which checks run: in a list under `key`, or at the top level (`None`).

    With a `target`, only the version checks run. Without one, the schema is checked and, given a scope, the grader types.
    If the files are `frozen`, findings that depend on them stay valid, and nobody asks which they are.
    """

    form: Form
    key: str | None
    scope: Scope | None
    target: str = ""
    frozen: bool = False

    def item_findings(self, item: tuple[Piece, Node]) -> tuple[RangedFinding, ...] | None:
        """Return the findings of an item's piece, with lines of the piece. An item with aliases depends on more."""
        parsed = item[0].parsed
        if parsed.root is None or parsed.problems or parsed.has_alias:
            return None
        return _findings_of(parsed, parsed.root, self)


@lru_cache(maxsize=256)
def piece_context(
    form: Form, key: str | None, scope: Scope | None, target: str = "", *, frozen: bool = False
) -> PieceContext:
    """Return the same object for equal arguments: caches look findings up by identity."""
    return PieceContext(form, key, scope, target, frozen)


def context_of_pieces(form: Form, key: str | None, context: CheckContext) -> PieceContext:
    """Return the context for the pieces of a document."""
    return piece_context(form, key, context.scope, frozen=context.files.is_final)


def piece_findings(
    parsed: Parsed, context: PieceContext, anchors: dict[str, Node]
) -> tuple[RangedFinding, ...]:
    """Return the findings of a piece without syntax errors. Lines count from the first line of the piece.

    `anchors` are those of the whole text.
    """
    if parsed.root is None:
        return ()
    if parsed.has_alias:
        return _check_piece(parsed, parsed.root, context, anchors)
    return _findings_of(parsed, parsed.root, context)


def list_findings(tree: Tree, entry: Entry, context: PieceContext) -> Iterator[RangedFinding]:
    """Yield the findings of the list of a top-level key, without broken pieces. Lines count from the top of the text."""
    last = None
    if tree.has_alias:
        for index, (piece, _) in enumerate(entry.items):
            if piece is not last and not piece.parsed.problems:
                base = (context.key or "", index)
                yield from (
                    it.shift(piece.start, base) for it in piece_findings(piece.parsed, context, tree.anchors)
                )
            last = piece
        return
    for index, found in entry.items.results(context, context.item_findings):
        piece, _ = entry.items[index]
        if piece is not last:
            yield from moved_findings(piece, context, (context.key or "", index), found)
        last = piece


def _findings_of(parsed: Parsed, root: Node, context: PieceContext) -> tuple[RangedFinding, ...]:
    """Return the findings of a piece without aliases. What they depend on is noted."""
    if not context.frozen:
        found: tuple[RangedFinding, ...] = kept_fresh(
            root.memory, context, lambda: _check_piece(parsed, root, context, parsed.anchors)
        ).value
        return found
    known: tuple[RangedFinding, ...] | None = root.memory.get(context)
    if known is None:
        # Findings that depend on no file, or on none that can change.
        known = root.memory[context] = _check_piece(parsed, root, context, parsed.anchors)
    return known


def moved_findings(
    piece: Piece, name: Hashable, base: tuple[str, int], found: tuple[RangedFinding, ...]
) -> tuple[RangedFinding, ...]:
    """Return findings of a piece with lines of the text, and pointers below `base`.

    A piece that did not move returns the same objects: callers keep what they make of them by identity.
    """
    return made_of(
        piece.memory, (name, base), found, lambda: tuple(it.shift(piece.start, base) for it in found)
    )


def _check_piece(
    parsed: Parsed, root: Node, context: PieceContext, anchors: dict[str, Node]
) -> tuple[RangedFinding, ...]:
    found = _check_nodes(parsed, root, context, anchors)
    # A template is parsed as a string. Its value is checked only once it is quoted.
    templates = {it.start for it in parsed.templates}
    return tuple(it for it in found if it.span.start not in templates) if templates else found


def _check_nodes(
    parsed: Parsed, root: Node, context: PieceContext, nodes: dict[str, Node]
) -> tuple[RangedFinding, ...]:
    form, key = context.form, context.key
    known: dict[str, Any] = form.schema.get("properties", {})
    if context.target:
        versions = version_findings(form.dialect, form.kind, root.data(nodes), context.target, key=key)
        return tuple(locate_in(root, it) for it in versions)
    result: list[RangedFinding] = []
    if key is not None:
        items = resolve(form.schema, known[key])["items"]
        for index, item in enumerate(root.items):
            result += _check_value(parsed, (index,), item, context, items, nodes)
    else:
        for key_node, value in root.pairs:
            if key_node.source in known:
                schema = known[key_node.source]
                result += _check_value(parsed, (key_node.source,), value, context, schema, nodes)
    return tuple(result)


def _check_value(
    parsed: Parsed,
    base: Pointer,
    value: Node,
    context: PieceContext,
    schema: Schema,
    anchors: dict[str, Node],
) -> Iterator[RangedFinding]:
    root, form, scope = parsed.root, context.form, context.scope
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
        if node is None or (parsed.has_alias and has_unknown_alias(node[1], anchors)):
            continue
        if node[1].kind is Kind.MAP:
            for finding in check_grader(form.dialect, node[1].typed_data(anchors), scope, unknown):
                yield locate_in(root, finding.below((*base, *pointer)))
            if form.has_separate_config(context.key, (*base, *pointer)):
                for finding in _config_findings(node[1], anchors, has_alias=parsed.has_alias):
                    yield locate_in(root, finding.below((*base, *pointer)))


def _config_findings(entry: Node, anchors: Mapping[str, Node], *, has_alias: bool) -> Iterator[Finding]:
    """Yield what waza cannot read when it writes the config of a grader to YAML and reads it back."""
    if not has_alias and not _has_empty_value_in_flow(entry):
        return
    # Imported late: nearly all files do without.
    from waza_engine.lib.yaml.roundtrip import config_problems
    from waza_engine.rules.unreadable_config import unreadable_config
    from waza_lsp.syntax.tree.engine_nodes import compose

    data = entry.data(dict(anchors))
    for problem in config_problems(compose(entry, anchors)):
        yield unreadable_config(problem, data)


def _has_empty_value_in_flow(entry: Node) -> bool:
    waiting = [entry]
    for node in waiting:
        if node.flow and any(value.is_empty for _, value in node.pairs):
            return True
        waiting += [it for it in (*(value for _, value in node.pairs), *node.items) if it.pairs or it.items]
    return False


def locate_in(root: Node | None, finding: Finding) -> RangedFinding:
    """Return the finding with its range below a node."""
    span = span_of(root, finding.pointer, on_key=finding.on == "key")
    if finding.rule is MISSING_KEY and finding.on == "key":
        span = _from_type(root, finding.pointer, span)
    related = tuple((span_of(root, it.pointer), it.text) for it in finding.related if it.path is None)
    return RangedFinding(span, finding, related)


def _from_type(root: Node | None, pointer: Pointer, span: Span) -> Span:
    """Return the span of a grader's `config`, extended to the `type` right above it, which requires the missing option."""
    match pointer:
        case (*_, int(), "config") if root is not None:
            entry = descend(root, pointer[:-1])
            pairs = entry[1].pairs if entry is not None else []
            for (key, value), (following, _) in pairwise(pairs):
                if key.source == "type" and following.span == span:
                    return Span(value.span.start, span.end)
        case _:
            pass
    return span
