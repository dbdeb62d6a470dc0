"""The editor's check pipeline: a document's findings with their places (`waza_engine.analysis.pipeline`).

The stages are syntax, structure, schema and grader types, rules. A region that one stage condemned is skipped by the next.
Then filters drop what other findings explain, what comments suppress, and what the project does not want to see.
"""

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Any, NamedTuple

from waza_engine.analysis.pipeline import CheckContext, finish
from waza_engine.analysis.schema.fixes import skeleton_fixes
from waza_engine.analysis.schema.navigate import Schema, resolve
from waza_engine.model.findings import Scope, Severity
from waza_engine.rules.duplicate_key import DUPLICATE_KEY
from waza_engine.rules.empty_file import EMPTY_FILE
from waza_engine.rules.refused_config import REFUSED_CONFIG, is_told
from waza_engine.rules.second_document import SECOND_DOCUMENT
from waza_engine.rules.syntax_error import SYNTAX_ERROR
from waza_engine.rules.text_cut_by_comment import TEXT_CUT_BY_COMMENT
from waza_engine.rules.unknown_tag import UNKNOWN_TAG
from waza_engine.rules.unquoted_template import UNQUOTED_TEMPLATE
from waza_engine.rules.unreadable_file import UNREADABLE_FILE
from waza_lsp.diagnostics.cascades import (
    drop_effects_of_syntax_errors,
    drop_effects_of_unknown_aliases,
    drop_items_below_unfinished_keys,
    report_outdented_keys,
)
from waza_lsp.diagnostics.pieces import list_findings, locate_in, piece_context, piece_findings
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.diagnostics.rules import rule_findings
from waza_lsp.diagnostics.suppressions import apply_suppressions
from waza_lsp.schema.document_kind import Form
from waza_lsp.syntax.errors.hints import TEMPLATE_MESSAGE, Cause
from waza_lsp.syntax.scalars import span_of_part
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree.aliases import invalid_merges, recursive_aliases, unknown_aliases, unknown_tags
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.split import TOO_LARGE_MESSAGE, PieceKind
from waza_lsp.syntax.tree.tree import Entry, Tree


class _Checked(NamedTuple):
    """What filters know of the document."""

    tree: Tree
    text: Text
    form: Form
    context: CheckContext


def check_document(tree: Tree, text: Text, form: Form, context: CheckContext) -> list[RangedFinding]:
    """All findings of a document that its project wants to see, in the order of the text."""
    unreadable = _unreadable(tree)
    found = [unreadable] if unreadable is not None else _stages(tree, form, context)
    document = _Checked(tree, text, form, context)
    for _, apply in _ALWAYS if unreadable is not None else (*_CASCADES, *_ALWAYS):
        found = apply(found, document)
    return found


_Filter = Callable[[list[RangedFinding], _Checked], list[RangedFinding]]


def _stages(tree: Tree, form: Form, context: CheckContext) -> list[RangedFinding]:
    scope = context.scope if context.complete else None
    result = list(_syntax(tree))
    at_fault = {it.span.start.line for it in result}
    result += [it for it in _references(tree) if it.span.start.line not in at_fault]
    result += _structure(tree, form)
    whole = tree.whole
    if whole is not None:
        if not whole.parsed.problems:
            result += _whole(whole, form, scope)
    else:
        result += _root(tree, form)
        result += _parts(tree, form, scope)
    return _with_rules(result, tree, form, context) if context.complete else result


def _unreadable(tree: Tree) -> RangedFinding | None:
    """The one finding of a text that cannot be read as a whole."""
    if tree.is_cut_off:
        return RangedFinding(Span(Place(0, 0), Place(0, 0)), UNREADABLE_FILE.at((), TOO_LARGE_MESSAGE))
    if tree.conflict >= 0:
        # Both sides of a conflict are in the text: any other finding would be about neither.
        span = Span(Place(tree.conflict, 0), Place(tree.conflict, 7))
        return RangedFinding(
            span, SYNTAX_ERROR.at((), "Merge conflict; choose a side and remove the markers")
        )
    if tree.excess >= 0:
        span = Span(Place(tree.excess, 0), Place(tree.excess, 1))
        message = "From this line on the aliases stand for too many values; write fewer of them"
        return RangedFinding(span, SYNTAX_ERROR.at((), message))
    return None


