"""Check a document piece by piece, in the stages of `waza_engine.analysis.pipeline`.

The stages are syntax, structure, schema and grader types, rules. A stage skips what an earlier one condemned. Then
filters drop cascades, suppressed findings and those that the project switches off.
"""

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Any, NamedTuple

from waza_engine.analysis.pipeline import CheckContext, finish, moved_keys, takes_keys_along, without_moot
from waza_engine.analysis.schema.navigate import Schema, resolve
from waza_engine.lib.queries.disk import disk
from waza_engine.lib.queries.tracking import is_tracking, note_all, track_reads, untracked
from waza_engine.lib.yaml.messages import INVALID_KEY
from waza_engine.model.findings import Severity
from waza_engine.recognition.recognise import kind_of
from waza_engine.rules.never_applied import NEVER_APPLIED
from waza_engine.rules.refused_config import REFUSED_CONFIG, is_explained
from waza_engine.rules.syntax_error import SYNTAX_ERROR
from waza_engine.rules.unknown_key import UNKNOWN_KEY
from waza_engine.rules.unreadable_file import UNREADABLE_FILE
from waza_lsp.diagnostics.cascades import (
    drop_effects_of_syntax_errors,
    drop_effects_of_unknown_aliases,
    drop_items_below_unfinished_keys,
    drop_missing_keys_on_the_move,
    report_outdented_keys,
)
from waza_lsp.diagnostics.pieces import context_of_pieces, list_findings, locate_in, piece_findings
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.diagnostics.rules import rule_findings
from waza_lsp.diagnostics.suppressions import apply_suppressions
from waza_lsp.diagnostics.syntax import reference_findings, structure_findings, syntax_findings
from waza_lsp.schema.document_kind import Form
from waza_lsp.syntax.errors.hints import Cause
from waza_lsp.syntax.scalars import span_of_part
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree.entry import Entry
from waza_lsp.syntax.tree.node import Kind
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.split import TOO_LARGE_MESSAGE, PieceKind
from waza_lsp.syntax.tree.tree import Tree


class _Checked(NamedTuple):
    """A checked document, as the filters need it."""

    tree: Tree
    text: Text
    form: Form
    context: CheckContext


def check_document(tree: Tree, text: Text, form: Form, context: CheckContext) -> list[RangedFinding]:
    """Return the findings of a document under the settings of its project, in the order of the text."""
    if context.files.is_final and not is_tracking():
        with untracked():
            return _found(tree, text, form, context)
    disk.look_if_due()
    # One computation, so that all of it sees one state of the disk.
    with track_reads() as reads:
        found = _found(tree, text, form, context)
    note_all(reads.dependencies)
    return found


def _found(tree: Tree, text: Text, form: Form, context: CheckContext) -> list[RangedFinding]:
    unreadable = _unreadable(tree)
    found = [unreadable] if unreadable is not None else _stages(tree, form, context)
    document = _Checked(tree, text, form, context)
    for _, apply in _FINAL if unreadable is not None else (*_CASCADES, *_FINAL):
        found = apply(found, document)
    return found


_Filter = Callable[[list[RangedFinding], _Checked], list[RangedFinding]]


def _stages(tree: Tree, form: Form, context: CheckContext) -> list[RangedFinding]:
    result = list(syntax_findings(tree))
    broken = {it.span.start.line for it in result}
    result += [it for it in reference_findings(tree) if it.span.start.line not in broken]
    result += structure_findings(tree, form)
    whole = tree.whole
    if whole is not None:
        if not whole.parsed.problems:
            result += _whole_findings(whole, form, context)
    else:
        result += _root_findings(tree, form)
        result += _value_findings(tree, form, context)
    return _with_rules(result, tree, form, context)


def _unreadable(tree: Tree) -> RangedFinding | None:
    """Return the only finding of a text that is too large, in conflict, or full of nested aliases."""
    if tree.is_cut_off:
        return RangedFinding(Span(Place(0, 0), Place(0, 0)), UNREADABLE_FILE.at((), TOO_LARGE_MESSAGE))
    if tree.conflict >= 0:
        # Both sides of the conflict are in the text, so no other finding would fit either of them.
        span = Span(Place(tree.conflict, 0), Place(tree.conflict, 7))
        return RangedFinding(
            span, SYNTAX_ERROR.at((), "Merge conflict. Choose a side and remove the markers")
        )
    if tree.excess >= 0:
        span = Span(Place(tree.excess, 0), Place(tree.excess, 1))
        message = "From this line on, the aliases expand to too many values. Use fewer aliases"
        return RangedFinding(span, SYNTAX_ERROR.at((), message))
    return None


