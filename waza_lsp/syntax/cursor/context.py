"""Tell what can be written at a cursor: key, value, item or alias.

The structure comes from columns (`outline`), so this works in broken text too. A situation says where something would
be written and in which form; the schema decides elsewhere what is allowed there.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from waza_engine.lib.pointer import Pointer
from waza_lsp.syntax.cursor.flow import Lines, end_of_open_quote, flow_place
from waza_lsp.syntax.cursor.outline import Container, Entry, Outline, Shape, outline
from waza_lsp.syntax.cursor.rows import Row, closing, scalar_value
from waza_lsp.syntax.cursor.surroundings import At, Situation, flow_data, path_to, region_of, slots
from waza_lsp.syntax.edit.edits import layout_of
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree.node import Node
from waza_lsp.syntax.tree.tree import Tree

_MERGE = "<<"
"""The merge key, whose value is nearly always an alias."""
_GLUED = re.compile(r"([\w.-]+):(?!//)(\S*)$")


def situations(tree: Tree, text: Text, place: Place) -> list[Situation]:
    """Return what could be written at a place, likeliest first.

    Returns an empty list in comments, texts and finished lines.
    """
    region = region_of(tree, text, place.line)
    if region is None:
        return []
    found = outline(region.lines, place, first=region.first, tab=layout_of(tree).step)
    return list(_Cursor(found, region.lines, text.line(place.line), place, tree.anchors).situations())


@dataclass(frozen=True, slots=True)
class _Cursor:
    """The outline around a cursor, and the line that the cursor is on."""

    outline: Outline
    lines: Lines
    text: str
    place: Place
    anchors: dict[str, Node]

    def situations(self) -> Iterator[Situation]:
        row, inside = self.outline.row, self.outline.inside
        if row is None or (inside is None and row.comment < self.place.column):
            return
        start = self.outline.start
        if inside is not None:
            yield from self._in_flow(inside, inside.value_row or inside.row)
        elif start is not None and start.line < row.line:
            yield from self._in_flow(None, start)
        elif (explicit := self._explicit_entry(row)) is not None:
            yield from self._on_value(explicit, row, row.mark + 1)
        elif row.is_blank:
            if row.comment == len(self.text):
                yield from self._on_own_line(
                    row, Span(self.place, Place(self.place.line, len(self.text))), self._width()
                )
        elif row.dashes or row.key is not None:
            yield from self._on_entry(row)
        elif row.value <= self.place.column <= row.end:
            yield from self._on_word(row)

    def _explicit_entry(self, row: Row) -> Entry | None:
        """Return the `?` entry whose value follows the `:` that starts the line."""
        last = self.outline.last
        if row.explicit or row.key is not None or not 0 <= row.mark < self.place.column:
            return None
        is_value = last is not None and last.row.explicit and last.container.column == row.mark + row.shift
        return last if is_value else None

    def _width(self) -> int:
        """Return the cursor's column, with tabs counted as in the outline."""
        row = self.outline.row
        return self.place.column + (row.shift if row is not None and self.place.column else 0)

    def _on_entry(self, row: Row) -> Iterator[Situation]:
        column, here = self.place.column, self.outline.here
        if not here or (row.dashes and column <= row.dashes[-1]):
            return
        entry = here[-1]
        if row.key is None:
            yield from self._on_value(entry, row, row.dashes[-1] + 1)
        elif entry.part != row.key:
            return
        elif row.key_start <= column <= row.key_end:
            yield from self._on_key(entry, row)
        elif row.colon >= 0 and column > row.colon:
            yield from self._on_value(entry, row, row.colon + 1)

    def _on_key(self, entry: Entry, row: Row) -> Iterator[Situation]:
        quote = self.text[row.key_start] if self.text[row.key_start : row.key_start + 1] in {'"', "'"} else ""
        start, end = row.key_start + len(quote), row.key_end - len(quote)
        if start <= self.place.column <= end:
            here = self._situation(At.KEY, entry.container, self._span(start, end), without=entry)
            yield replace(here, column=row.start + row.shift, quote=quote, has_colon=True)

    def _on_value(self, entry: Entry, row: Row, after: int) -> Iterator[Situation]:
        """Yield situations in the value next to a key or dash that ends before column `after`."""
        mark = self.text[row.value : row.value + 1] if row.has_value else ""
        column = self.place.column
        if not mark:
            if not self._is_property(row, after):
                yield from self._on_missing_value(entry, row, after)
        elif mark in "[{":
            yield from self._in_flow(entry, row)
        elif mark in "|>" or column > row.end:
            return
        else:
            span, quote, close = self._token(row)
            if span.contains(self.place):
                at = At.ALIAS if mark == "*" else At.VALUE
                lead = " " if column == after < row.value else ""
                here = replace(self._of_entry(at, entry, span), quote=quote, close=close, lead=lead)
                below = self._below(entry, row)
                has_children = (
                    self._is_followed(At.KEY, row.value + row.shift)
                    if below is None
                    else entry.child is not None
                )
                content = row.value
                if self._is_tabbed(row, after, row.value):
                    here = replace(here, span=Span(Place(self.place.line, after), span.end), lead=" ")
                    content = after + 1
                yield replace(here, column=content + row.shift, below=below, has_children=has_children)

    def _is_tabbed(self, row: Row, after: int, column: int) -> bool:
        """Whether there is a tab between a dash and its value, which YAML does not allow."""
        return row.key is None and "\t" in self.text[after:column]

    def _is_property(self, row: Row, after: int) -> bool:
        """Whether an anchor or tag is being written, or follows a dash.

        No map may follow either of them.
        """
        source = self.text[after : self.place.column]
        return bool(source.strip()) and (row.key is None or not source[-1:].isspace())

    def _on_missing_value(self, entry: Entry, row: Row, after: int) -> Iterator[Situation]:
        """Yield situations for a missing value.

        Its space may be missing too, a comment may follow, or the value may start further down.
        """
        column = self.place.column
        lead = " " if column == after else ""
        close = " " if self.text[column : column + 1] == "#" else ""
        content = column + row.shift + len(lead)
        child = entry.child
        if child is None:
            here = self._of_entry(At.VALUE, entry, Span(self.place, self.place))
            if self._is_tabbed(row, after, column):
                here = replace(here, span=self._span(after, column))
                lead, content = " ", after + row.shift + 1
            yield replace(here, lead=lead, close=close, column=content, below=self._below(entry, row))
            if entry.part == _MERGE:
                yield replace(here, at=At.ALIAS, lead=f"{lead}*", column=content)
        elif row.key is None and child.shape is Shape.MAP and not close:
            start = min(column, max(after, child.column - row.shift))
            here = self._situation(At.KEY, child, self._span(start, column))
            yield replace(here, lead=" " * (child.column - row.shift - start), column=child.column)

    def _token(self, row: Row) -> tuple[Span, str, str]:
        """Return the span of a value's text, its quote, and the missing closing quote."""
        quote = self.text[row.value]
        if quote == "*":
            return self._span(row.value + 1, row.end), "", ""
        if quote not in {'"', "'"}:
            return self._span(min(row.value, self.place.column), row.end), "", ""
        end = closing(self.text, row.value)
        if end < 0:
            return self._span(row.value + 1, row.end), quote, quote
        return self._span(row.value + 1, end), quote, ""

    def _on_word(self, row: Row) -> Iterator[Situation]:
        """Yield situations for a word on its own line: an unfinished key or a value."""
        source = self.text[row.value : row.end]
        last = self.outline.last
        if not source:
            return  # Only a tag or anchor; its value is not written yet.
        if source[0] in "[{" and (last is None or last.is_empty):
            yield from self._in_flow(last, row)
        elif " " in source and last is not None and not last.is_empty:
            return
        elif (found := _GLUED.match(source)) and self.place.column > row.value + len(found.group(1)):
            yield from self._after_glued_colon(row, found.group(1))
        else:
            span, quote, close = self._token(row)
            if source[0] == "*" and span.contains(self.place):
                yield Situation(At.ALIAS, (), {}, span, self._typed(span))
            elif span.contains(self.place):
                for here in self._on_own_line(row, span, row.column):
                    if here.span == span and not (quote and here.at is At.ITEM):
                        yield replace(here, quote=quote, close=close)
                    elif not quote:
                        yield here

    def _after_glued_colon(self, row: Row, key: str) -> Iterator[Situation]:
        """Yield situations for a value directly after its colon, where YAML sees no key."""
        for at, target, column, _ in slots(self.outline, row.column):
            if at is At.ITEM:
                continue  # A key cannot start an item without a dash.
            if isinstance(target, Entry):
                target = Container(Shape.MAP, column, target)  # noqa: PLW2901  # the map that the key would start
            if target is not None and target.shape is Shape.MAP:
                here = self._of_entry(
                    At.VALUE, Entry(target, key, row), self._span(row.value + len(key) + 1, row.end)
                )
                yield replace(here, lead=" ", below=row.column)

    def _on_own_line(self, row: Row, span: Span, width: int) -> Iterator[Situation]:
        """Yield what may start on this line in column `width`."""
        for at, target, column, is_guess in slots(self.outline, width):
            if isinstance(target, Entry):
                here = self._of_entry(at, target, span)
            elif target is None:
                here = Situation(at, (), {}, span, self._typed(span))
            else:
                here = self._situation(at, target, span)
            has_children = self._is_followed(at, column)
            here = replace(here, column=column, has_children=has_children, is_guess=is_guess)
            yield here if column == width and not row.shift else self._reindent(here)

    def _is_followed(self, at: At, column: int) -> bool:
        """Whether the next line would become the value of a key in this column."""
        row = self.outline.next_row
        return row is not None and (
            row.column > column or (at is At.KEY and bool(row.dashes) and row.column == column)
        )

    def _reindent(self, here: Situation) -> Situation:
        """Return the situation with the whole indentation replaced."""
        span = Span(Place(here.span.start.line, 0), here.span.end)
        return replace(here, span=span, lead=" " * here.column)

    def _in_flow(self, entry: Entry | None, row: Row) -> Iterator[Situation]:
        """Yield situations inside brackets: the value of an entry or (None) the whole document."""
        line = next(text for number, text in self.lines if number == row.line)
        if line[row.value : row.value + 1] in {"[", "{"}:
            base = (*path_to(entry.container, {})[0], entry.part) if entry is not None else ()
            yield from self._in_brackets(row.line, row.value, base, entry)

    def _in_brackets(self, line: int, start: int, base: Pointer, entry: Entry | None) -> Iterator[Situation]:
        lines = [it for it in self.lines if line <= it[0] <= self.outline.end]
        found = flow_place(lines, start, self.place)
        if found is None:
            return
        frames, token = found.frames, found.token
        pointer = (*base, *(it.part for it in frames[1:] if it.part is not None))
        data = flow_data(found, self.anchors)
        if entry is not None:
            _, data = path_to(entry.container, self.anchors, {entry.part: data})
        span, quote, close = Span(self.place, self.place), "", ""
        if token is not None:
            quote = "" if token.kind == "plain" else token.source[0]
            close = quote if token.kind == "open" else ""
            end = end_of_open_quote(token, frames, self.place.column) if close else token.end - bool(quote)
            span = self._span(token.start + len(quote), end)
        inner = frames[-1]
        here = Situation(At.KEY, pointer, data, span, self._typed(span), quote=quote, close=close, flow=True)
        comma = self._comma(self.place.column if token is None else token.end) if found.comma else ""
        here = replace(here, lead=" " if found.after_colon else "", has_colon=found.has_colon, comma=comma)
        if inner.is_map and inner.key is None:
            yield here
        elif token is not None and self.text[token.start : token.start + 1] == "*":
            yield replace(
                here, at=At.ALIAS, span=self._span(token.start + 1, token.end), typed=here.typed[1:]
            )
        else:
            part = inner.key if inner.is_map else inner.index
            if quote and not close:
                # The comma would end up inside the quotes.
                here = replace(here, comma="")
            yield replace(here, at=At.VALUE, pointer=(*pointer, part or 0), has_colon=False)

    def _comma(self, column: int) -> str:
        """Return the comma before a following entry, with a space unless there is one."""
        return "," if self.text[column : column + 1] in {"", " ", "\t"} else ", "

    def _situation(
        self, at: At, container: Container, span: Span, *, without: Entry | None = None
    ) -> Situation:
        pointer, data = path_to(container, self.anchors, without=without)
        return Situation(at, pointer, data, span, self._typed(span))

    def _of_entry(self, at: At, entry: Entry, span: Span) -> Situation:
        child = entry.child.data(self.anchors) if entry.child is not None else None
        if entry.is_doubtful:
            child = scalar_value(entry.value)
        pointer, data = path_to(entry.container, self.anchors, {entry.part: child})
        return Situation(at, (*pointer, entry.part), data, span, self._typed(span))

    def _below(self, entry: Entry, row: Row) -> int | None:
        return None if row.key is None else entry.container.column

    def _span(self, start: int, end: int) -> Span:
        return Span(Place(self.place.line, start), Place(self.place.line, end))

    def _typed(self, span: Span) -> str:
        return self.text[span.start.column : self.place.column]