def _with_rules(
    found: list[RangedFinding], tree: Tree, form: Form, context: CheckContext
) -> list[RangedFinding]:
    """The findings of earlier stages, and those of the rules at places that no earlier stage condemned."""
    refused = [it for it in found if it.finding.rule is REFUSED_CONFIG]
    condemned = {it.span.start for it in found if it.finding.severity is Severity.ERROR and it not in refused}
    cut_off = set(_lines_of_cut_off_blocks(tree))
    cut_off.update(it.piece.start for it in tree.entries if _is_unread_list(tree, it))
    said = [
        it
        for it in drop_effects_of_syntax_errors(rule_findings(tree, form, context), tree, form)
        if it.span.start not in condemned and it.span.start.line not in cut_off
    ]
    if refused:
        # Imported late: nearly all files do without.
        from waza_engine.rules.unreadable_config import UNREADABLE_CONFIG

        unreadable = (it for it in found if it.finding.rule is UNREADABLE_CONFIG)
        findings = [it.in_document for it in (*unreadable, *said)]
        again = [it for it in refused if is_told(it.in_document, findings)]
        found = [it for it in found if it not in again]
    return [*found, *said]


def _syntax(tree: Tree) -> Iterator[RangedFinding]:
    for before, piece in zip((None, *tree.pieces), tree.pieces, strict=False):
        it = piece.parsed
        if not (it.problems or it.templates or it.accidental_comments or it.duplicates):
            continue
        # A stray line behind a quote or bracket that is not closed is most likely inside it.
        if piece.kind is not PieceKind.STRAY or before is None or not before.parsed.unterminated:
            yield from _piece_syntax(piece)


def _lines_of_cut_off_blocks(tree: Tree) -> Iterator[int]:
    """Where `key: |` seems to be empty because its text is not indented."""
    for piece in [it for it in tree.pieces if it.parsed.problems]:
        for problem in piece.parsed.problems:
            if problem.cause is Cause.SHALLOW_BLOCK:
                yield piece.start + problem.span.start.line - 1


def _references(tree: Tree) -> Iterator[RangedFinding]:
    """Aliases, merge keys and tags that stand for nothing."""
    pieces = tree.pieces if tree.has_alias else ()
    for name, span in unknown_aliases(pieces):
        yield RangedFinding(span, SYNTAX_ERROR.at((), f"There is no anchor '&{name}' above"))
    for name, span in recursive_aliases(pieces):
        yield RangedFinding(
            span, SYNTAX_ERROR.at((), f"This stands inside of '&{name}', which would contain itself")
        )
    for span in invalid_merges(tree.pieces, tree.anchors):
        yield RangedFinding(
            span,
            SYNTAX_ERROR.at((), "'<<' takes the keys of a mapping, or of a list of mappings; this is none"),
        )
    for tag, span in unknown_tags(tree.pieces):
        yield RangedFinding(
            span, UNKNOWN_TAG.at((), f"YAML has no tag '{tag}'; remove it, or put the value in quotes")
        )


def _piece_syntax(piece: Piece) -> Iterator[RangedFinding]:
    for problem in piece.parsed.problems:
        rule = UNQUOTED_TEMPLATE if problem.cause is Cause.TEMPLATE else SYNTAX_ERROR
        yield RangedFinding(problem.span.shift(piece.start), rule.at((), problem.message))
    for node in piece.parsed.templates:
        yield RangedFinding(node.span.shift(piece.start), UNQUOTED_TEMPLATE.at((), TEMPLATE_MESSAGE))
    for span in piece.parsed.accidental_comments:
        message = (
            "The value ends here and this is a comment; put the whole value in quotes if it is part of it"
        )
        yield RangedFinding(span.shift(piece.start), TEXT_CUT_BY_COMMENT.at((), message))
    for first, second in piece.parsed.duplicates:
        yield _duplicate(first, second, piece, piece)