def _with_rules(
    found: list[RangedFinding], tree: Tree, form: Form, context: CheckContext
) -> list[RangedFinding]:
    """Return the findings of earlier stages and of the rules, without rules at values that are already condemned."""
    found = drop_missing_keys_on_the_move(found)
    refused = [it for it in found if it.finding.rule is REFUSED_CONFIG]
    condemned = {it.span.start for it in found if it.finding.severity is Severity.ERROR and it not in refused}
    cut_off = set(_lines_of_cut_off_blocks(tree))
    cut_off.update(it.piece.start for it in tree.entries if _is_unread_list(tree, it))
    # `in_document` copies a finding, which is slow for all findings of a long file.
    moved = moved_keys(it.in_document for it in found if takes_keys_along(it.finding))
    unknown = {it.span.start for it in found if it.finding.rule is UNKNOWN_KEY}
    by_rules = [
        it
        for it in drop_effects_of_syntax_errors(rule_findings(tree, form, context), tree, form)
        if it.span.start not in condemned
        and it.span.start.line not in cut_off
        and not (it.finding.rule.outdated and it.span.start in unknown)
        and not (moved and it.finding.rule.outdated and it.in_document.pointer in moved)
    ]
    if refused:
        # Imported late: nearly all files do without.
        from waza_engine.rules.unreadable_config import UNREADABLE_CONFIG

        unreadable = (it for it in found if it.finding.rule is UNREADABLE_CONFIG)
        findings = [it.in_document for it in (*unreadable, *by_rules)]
        known_better = [it for it in refused if is_explained(it.in_document, findings)]
        found = [it for it in found if it not in known_better]
    return [*found, *by_rules]


def _lines_of_cut_off_blocks(tree: Tree) -> Iterator[int]:
    """Yield the lines where `key: |` seems to be empty because its text is not indented."""
    for piece in [tree.pieces[index] for index in tree.odd_pieces]:
        for problem in piece.parsed.problems:
            if problem.cause is Cause.SHALLOW_BLOCK:
                yield piece.start + problem.span.start.line - 1


def _whole_findings(whole: Piece, form: Form, context: CheckContext) -> Iterator[RangedFinding]:
    root, anchors = whole.parsed.root, whole.parsed.anchors
    data = root.data(anchors) if root is not None else None
    is_mapping = isinstance(data, dict)
    for finding in form.checker.check_root(data) if is_mapping else form.checker.check(data):
        yield locate_in(root, finding).shift(whole.start)
    for ranged in (
        piece_findings(whole.parsed, context_of_pieces(form, None, context), anchors) if is_mapping else ()
    ):
        yield ranged.shift(whole.start)


def _root_findings(tree: Tree, form: Form) -> Iterator[RangedFinding]:
    """Yield findings about the set of top-level keys."""
    data = {it.key.source: True if _is_elsewhere(it) else tree.entry_data(it) for it in tree.entries}
    for finding in form.checker.check_root(data):
        located = tree.find(finding.pointer) if finding.pointer else None
        if located is not None and located.key is not None:
            # A key in a broken piece may not belong to the top level.
            if _is_sound(tree, located.key):
                yield RangedFinding(located.key, finding)
        elif tree.entries and not (_is_broken(tree) or _is_in_a_list(data, tree, form)):
            first = tree.entries[0]
            yield RangedFinding(first.key.span.shift(first.piece.start), finding)


def _is_elsewhere(entry: Entry) -> bool:
    """Whether the value is in other pieces, or was not parsed."""
    return entry.is_list or (entry.value.is_empty and bool(entry.piece.parsed.problems))


def _is_broken(tree: Tree) -> bool:
    return any(it.parsed.problems and it.kind is not PieceKind.ITEM for it in tree.pieces)


def _is_in_a_list(data: Mapping[str, Any], tree: Tree, form: Form) -> bool:
    """Whether a key that the top level lacks is in a list item, badly indented."""
    known = form.schema.get("properties", {})
    strays = (it.parsed.stray_key for it in tree.pieces if it.parsed.problems)
    return any(it is not None and it.name in known and it.name not in data for it in strays)


def _is_sound(tree: Tree, key: Span) -> bool:
    piece = tree.piece_at(key.start.line)
    if piece is None:
        return True
    problems = piece.parsed.problems
    broken = [*(it.span for it in problems), *(it.span for it in piece.parsed.templates)]
    if any(
        it.start <= key.end and key.start <= it.end for it in (span.shift(piece.start) for span in broken)
    ):
        return False
    return not problems or key.start.line == piece.start


def _is_unread_list(tree: Tree, entry: Entry) -> bool:
    """Whether a list has items, but none of them was parsed."""
    below = tree.piece_at(entry.piece.end) if entry.is_list and not entry.items else None
    return below is not None and below.kind is PieceKind.ITEM and bool(below.parsed.problems)


