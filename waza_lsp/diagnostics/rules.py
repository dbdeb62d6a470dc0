"""The findings of the rules, with ranges: about the file as a whole, and about each grader entry.

Findings about an entry are cached with its node, so an edit costs only the entries that it touches.
"""

from collections.abc import Iterator, Sequence

from waza_engine.analysis.pipeline import CheckContext
from waza_engine.analysis.schema.navigate import narrow
from waza_engine.analysis.versions import needs_check, version_findings
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.queries.store import made_of
from waza_engine.model.findings import Finding
from waza_engine.project.document import Document
from waza_engine.recognition.recognise import releases
from waza_lsp.diagnostics.pieces import list_findings, piece_context, piece_findings
from waza_lsp.diagnostics.ranges import RangedFinding, alias_above, span_below, span_in
from waza_lsp.schema.document_kind import Form
from waza_lsp.syntax.tree.node import Node
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.tree import Entry, Tree

_MANY = 8
"""The ranges of this many findings of one rule are worth caching."""


def rule_findings(tree: Tree, form: Form, context: CheckContext) -> list[RangedFinding]:
    """Return the findings of all rules, unordered. A finding at an anchor is not repeated at its aliases."""
    found = _all_findings(tree, form, context)
    if not tree.has_alias:
        return found
    located = [(it, alias_above(tree, it.in_document.pointer) == it.span) for it in found]
    at_anchors = {(it.finding.code, it.finding.message) for it, on_alias in located if not on_alias}
    return [
        it
        for it, on_alias in located
        if not on_alias or (it.finding.code, it.finding.message) not in at_anchors
    ]


def _all_findings(tree: Tree, form: Form, context: CheckContext) -> list[RangedFinding]:
    data = tree.data()
    document = form.document(data, context.path, context.scope.process_dir, context.files)
    result: list[RangedFinding] = []
    for findings in form.whole_findings(document):
        if findings:
            result += _locate_rule_findings(tree, findings)
    result += _grader_findings(tree, form, document)
    target = releases(form.dialect).target(context.target)
    if needs_check(form.dialect, form.kind, target):
        result += _version_findings(tree, form, target)
    return result


def _version_findings(tree: Tree, form: Form, target: str) -> Iterator[RangedFinding]:
    """Yield findings about keys and values that this version refuses or does not know; cached per piece."""
    known, top = form.schema.get("properties", {}), piece_context(form, None, None, target)
    if tree.whole is not None:
        if not tree.whole.parsed.problems:
            for it in piece_findings(tree.whole.parsed, top, tree.whole.parsed.anchors):
                yield it.shift(tree.whole.start)
        return
    done: set[int] = set()
    for entry in tree.entries:
        if entry.is_list:
            # The key of a list is a piece without the items, so it cannot tell an empty list from a full one.
            head = {entry.key.source: [None] * bool(entry.items)}
            for finding in version_findings(form.dialect, form.kind, head, target):
                yield RangedFinding(entry.key.span.shift(entry.piece.start), finding)
            if "items" in narrow(form.schema, known.get(entry.key.source, {}), []):
                yield from list_findings(tree, entry, piece_context(form, entry.key.source, None, target))
        elif not entry.piece.parsed.problems and id(entry.piece) not in done:
            done.add(id(entry.piece))
            for it in piece_findings(entry.piece.parsed, top, tree.anchors):
                yield it.shift(entry.piece.start)


def _locate_rule_findings(tree: Tree, findings: tuple[Finding, ...]) -> tuple[RangedFinding, ...]:
    """Return the findings of one rule with ranges. They are cached with the list that all of them are in."""
    key = findings[0].pointer[:1]
    entry = tree.entry(key[0]) if key else None
    if entry is None or tree.has_alias or len(findings) < _MANY:
        return _located(tree, findings)
    if any(it.pointer[:1] != key or it.related for it in findings):
        return _located(tree, findings)  # They depend on other entries.
    return made_of(entry.items.memory, findings[0].rule, findings, lambda: _located(tree, findings))


def _located(tree: Tree, findings: tuple[Finding, ...]) -> tuple[RangedFinding, ...]:
    return tuple(ranged for it in findings for ranged in _locate(tree, it))


def _grader_findings(tree: Tree, form: Form, document: Document) -> Iterator[RangedFinding]:
    first = {it.key.source: it for it in reversed(tree.entries)}
    lists = {key: it for key, it in first.items() if it.is_list}
    for pointer, _, found in form.grader_findings(document):
        entry = lists.get(str(pointer[0]))
        ranged = _list_grader_findings(entry, pointer, found) if entry is not None else None
        if ranged is not None:
            yield from ranged
        else:
            for finding in found:
                yield from _locate(tree, finding.below(pointer))


def _list_grader_findings(
    entry: Entry, pointer: Pointer, findings: tuple[Finding, ...]
) -> tuple[RangedFinding, ...] | None:
    """Return the findings about a grader in a top-level list; None if some of them are outside of its item."""
    index = int(pointer[1])
    piece, node = entry.items[index]
    ranged = made_of(
        node.memory,
        (_RangedInItem, pointer[2:]),
        findings,
        lambda: _RangedInItem(piece, node, pointer[2:], findings),
    )
    return ranged.at(piece.start, entry.key.source, index)


def _locate(tree: Tree, finding: Finding) -> Iterator[RangedFinding]:
    span = span_in(tree, finding.pointer, on_key=finding.on == "key")
    if span is not None:
        related = [(span_in(tree, it.pointer), it.text) for it in finding.related if it.path is None]
        yield RangedFinding(span, finding, tuple((span, text) for span, text in related if span is not None))


class _RangedInItem:
    """The findings about one grader of an item. Lines count from the start of the item's piece."""

    __slots__ = ("_at", "_offset", "_ranged", "_shifted")

    def __init__(self, piece: Piece, node: Node, rest: Pointer, findings: tuple[Finding, ...]) -> None:
        self._offset = _offset(piece, node)
        self._ranged = _locate_all(piece, node, self._offset, [it.below(rest) for it in findings])
        self._at: tuple[int, str, int] | None = None
        self._shifted: tuple[RangedFinding, ...] = ()

    def at(self, start: int, key: str, index: int) -> tuple[RangedFinding, ...] | None:
        """Return the findings with lines of the text, for item `index` of a list whose piece starts at `start`.

        An item that did not move returns the same objects. None if a finding is outside of the item, or the item has
        aliases.
        """
        if self._ranged is None:
            return None
        if self._at != (start, key, index):
            base = (key, index - self._offset)
            self._shifted = tuple(it.shift(start, base) for it in self._ranged)
            self._at = (start, key, index)
        return self._shifted


def _locate_all(
    piece: Piece, node: Node, offset: int, findings: Sequence[Finding]
) -> tuple[RangedFinding, ...] | None:
    if piece.parsed.has_alias:
        return None
    result: list[RangedFinding] = []
    for it in findings:
        span = span_below(node, it.pointer, on_key=it.on == "key")
        related = [
            (span_below(node, other.pointer), other.text) for other in it.related if other.path is None
        ]
        if span is None or any(other is None for other, _ in related):
            return None
        explanations = tuple((span, text) for span, text in related if span is not None)
        result.append(RangedFinding(span, it.below((offset,)), explanations))
    return tuple(result)


def _offset(piece: Piece, node: Node) -> int:
    """The index of an item in its piece; nearly always 0, because a piece has one item."""
    root = piece.parsed.root
    return 0 if root is None or root.items[0] is node else root.items.index(node)