def _duplicate(first: Node, second: Node, first_piece: Piece, second_piece: Piece) -> RangedFinding:
    finding = DUPLICATE_KEY.at((), f"'{second.source}' stands twice in this mapping; remove one", on="key")
    related = ((first.span.shift(first_piece.start), "First here"),)
    return RangedFinding(second.span.shift(second_piece.start), finding, related)


def _structure(tree: Tree, form: Form) -> Iterator[RangedFinding]:
    is_blank = all(it.kind is PieceKind.SKIPPED for it in tree.pieces)
    if is_blank and not tree.has_more_documents and form.schema.get("required"):
        empty = EMPTY_FILE.at((), "There is nothing in this file yet", fixes=skeleton_fixes(form.schema))
        yield RangedFinding(Span(Place(0, 0), Place(0, 0)), empty)
    seen: dict[str, Entry] = {}
    for entry in tree.entries:
        first = seen.setdefault(entry.key.source, entry)
        if first is not entry and first.piece is not entry.piece:
            yield _duplicate(first.key, entry.key, first.piece, entry.piece)
    if tree.has_more_documents:
        line = tree.second_document
        message = "Only the first document of a file is read; everything below this line is ignored"
        severity = None
        if is_blank:
            message = "Only the first document of a file is read, and it is empty; remove this line"
            severity = Severity.ERROR
        finding = SECOND_DOCUMENT.at((), message, severity=severity)
        yield RangedFinding(Span(Place(line, 0), Place(line, 3)), finding)


def _whole(whole: Piece, form: Form, scope: Scope | None) -> Iterator[RangedFinding]:
    root, anchors = whole.parsed.root, whole.parsed.anchors
    data = root.data(anchors) if root is not None else None
    is_mapping = isinstance(data, dict)
    for finding in form.checker.check_root(data) if is_mapping else form.checker.check(data):
        yield locate_in(root, finding).shift(whole.start)
    for mark in piece_findings(whole.parsed, piece_context(form, None, scope), anchors) if is_mapping else ():
        yield mark.shift(whole.start)


def _root(tree: Tree, form: Form) -> Iterator[RangedFinding]:
    """What is wrong with the top-level keys as such."""
    data = {it.key.source: True if _is_beyond(it) else tree.entry_data(it) for it in tree.entries}
    for finding in form.checker.check_root(data):
        located = tree.find(finding.pointer) if finding.pointer else None
        if located is not None and located.key is not None:
            # A key inside a broken piece may be no key of the top level at all.
            if _is_sound(tree, located.key):
                yield RangedFinding(located.key, finding)
        elif tree.entries and not (_is_broken(tree) or _is_in_a_list(data, tree, form)):
            first = tree.entries[0]
            yield RangedFinding(first.key.span.shift(first.piece.start), finding)


def _is_beyond(entry: Entry) -> bool:
    """Whether a value stands in other pieces, or could not be read."""
    return entry.is_list or (entry.value.is_empty and bool(entry.piece.parsed.problems))


def _is_broken(tree: Tree) -> bool:
    return any(it.parsed.problems and it.kind is not PieceKind.ITEM for it in tree.pieces)


def _is_in_a_list(data: Mapping[str, Any], tree: Tree, form: Form) -> bool:
    """Whether a key that the top level lacks stands in an item of a list, in no column of its neighbours."""
    known = form.schema.get("properties", {})
    strays = (it.parsed.stray_key for it in tree.pieces if it.parsed.problems)
    return any(it is not None and it.name in known and it.name not in data for it in strays)


def _is_sound(tree: Tree, key: Span) -> bool:
    piece = tree.piece_at(key.start.line)
    if piece is None:
        return True
    problems = piece.parsed.problems
    at_fault = [*(it.span for it in problems), *(it.span for it in piece.parsed.templates)]
    if any(
        it.start <= key.end and key.start <= it.end for it in (span.shift(piece.start) for span in at_fault)
    ):
        return False
    return not problems or key.start.line == piece.start


def _is_unread_list(tree: Tree, entry: Entry) -> bool:
    """Whether a list has items, of which none can be read."""
    below = tree.piece_at(entry.piece.end) if entry.is_list and not entry.items else None
    return below is not None and below.kind is PieceKind.ITEM and bool(below.parsed.problems)


