"""What the rules say of a document, with places: of the file as a whole, and of each grader entry.

What is said of an entry is remembered with its node, so that an edit costs the entry it touches.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from waza_engine.analysis.pipeline import CheckContext
from waza_engine.analysis.schema.navigate import narrow
from waza_engine.analysis.versions import newer_than_target
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Rule
from waza_engine.project.document import Document
from waza_lsp.diagnostics.pieces import list_findings, piece_context, piece_findings
from waza_lsp.diagnostics.ranges import RangedFinding, alias_above, span_below, span_in
from waza_lsp.schema.document_kind import Form
from waza_lsp.syntax.tree.node import Node
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.tree import Entry, Tree

_MANY = 8
"""Findings for which it is worth the while to remember where they stand."""


def rule_findings(tree: Tree, form: Form, context: CheckContext) -> list[RangedFinding]:
    """All findings of the rules, in no order; what is said at an anchor is not said again at its aliases."""
    found = _all_findings(tree, form, context)
    if not tree.has_alias:
        return found
    marks = [(it, alias_above(tree, it.in_document.pointer) == it.span) for it in found]
    said = {(it.finding.code, it.finding.message) for it, on_alias in marks if not on_alias}
    return [it for it, on_alias in marks if not on_alias or (it.finding.code, it.finding.message) not in said]


def _all_findings(tree: Tree, form: Form, context: CheckContext) -> list[RangedFinding]:
    data = tree.data()
    document = form.document(data, context.path, context.scope.process_dir, context.files)
    result: list[RangedFinding] = []
    for said in form.whole_findings(document):
        if said:
            result += _locate_rule_findings(tree, said)
    result += _grader_findings(tree, form, document)
    if context.target:
        result += version_findings(tree, form, context.target)
    return result


def version_findings(tree: Tree, form: Form, target: str) -> Iterator[RangedFinding]:
    """The findings about what is newer than the project's version: of each sound piece, cached with it."""
    known, top = form.schema.get("properties", {}), piece_context(form, None, None, target)
    if tree.whole is not None:
        if not tree.whole.parsed.problems:
            for it in piece_findings(tree.whole.parsed, top, tree.whole.parsed.anchors):
                yield it.shift(tree.whole.start)
        return
    done: set[int] = set()
    for entry in tree.entries:
        if entry.is_list:
            # The key of a list is a piece of its own, which does not know whether the list has items.
            head = {entry.key.source: [None] * bool(entry.items)}
            for finding in newer_than_target(form.schema, head, target):
                yield RangedFinding(entry.key.span.shift(entry.piece.start), finding)
            if "items" in narrow(form.schema, known.get(entry.key.source, {}), []):
                yield from list_findings(tree, entry, piece_context(form, entry.key.source, None, target))
        elif not entry.piece.parsed.problems and id(entry.piece) not in done:
            done.add(id(entry.piece))
            for it in piece_findings(entry.piece.parsed, top, tree.anchors):
                yield it.shift(entry.piece.start)


def _locate_rule_findings(tree: Tree, said: tuple[Finding, ...]) -> tuple[RangedFinding, ...]:
    """What one rule says: about an entry that did not change it says the same, in the same places."""
    key = said[0].pointer[:1]
    entry = tree.entry(key[0]) if key else None
    if entry is None or tree.has_alias or len(said) < _MANY:
        return tuple(mark for it in said for mark in _locate(tree, it))
    remembered: dict[Rule, _RuleCache] = entry.items.memory
    known = remembered.get(said[0].rule)
    if known is None or known.findings is not said:
        found = tuple(mark for it in said for mark in _locate(tree, it))
        if any(it.pointer[:1] != key or it.related for it in said):
            return found  # Other entries have a say.
        known = remembered[said[0].rule] = _RuleCache(said, found)
    return known.marks


class _RuleCache(NamedTuple):
    findings: tuple[Finding, ...]
    marks: tuple[RangedFinding, ...]


def _grader_findings(tree: Tree, form: Form, document: Document) -> Iterator[RangedFinding]:
    first = {it.key.source: it for it in reversed(tree.entries)}
    lists = {key: it for key, it in first.items() if it.is_list}
    for pointer, _, found in form.grader_findings(document):
        entry = lists.get(str(pointer[0]))
        marks = _list_grader_findings(entry, pointer, found) if entry is not None else None
        if marks is not None:
            yield from marks
        else:
            for finding in found:
                yield from _locate(tree, finding.below(pointer))


def _list_grader_findings(
    entry: Entry, pointer: Pointer, findings: tuple[Finding, ...]
) -> tuple[RangedFinding, ...] | None:
    """What is said of a grader in the list of a top-level key; None where some of it stands somewhere else."""
    index = int(pointer[1])
    piece, node = entry.items[index]
    place = (_GraderCache, pointer[2:])
    placed: _GraderCache | None = node.cache.get(place)
    if placed is None or (placed.findings is not findings and placed.findings != findings):
        placed = node.cache[place] = _GraderCache(piece, node, pointer[2:], findings)
    return placed.at(piece.start, entry.key.source, index)


def _locate(tree: Tree, finding: Finding) -> Iterator[RangedFinding]:
    span = span_in(tree, finding.pointer, on_key=finding.on == "key")
    if span is not None:
        related = [(span_in(tree, it.pointer), it.text) for it in finding.related if it.path is None]
        yield RangedFinding(
            span, finding, tuple((place, text) for place, text in related if place is not None)
        )


class _GraderCache:
    """What is said of one grader of an item, with places that count from the start of the item's piece."""

    __slots__ = ("_at", "_found", "_offset", "_shifted", "findings")

    def __init__(self, piece: Piece, node: Node, rest: Pointer, findings: tuple[Finding, ...]) -> None:
        self.findings = findings
        self._offset = _offset(piece, node)
        self._found = _locate_all(piece, node, self._offset, [it.below(rest) for it in findings])
        self._at: tuple[int, str, int] | None = None
        self._shifted: tuple[RangedFinding, ...] = ()

    def at(self, start: int, key: str, index: int) -> tuple[RangedFinding, ...] | None:
        """The marks of the item `index` of a list, whose piece starts at a line: most stay where they were.

        None where a finding stands somewhere else, or aliases have a say.
        """
        if self._found is None:
            return None
        if self._at != (start, key, index):
            base = (key, index - self._offset)
            self._shifted = tuple(it.shift(start, base) for it in self._found)
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
        if span is None or any(place is None for place, _ in related):
            return None
        places = tuple((place, text) for place, text in related if place is not None)
        result.append(RangedFinding(span, it.below((offset,)), places))
    return tuple(result)


def _offset(piece: Piece, node: Node) -> int:
    """Which item of its piece a node is: nearly always the only one."""
    root = piece.parsed.root
    return 0 if root is None or root.items[0] is node else root.items.index(node)
