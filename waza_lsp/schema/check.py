"""A document's findings with their places, in stages: syntax, structure, schema, meaning.

A region that one stage condemned is skipped by the next.
"""

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any

from waza_engine.findings import Severity
from waza_engine.rules.duplicate_key import DUPLICATE_KEY
from waza_engine.rules.empty_file import EMPTY_FILE
from waza_engine.rules.refused_config import REFUSED_CONFIG, is_told
from waza_engine.rules.second_document import SECOND_DOCUMENT
from waza_engine.rules.syntax_error import SYNTAX_ERROR
from waza_engine.rules.text_cut_by_comment import TEXT_CUT_BY_COMMENT
from waza_engine.rules.unknown_tag import UNKNOWN_TAG
from waza_engine.rules.unquoted_template import UNQUOTED_TEMPLATE
from waza_engine.rules.unreadable_file import UNREADABLE_FILE
from waza_engine.scope import Scope
from waza_engine.validation.mending import skeletons
from waza_lsp.schema.form import Form
from waza_lsp.schema.mark import Mark
from waza_lsp.schema.nameless import without_consequences
from waza_lsp.schema.piece_marks import item_marks, mark_in, piece_marks, standing
from waza_lsp.schema.rule_marks import rule_marks
from waza_lsp.schema.strays import with_strays_told
from waza_lsp.schema.unread import without_adopted, without_unread
from waza_lsp.schema.walk import Schema, resolve
from waza_lsp.schema.world import World
from waza_lsp.syntax.clues import TEMPLATE_MESSAGE
from waza_lsp.syntax.cut import PieceKind
from waza_lsp.syntax.entries import Entry
from waza_lsp.syntax.node import Kind, Node
from waza_lsp.syntax.piece import Piece
from waza_lsp.syntax.problem import Cause
from waza_lsp.syntax.references import endless_aliases, unknown_aliases, unknown_tags, vain_merges
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.too_large import MESSAGE
from waza_lsp.syntax.tree import Tree


def marks(tree: Tree, form: Form, world: World) -> list[Mark]:
    """All findings of a document, in the order of the text."""
    scope = world.scope if world.complete else None
    if tree.is_cut_off:
        return [Mark(Span(Place(0, 0), Place(0, 0)), UNREADABLE_FILE.at((), MESSAGE))]
    if tree.conflict >= 0:
        # Both sides of a conflict stand in the text: whatever else could be said of it would be about neither.
        span = Span(Place(tree.conflict, 0), Place(tree.conflict, 7))
        return [Mark(span, SYNTAX_ERROR.at((), "Merge conflict; choose a side and remove the markers"))]
    if tree.excess >= 0:
        span = Span(Place(tree.excess, 0), Place(tree.excess, 1))
        message = "From this line on the aliases stand for too many values; write fewer of them"
        return [Mark(span, SYNTAX_ERROR.at((), message))]
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
    if world.complete:
        result = _with_rules(result, tree, form, world)
    result = without_adopted(_with_nested_keys(result, tree), tree, form)
    told = with_strays_told(without_consequences(result, tree), tree, form)
    return sorted(told, key=_SPAN)


_SPAN = attrgetter("span")


