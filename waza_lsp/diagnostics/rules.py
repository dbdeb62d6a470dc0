"""The findings of the rules, with ranges: about the file as a whole, and about each grader entry.

Findings about an entry are cached with its node, so an edit costs only the entries that it touches.
"""

from collections.abc import Iterable, Iterator, Sequence
from operator import is_
from typing import NamedTuple

from waza_engine.analysis.pipeline import CheckContext
from waza_engine.analysis.schema.navigate import narrow
from waza_engine.analysis.versions import needs_check, version_findings
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding
from waza_engine.project.document import Document
from waza_engine.recognition.recognise import releases
from waza_lsp.diagnostics.pieces import list_findings, moved_findings, piece_context, piece_findings
from waza_lsp.diagnostics.ranges import RangedFinding, alias_above, span_below, span_in
from waza_lsp.schema.document_kind import Form
from waza_lsp.syntax.tree.entry import Entry
from waza_lsp.syntax.tree.node import Node
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.tree import Tree

_MANY = 8
"""The ranges of this many findings of one rule are worth keeping."""
_ITEM = 2
"""How long the pointer of an item of a top-level list is."""


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
    data = tree.shared_data
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


def _locate_rule_findings(tree: Tree, findings: tuple[Finding, ...]) -> Sequence[RangedFinding]:
    """Return the findings of one rule with ranges. Many in a list are kept with the list while neither changes."""
    key = findings[0].pointer[:1]
    entry = tree.entry(key[0]) if key else None
    if entry is None or tree.has_alias or len(findings) < _MANY:
        return [ranged for it in findings for ranged in _locate(tree, it)]
    kept, place = entry.items.memory, (_locate_rule_findings, findings[0].rule.code)
    known: tuple[tuple[Finding, ...], Sequence[RangedFinding]] | None = kept.get(place)
    if known is not None and known[0] is findings:
        return known[1]
    pieces = [_pieces_of(entry, it) for it in findings]
    located = [
        ranged for it, its in zip(findings, pieces, strict=True) for ranged in _locate_in_list(tree, it, its)
    ]
    if all(pieces):
        kept[place] = findings, located
    return located


def _locate_in_list(tree: Tree, finding: Finding, pieces: tuple[Piece, ...]) -> Iterable[RangedFinding]:
    """Return a finding with ranges, which are kept with the first of the pieces that it is in."""
    if not pieces:
        return _locate(tree, finding)
    memory, place = pieces[0].memory, (finding.rule.code, finding.pointer)
    known = memory.get(place)
    if known is None or known[0] is not finding or not all(map(is_, known[1], pieces)):
        known = memory[place] = finding, pieces, (*_locate(tree, finding),)
    located: tuple[RangedFinding, ...] = known[2]
    return located


def _pieces_of(entry: Entry, finding: Finding) -> tuple[Piece, ...]:
    """Return the pieces of a list that a finding and its explanations are in; none if any of them is elsewhere."""
    if not finding.related:
        pointer = finding.pointer
        is_inside = len(pointer) >= _ITEM and pointer[0] == entry.key.source
        return (entry.items[int(pointer[1])][0],) if is_inside else ()
    pointers = (finding.pointer, *(it.pointer for it in finding.related if it.path is None))
    if any(len(it) < _ITEM or it[0] != entry.key.source for it in pointers):
        return ()
    return tuple(entry.items[int(it[1])][0] for it in pointers)


class _Located(NamedTuple):
    """The findings about a grader, the item of a top-level list that it is in, and where they are.

    None: in no such item, or some of the findings are outside of it.
    """

    pointer: Pointer
    findings: tuple[Finding, ...]
    item: tuple[Piece, Node] | None
    ranged: tuple[RangedFinding, ...] | None


def _grader_findings(tree: Tree, form: Form, document: Document) -> Iterator[RangedFinding]:
    """Yield the findings about graders. An edit of one costs the others no more than a look at what was found."""
    first = {it.key.source: it for it in reversed(tree.entries)}
    rows = form.grader_findings(document)
    before: list[_Located] = tree.carried.get(_grader_findings, [])
    is_comparable = len(before) == len(rows) and not tree.has_alias
    located: list[_Located] = []
    for number, (pointer, _, found) in enumerate(rows):
        entry = first.get(str(pointer[0]))
        item = entry.items[int(pointer[1])] if entry is not None and entry.is_list else None
        last = before[number] if is_comparable else None
        if last is not None and (found is last.findings and item is last.item and pointer == last.pointer):
            located.append(last)
            continue
        ranged = (
            _list_grader_findings(entry, pointer, found) if entry is not None and item is not None else None
        )
        located.append(_Located(pointer, found, item, ranged))
    tree.carried[_grader_findings] = located
    for it in located:
        if it.ranged is not None:
            yield from it.ranged
        else:
            for finding in it.findings:
                yield from _locate(tree, finding.below(it.pointer))


def _list_grader_findings(
    entry: Entry, pointer: Pointer, findings: tuple[Finding, ...]
) -> tuple[RangedFinding, ...] | None:
    """Return the findings about a grader in a top-level list; None if some of them are outside of its item."""
    index, rest = int(pointer[1]), pointer[2:]
    piece, node = entry.items[index]
    place = (_located_below, rest)
    known = node.memory.get(place)
    # Equal items share a node, but not always their findings.
    if known is None or (known[0] is not findings and known[0] != findings):
        known = node.memory[place] = (
            findings,
            _located_below(piece, node, [it.below(rest) for it in findings]),
        )
    located: tuple[RangedFinding, ...] | None = known[1]
    if located is None:
        return None
    return moved_findings(piece, place, (entry.key.source, index - _offset(piece, node)), located)


def _locate(tree: Tree, finding: Finding) -> Iterator[RangedFinding]:
    span = span_in(tree, finding.pointer, on_key=finding.on == "key")
    if span is not None:
        related = [(span_in(tree, it.pointer), it.text) for it in finding.related if it.path is None]
        yield RangedFinding(span, finding, tuple((span, text) for span, text in related if span is not None))


def _located_below(piece: Piece, node: Node, findings: Sequence[Finding]) -> tuple[RangedFinding, ...] | None:
    """Return findings about an item with lines of its piece; None if one is outside of the item, or it has aliases."""
    if piece.parsed.has_alias:
        return None
    offset = _offset(piece, node)
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
