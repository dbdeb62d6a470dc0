"""Findings about the YAML of a document itself: its syntax, aliases and tags, and its top-level structure."""

from collections.abc import Iterator

from waza_engine.analysis.schema.fixes import skeleton_fixes
from waza_engine.lib.yaml.messages import INVALID_MERGE, duplicate_key, unknown_anchor
from waza_engine.model.findings import Severity
from waza_engine.rules.duplicate_key import DUPLICATE_KEY
from waza_engine.rules.empty_file import EMPTY_FILE
from waza_engine.rules.second_document import SECOND_DOCUMENT
from waza_engine.rules.syntax_error import SYNTAX_ERROR
from waza_engine.rules.text_cut_by_comment import TEXT_CUT_BY_COMMENT
from waza_engine.rules.unknown_tag import UNKNOWN_TAG
from waza_engine.rules.unquoted_template import UNQUOTED_TEMPLATE
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.schema.document_kind import Form
from waza_lsp.syntax.errors.hints import TEMPLATE_MESSAGE, Cause
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree.aliases import invalid_merges, recursive_aliases, unknown_aliases, unknown_tags
from waza_lsp.syntax.tree.entry import Entry
from waza_lsp.syntax.tree.node import Node
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.split import PieceKind
from waza_lsp.syntax.tree.tree import Tree


def syntax_findings(tree: Tree) -> Iterator[RangedFinding]:
    """Yield what keeps pieces of a text from being read, or makes them read in another way than they look."""
    for index in tree.odd_pieces:
        piece, before = tree.pieces[index], tree.pieces[index - 1] if index else None
        # A stray line behind an open quote or bracket is most likely part of it.
        if piece.kind is not PieceKind.STRAY or before is None or not before.parsed.unterminated:
            yield from _piece_syntax_findings(piece)


def reference_findings(tree: Tree) -> Iterator[RangedFinding]:
    """Yield findings about unresolved aliases, merge keys and tags."""
    pieces = tree.pieces if tree.has_alias else ()
    for name, span in unknown_aliases(pieces):
        yield RangedFinding(span, SYNTAX_ERROR.at((), unknown_anchor(name)))
    for name, span in recursive_aliases(pieces):
        yield RangedFinding(
            span, SYNTAX_ERROR.at((), f"This alias is inside '&{name}', which would contain itself")
        )
    for span in invalid_merges(tree.pieces, tree.anchors):
        yield RangedFinding(
            span,
            SYNTAX_ERROR.at((), INVALID_MERGE),
        )
    for tag, span in unknown_tags(tree.pieces):
        yield RangedFinding(
            span, UNKNOWN_TAG.at((), f"Unknown tag '{tag}'. Remove it, or put the whole value in quotes")
        )


def _piece_syntax_findings(piece: Piece) -> Iterator[RangedFinding]:
    for problem in piece.parsed.problems:
        rule = UNQUOTED_TEMPLATE if problem.cause is Cause.TEMPLATE else SYNTAX_ERROR
        yield RangedFinding(problem.span.shift(piece.start), rule.at((), problem.message))
    for node in piece.parsed.templates:
        yield RangedFinding(node.span.shift(piece.start), UNQUOTED_TEMPLATE.at((), TEMPLATE_MESSAGE))
    for span in piece.parsed.accidental_comments:
        message = "This is a comment, so the value ends before it. If it belongs to the value, put the whole value in quotes"
        yield RangedFinding(span.shift(piece.start), TEXT_CUT_BY_COMMENT.at((), message))
    for first, second in piece.parsed.duplicates:
        yield _duplicate_key(first, second, piece, piece)


def _duplicate_key(first: Node, second: Node, first_piece: Piece, second_piece: Piece) -> RangedFinding:
    finding = DUPLICATE_KEY.at((), f"{duplicate_key(second.source)}. Remove one of them", on="key")
    related = ((first.span.shift(first_piece.start), "First here"),)
    return RangedFinding(second.span.shift(second_piece.start), finding, related)


def structure_findings(tree: Tree, form: Form) -> Iterator[RangedFinding]:
    """Yield findings about the pieces of a text together: no content, keys that occur twice, more documents."""
    is_blank = all(it.kind is PieceKind.SKIPPED for it in tree.pieces)
    if is_blank and not tree.has_more_documents and form.schema.get("required"):
        empty = EMPTY_FILE.at((), "The file is empty", fixes=skeleton_fixes(form.schema))
        yield RangedFinding(Span(Place(0, 0), Place(0, 0)), empty)
    seen: dict[str, Entry] = {}
    for entry in tree.entries:
        first = seen.setdefault(entry.key.source, entry)
        if first is not entry and first.piece is not entry.piece:
            yield _duplicate_key(first.key, entry.key, first.piece, entry.piece)
    if tree.has_more_documents:
        line = tree.second_document
        message = "Only the first YAML document of a file is read. Everything below this line is ignored"
        severity = None
        if is_blank:
            message = "Only the first YAML document of a file is read, and it is empty. Remove this line"
            severity = Severity.ERROR
        finding = SECOND_DOCUMENT.at((), message, severity=severity)
        yield RangedFinding(Span(Place(line, 0), Place(line, 3)), finding)