def _with_rules(found: list[Mark], tree: Tree, form: Form, world: World) -> list[Mark]:
    """The findings of earlier stages, and what the rules say of the places that none of these condemned."""
    refused = [it for it in found if it.finding.rule is REFUSED_CONFIG]
    condemned = {it.span.start for it in found if it.finding.severity is Severity.ERROR and it not in refused}
    cut_off = set(_lines_of_cut_off_blocks(tree))
    cut_off.update(it.piece.start for it in tree.entries if _is_unread_list(tree, it))
    said = [
        it
        for it in without_unread(rule_marks(tree, form, world), tree, form)
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


def _syntax(tree: Tree) -> Iterator[Mark]:
    for before, piece in zip((None, *tree.pieces), tree.pieces, strict=False):
        it = piece.parsed
        if not (it.problems or it.templates or it.cut or it.duplicates):
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


def _references(tree: Tree) -> Iterator[Mark]:
    """Aliases, merge keys and tags that stand for nothing."""
    pieces = tree.pieces if tree.has_alias else ()
    for name, span in unknown_aliases(pieces):
        yield Mark(span, SYNTAX_ERROR.at((), f"There is no anchor '&{name}' above"))
    for name, span in endless_aliases(pieces):
        yield Mark(span, SYNTAX_ERROR.at((), f"This stands inside of '&{name}', which would contain itself"))
    for span in vain_merges(tree.pieces, tree.anchors):
        yield Mark(
            span,
            SYNTAX_ERROR.at((), "'<<' takes the keys of a mapping, or of a list of mappings; this is none"),
        )
    for tag, span in unknown_tags(tree.pieces):
        yield Mark(
            span, UNKNOWN_TAG.at((), f"YAML has no tag '{tag}'; remove it, or put the value in quotes")
        )


def _with_nested_keys(found: list[Mark], tree: Tree) -> list[Mark]:
    """The findings with those of lists and mappings that stand where a key has to: nothing else is said of these."""
    nested = [it.shifted(piece.start) for piece in tree.pieces for it in piece.parsed.nested_keys]
    if not nested:
        return found
    starts = {it.start for it in nested}
    message = "A key must be a plain word or a quoted text"
    told = [Mark(it, SYNTAX_ERROR.at((), message)) for it in nested]
    return [*(it for it in found if it.span.start not in starts), *told]


def _piece_syntax(piece: Piece) -> Iterator[Mark]:
    for problem in piece.parsed.problems:
        rule = UNQUOTED_TEMPLATE if problem.cause is Cause.TEMPLATE else SYNTAX_ERROR
        yield Mark(problem.span.shifted(piece.start), rule.at((), problem.message))
    for node in piece.parsed.templates:
        yield Mark(node.span.shifted(piece.start), UNQUOTED_TEMPLATE.at((), TEMPLATE_MESSAGE))
    for span in piece.parsed.cut:
        message = (
            "The value ends here and this is a comment; put the whole value in quotes if it is part of it"
        )
        yield Mark(span.shifted(piece.start), TEXT_CUT_BY_COMMENT.at((), message))
    for first, second in piece.parsed.duplicates:
        yield _duplicate(first, second, piece, piece)


def _duplicate(first: Node, second: Node, first_piece: Piece, second_piece: Piece) -> Mark:
    finding = DUPLICATE_KEY.at((), f"'{second.source}' stands twice in this mapping; remove one", on="key")
    related = ((first.span.shifted(first_piece.start), "First here"),)
    return Mark(second.span.shifted(second_piece.start), finding, related)


def _structure(tree: Tree, form: Form) -> Iterator[Mark]:
    is_blank = all(it.kind is PieceKind.SKIPPED for it in tree.pieces)
    if is_blank and not tree.is_more and form.schema.get("required"):
        empty = EMPTY_FILE.at((), "There is nothing in this file yet", fixes=skeletons(form.schema))
        yield Mark(Span(Place(0, 0), Place(0, 0)), empty)
    seen: dict[str, Entry] = {}
    for entry in tree.entries:
        first = seen.setdefault(entry.key.source, entry)
        if first is not entry and first.piece is not entry.piece:
            yield _duplicate(first.key, entry.key, first.piece, entry.piece)
    if tree.is_more:
        line = tree.second_document
        message = "Only the first document of a file is read; everything below this line is ignored"
        severity = None
        if is_blank:
            message = "Only the first document of a file is read, and it is empty; remove this line"
            severity = Severity.ERROR
        finding = SECOND_DOCUMENT.at((), message, severity=severity)
        yield Mark(Span(Place(line, 0), Place(line, 3)), finding)


def _whole(whole: Piece, form: Form, scope: Scope | None) -> Iterator[Mark]:
    root, anchors = whole.parsed.root, whole.parsed.anchors
    data = root.data(anchors) if root is not None else None
    is_mapping = isinstance(data, dict)
    for finding in form.checker.check_root(data) if is_mapping else form.checker.check(data):
        yield mark_in(root, finding).shifted(whole.start)
    for mark in piece_marks(whole.parsed, standing(form, None, scope), anchors) if is_mapping else ():
        yield mark.shifted(whole.start)


def _root(tree: Tree, form: Form) -> Iterator[Mark]:
    """What is wrong with the top-level keys as such."""
    data = {it.key.source: True if _is_beyond(it) else tree.entry_data(it) for it in tree.entries}
    for finding in form.checker.check_root(data):
        located = tree.find(finding.pointer) if finding.pointer else None
        if located is not None and located.key is not None:
            # A key inside a broken piece may be no key of the top level at all.
            if _is_sound(tree, located.key):
                yield Mark(located.key, finding)
        elif tree.entries and not (_is_broken(tree) or _is_in_a_list(data, tree, form)):
            first = tree.entries[0]
            yield Mark(first.key.span.shifted(first.piece.start), finding)


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
        it.start <= key.end and key.start <= it.end for it in (span.shifted(piece.start) for span in at_fault)
    ):
        return False
    return not problems or key.start.line == piece.start


def _is_unread_list(tree: Tree, entry: Entry) -> bool:
    """Whether a list has items, of which none can be read."""
    below = tree.piece_at(entry.piece.end) if entry.is_list and not entry.items else None
    return below is not None and below.kind is PieceKind.ITEM and bool(below.parsed.problems)


def _parts(tree: Tree, form: Form, scope: Scope | None) -> Iterator[Mark]:
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
            found = piece_marks(entry.piece.parsed, standing(form, None, scope), tree.anchors)
            yield from (it.shifted(entry.piece.start) for it in found)


def _list(tree: Tree, entry: Entry, form: Form, schema: Schema, scope: Scope | None) -> Iterator[Mark]:
    resolved = resolve(form.schema, schema)
    if "items" not in resolved:
        finding = form.checker.check_part([], schema)
        yield from (Mark(entry.key.span.shifted(entry.piece.start), it) for it in finding)
        return
    listed = [
        None if it.kind is Kind.SCALAR and it.value is None and not piece.parsed.problems else True
        for piece, it in entry.items
    ]
    for it in form.checker.check_list(listed, schema) if not _is_unread_list(tree, entry) else ():
        yield Mark(entry.key.span.shifted(entry.piece.start), it)
    last = None
    where = standing(form, entry.key.source, scope)
    for index, _ in entry.items.found(where, where.has_a_say):
        piece, _ = entry.items[index]
        if piece is not last:
            yield from item_marks(piece, where, tree.anchors, index)
        last = piece
