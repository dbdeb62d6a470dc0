"""The text edit of a completion candidate, with its indentation, quotes and colon."""

from collections.abc import Mapping
from dataclasses import dataclass

from waza_lsp.completion.candidates import Candidate
from waza_lsp.completion.suggestions import Suggestion, SuggestionKind
from waza_lsp.syntax.cursor.surroundings import At, Situation
from waza_lsp.syntax.edit.edits import Layout
from waza_lsp.syntax.edit.snippets import SnippetWriter
from waza_lsp.syntax.text import Place, Span


@dataclass(frozen=True, slots=True)
class Insertion:
    """An edit: the span of the line that it replaces, and the new text with absolute indentation."""

    span: Span
    text: str
    label: str
    filter_text: str | None
    is_snippet: bool
    indent: str
    """The current indentation of the line."""

    @property
    def adjusted(self) -> str:
        """The text for editors that add the indentation of the line to every further line."""
        first, *rest = self.text.split("\n")
        return "\n".join([first, *(it.removeprefix(self.indent) for it in rest)])


def insertion(
    here: Situation, candidate: Candidate, pen: SnippetWriter, layout: Layout, line: str
) -> Insertion:
    """Return the edit that inserts a candidate."""
    it, at = candidate.suggestion, candidate.at
    place = _position(here, at, layout, line)
    match at:
        case At.KEY:
            text = _key(here, it, pen, place.column)
        case At.ITEM:
            text = _item(here, it, pen, place.column)
        case _:
            text = _value(here, it, pen)
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    cursor = here.span.start.column + len(here.typed)
    before = line[place.span.start.column : cursor]
    blanks = before[: len(before) - len(before.lstrip())]
    label = f"- {it.label}" if at is At.ITEM else it.label
    filter_text = blanks + it.label if blanks or at is At.ITEM else None
    lead = pen.line_end + " " * place.column if place.on_new_line else here.lead
    return Insertion(
        _with_quote(place.span, here, at),
        lead + text + here.comma,
        label,
        filter_text,
        pen.is_snippet,
        indent,
    )


@dataclass(frozen=True, slots=True)
class _Position:
    """Where the first inserted character goes."""

    span: Span
    column: int
    on_new_line: bool = False


def _position(here: Situation, at: At, layout: Layout, line: str) -> _Position:
    """Put a map or list on a new line below its key, and remove the spaces after the colon."""
    if here.at is not At.VALUE or at is At.VALUE or here.below is None or here.flow:
        return _Position(here.span, here.column)
    start = len(line[: here.span.start.column].rstrip())
    span = Span(Place(here.span.start.line, start), here.span.end)
    return _Position(span, here.below + (layout.step if at is At.KEY else layout.dash), on_new_line=True)


def _with_quote(span: Span, here: Situation, at: At) -> Span:
    """Include the closing quote of a quoted key, so that the colon comes after it."""
    if at is At.KEY and here.quote and not here.has_colon and not here.close:
        return Span(span.start, Place(span.end.line, span.end.column + 1))
    return span


def _key(here: Situation, it: Suggestion, pen: SnippetWriter, column: int) -> str:
    if it.kind is SuggestionKind.SKELETON and isinstance(it.body, Mapping):
        text = pen.item(it.body, column)
        return text.removeprefix("{").removesuffix("}") if here.flow and here.at is At.KEY else text
    if here.has_colon:
        return pen.literal(it.label)
    rest = "" if here.has_children else pen.after_colon(it.body, column)
    text = f"{pen.literal(it.label)}{here.quote}:{rest}"
    return f"{{{text}}}" if here.flow and here.at is At.VALUE else text


def _item(here: Situation, it: Suggestion, pen: SnippetWriter, column: int) -> str:
    is_filled = it.kind is SuggestionKind.SKELETON
    text = pen.item(it.body, column + 2) if here.flow and is_filled else ""
    if here.flow:
        return f"[{text or _scalar(it, pen)}]"
    return pen.dash(it.body, column) if is_filled else pen.dashed(pen.literal(_scalar(it, pen)))


def _value(here: Situation, it: Suggestion, pen: SnippetWriter) -> str:
    if here.quote == "'":
        text = it.label.replace("'", "''")
    elif here.quote:
        text = it.label.replace("\\", "\\\\").replace('"', '\\"')
    else:
        text = it.label if here.at is At.ALIAS else _scalar(it, pen)
    return text + here.close


def _scalar(it: Suggestion, pen: SnippetWriter) -> str:
    return it.label if it.is_literal else pen.value(it.label)