def _value_findings(tree: Tree, form: Form, context: CheckContext) -> Iterator[RangedFinding]:
    """Yield findings about the values of the top-level keys."""
    known: dict[str, Any] = form.schema.get("properties", {})
    done: set[int] = set()
    for entry in tree.entries:
        schema = known.get(entry.key.source)
        if schema is None or id(entry.piece) in done:
            continue
        if entry.is_list:
            yield from _top_level_list(tree, entry, form, schema, context)
        elif not entry.piece.parsed.problems:
            done.add(id(entry.piece))
            found = piece_findings(entry.piece.parsed, context_of_pieces(form, None, context), tree.anchors)
            yield from (it.shift(entry.piece.start) for it in found)


def _top_level_list(
    tree: Tree, entry: Entry, form: Form, schema: Schema, context: CheckContext
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
    yield from list_findings(tree, entry, context_of_pieces(form, entry.key.source, context))


def _report_nested_keys(found: list[RangedFinding], document: _Checked) -> list[RangedFinding]:
    """Replace all findings at a list or mapping that is used as a key by one."""
    pieces = document.tree.pieces
    odd = [pieces[index] for index in document.tree.odd_pieces]
    nested = [it.shift(piece.start) for piece in odd for it in piece.parsed.nested_keys]
    if not nested:
        return found
    starts = {it.start for it in nested}
    replacements = [RangedFinding(it, SYNTAX_ERROR.at((), INVALID_KEY)) for it in nested]
    return [*(it for it in found if it.span.start not in starts), *replacements]


def _apply_suppressions(found: list[RangedFinding], document: _Checked) -> list[RangedFinding]:
    return apply_suppressions(found, document.tree, document.text.lines, document.form)


def _drop_moot_keys(found: list[RangedFinding], document: _Checked) -> list[RangedFinding]:
    if not any(it.finding.rule is NEVER_APPLIED for it in found):
        return found
    findings = [it.in_document for it in found]
    strict = _is_strict(document)
    left = {id(it) for it in without_moot(findings, document.form.dialect, document.context, strict=strict)}
    return [ranged for ranged, it in zip(found, findings, strict=True) if id(it) in left]


def _is_strict(document: _Checked) -> bool:
    kind = kind_of(document.form.dialect, document.form.kind)
    return kind is not None and kind.is_strict(
        [kind.strict_key] if document.tree.entry(kind.strict_key) else []
    )


def _apply_settings(found: list[RangedFinding], document: _Checked) -> list[RangedFinding]:
    """Apply the settings of the project. An unchanged finding stays the same object."""
    findings = finish(
        (it.finding for it in found), document.form.dialect, document.context, strict=_is_strict(document)
    )
    return [
        ranged if finding is ranged.finding else ranged._replace(finding=finding)
        for ranged, finding in zip(found, findings, strict=True)
        if finding is not None
    ]


def _narrow_to_part(found: list[RangedFinding], document: _Checked) -> list[RangedFinding]:
    return [_with_part(it, document.text) if it.finding.part is not None else it for it in found]


def _with_part(ranged: RangedFinding, text: Text) -> RangedFinding:
    """Narrow a finding to the part of its value that is wrong. Not at an alias: its value is elsewhere."""
    line, start = text.lines[ranged.span.start.line], ranged.span.start
    known = _narrowed.get(id(ranged))
    if known is not None and known[0] is ranged and known[1] == line:
        return known[2]
    part = ranged.finding.part if not text.slice(ranged.span).startswith(("*", "<<")) else None
    found = span_of_part(text.lines, start, part) if part is not None else None
    result = ranged._replace(part=found) if found is not None else ranged
    if line[start.column : start.column + 1] not in {"|", ">"}:  # Their parts are on other lines.
        if len(_narrowed) >= _MAX_NARROWED:
            _narrowed.clear()
        _narrowed[id(ranged)] = ranged, line, result
    return result


_narrowed: dict[int, tuple[RangedFinding, str, RangedFinding]] = {}
"""Findings by identity, the lines that they are on, and the narrowed findings.

Findings in pieces that did not change or move are the same objects after an edit. Their narrowed findings must be too,
because callers cache by identity.
"""
_MAX_NARROWED = 4096


_SPAN = attrgetter("span")

_CASCADES: tuple[tuple[str, _Filter], ...] = (
    ("lists and mappings as keys", _report_nested_keys),
    (
        "items below an unfinished key",
        lambda found, it: drop_items_below_unfinished_keys(found, it.tree, it.form),
    ),
    ("unknown aliases and tags", lambda found, it: drop_effects_of_unknown_aliases(found, it.tree)),
    ("lines that left their mapping", lambda found, it: report_outdented_keys(found, it.tree, it.form)),
    ("keys below idle ones", _drop_moot_keys),
    ("order of the text", lambda found, _: sorted(found, key=_SPAN)),
)
"""Filters that drop cascades, in their order, each with what it is about."""
_FINAL: tuple[tuple[str, _Filter], ...] = (
    ("suppression comments", _apply_suppressions),
    ("part of a text", _narrow_to_part),
    ("settings of the project", _apply_settings),
)
"""Filters for all findings; they run after those for cascades."""