def _parts(tree: Tree, form: Form, scope: Scope | None) -> Iterator[RangedFinding]:
    """What is wrong under each top-level key."""
    known: dict[str, Any] = form.schema.get("properties", {})
    done: set[int] = set()
    for entry in tree.entries:
        schema = known.get(entry.key.source)
        if schema is None or id(entry.piece) in done:
            continue
        if entry.is_list:
            yield from _list(tree, entry, form, schema, scope)
        elif not entry.piece.parsed.problems:
            done.add(id(entry.piece))
            found = piece_findings(entry.piece.parsed, piece_context(form, None, scope), tree.anchors)
            yield from (it.shift(entry.piece.start) for it in found)


def _list(
    tree: Tree, entry: Entry, form: Form, schema: Schema, scope: Scope | None
) -> Iterator[RangedFinding]:
    resolved = resolve(form.schema, schema)
    if "items" not in resolved:
        finding = form.checker.check_part([], schema)
        yield from (RangedFinding(entry.key.span.shift(entry.piece.start), it) for it in finding)
        return
    listed = [
        None if it.kind is Kind.SCALAR and it.value is None and not piece.parsed.problems else True
        for piece, it in entry.items
    ]
    for it in form.checker.check_list(listed, schema) if not _is_unread_list(tree, entry) else ():
        yield RangedFinding(entry.key.span.shift(entry.piece.start), it)
    yield from list_findings(tree, entry, piece_context(form, entry.key.source, scope))


def _with_nested_keys(found: list[RangedFinding], document: _Checked) -> list[RangedFinding]:
    """The findings, with one for each list or mapping in the place of a key instead of all others there."""
    pieces = document.tree.pieces
    nested = [it.shift(piece.start) for piece in pieces for it in piece.parsed.nested_keys]
    if not nested:
        return found
    starts = {it.start for it in nested}
    message = "A key must be a plain word or a quoted text"
    told = [RangedFinding(it, SYNTAX_ERROR.at((), message)) for it in nested]
    return [*(it for it in found if it.span.start not in starts), *told]


def _not_suppressed(found: list[RangedFinding], document: _Checked) -> list[RangedFinding]:
    complete = document.context.complete
    return apply_suppressions(found, document.tree, document.text.lines, complete=complete)


def _finished(found: list[RangedFinding], document: _Checked) -> list[RangedFinding]:
    """The marks under the settings of the project. One that does not change stays the same object."""
    findings = finish((it.finding for it in found), document.form.dialect, document.context)
    return [
        mark if finding is mark.finding else mark._replace(finding=finding)
        for mark, finding in zip(found, findings, strict=True)
        if finding is not None
    ]


def _narrowed(found: list[RangedFinding], document: _Checked) -> list[RangedFinding]:
    return [_pointed(it, document.text) if it.finding.part is not None else it for it in found]


def _pointed(mark: RangedFinding, text: Text) -> RangedFinding:
    """The mark with the part of its text that is at fault; what an alias stands for is written elsewhere."""
    part = mark.finding.part if not text.slice(mark.span).startswith(("*", "<<")) else None
    found = span_of_part(text.lines, mark.span.start, part) if part is not None else None
    return mark._replace(part=found) if found is not None else mark


_SPAN = attrgetter("span")

_CASCADES: tuple[tuple[str, _Filter], ...] = (
    ("lists and mappings as keys", _with_nested_keys),
    (
        "items below an unfinished key",
        lambda found, it: drop_items_below_unfinished_keys(found, it.tree, it.form),
    ),
    ("unknown aliases and tags", lambda found, it: drop_effects_of_unknown_aliases(found, it.tree)),
    ("lines that left their mapping", lambda found, it: report_outdented_keys(found, it.tree, it.form)),
    ("order of the text", lambda found, _: sorted(found, key=_SPAN)),
)
"""Filters that drop what only follows from another mistake, by name, in their order."""
_ALWAYS: tuple[tuple[str, _Filter], ...] = (
    ("suppression comments", _not_suppressed),
    ("part of a text", _narrowed),
    ("settings of the project", _finished),
)
"""Filters for all findings, after those for cascades."""
