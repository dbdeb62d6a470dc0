"""What a cursor is at, by name: on a key, on a value, where a new item could start.

The structure comes from columns (`outline`), so it is there in broken text, too. What may stand at the cursor is
not asked here: a situation says where something would be written, and in which way.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from waza_engine.lib.pointer import Pointer
from waza_lsp.syntax.cursor.flow import end_of_open, flow_place
from waza_lsp.syntax.cursor.outline import Container, Entry, Lines, Outline, Shape, outline
from waza_lsp.syntax.cursor.rows import Row, closing, scalar_value
from waza_lsp.syntax.cursor.surroundings import At, Situation, flow_data, region_of, slots, way
from waza_lsp.syntax.edit.edits import layout_of
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree.node import Node
from waza_lsp.syntax.tree.tree import Tree

_MERGE = "<<"
"""The key whose value is hardly ever written in place: an alias stands there."""
_GLUED = re.compile(r"([\w.-]+):(?!//)(\S*)$")


def situations(tree: Tree, text: Text, place: Place) -> list[Situation]:
    """All that could be written at a place, likeliest first; nothing in comments, texts and finished lines."""
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
        elif (explained := self._explained(row)) is not None:
            yield from self._on_value(explained, row, row.mark + 1)
        elif row.is_blank:
            if row.comment == len(self.text):
                yield from self._on_own_line(
                    row, Span(self.place, Place(self.place.line, len(self.text))), self._width()
                )
        elif row.dashes or row.key is not None:
            yield from self._on_entry(row)
        elif row.value <= self.place.column <= row.end:
            yield from self._on_word(row)

    def _explained(self, row: Row) -> Entry | None:
        """The entry with a `?` that the value behind a `:` at the start of the line belongs to."""
        last = self.outline.last
        if row.explicit or row.key is not None or not 0 <= row.mark < self.place.column:
            return None
        is_its = last is not None and last.row.explicit and last.container.column == row.mark + row.shift
        return last if is_its else None

    def _width(self) -> int:
        """The cursor's column with tabs counted as the outline does."""
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
        """The value beside a key or dash that ends before column `after`."""
        mark = self.text[row.value : row.value + 1] if row.has_value else ""
        column = self.place.column
        if not mark:
            if not self._is_naming(row, after):
                yield from self._on_nothing(entry, row, after)
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
        """Whether a tab stands between a dash and its value, which YAML does not take."""
        return row.key is None and "\t" in self.text[after:column]

    def _is_naming(self, row: Row, after: int) -> bool:
        """Whether an anchor or tag is being written, or stands behind a dash, where no map may follow it."""
        written = self.text[after : self.place.column]
        return bool(written.strip()) and (row.key is None or not written[-1:].isspace())

    def _on_nothing(self, entry: Entry, row: Row, after: int) -> Iterator[Situation]:
        """An absent value: a blank is missing, or a comment follows, or its first lines stand further down."""
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
        """The span of a value's text, the quotes around it, and the quote that is missing at its end."""
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
        """A word on a line of its own: half a key, or a value below its key."""
        source = self.text[row.value : row.end]
        last = self.outline.last
        if not source:
            return  # A tag or an anchor alone: what it belongs to is not written yet.
        if source[0] in "[{" and (last is None or last.can_hold):
            yield from self._in_flow(last, row)
        elif " " in source and last is not None and not last.can_hold:
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
        """A value whose blank after the colon is missing, so that YAML sees no key."""
        for at, target, column, _ in slots(self.outline, row.column):
            if at is At.ITEM:
                continue  # A key starts no item.
            if isinstance(target, Entry):
                target = Container(Shape.MAP, column, target)  # noqa: PLW2901  # the map that the key would start
            if target is not None and target.shape is Shape.MAP:
                here = self._of_entry(
                    At.VALUE, Entry(target, key, row), self._span(row.value + len(key) + 1, row.end)
                )
                yield replace(here, lead=" ", below=row.column)

    def _on_own_line(self, row: Row, span: Span, width: int) -> Iterator[Situation]:
        """What may start on this line when its first character is meant to stand in column `width`."""
        for at, target, column, is_guess in slots(self.outline, width):
            if isinstance(target, Entry):
                here = self._of_entry(at, target, span)
            elif target is None:
                here = Situation(at, (), {}, span, self._typed(span))
            else:
                here = self._situation(at, target, span)
            has_children = self._is_followed(at, column)
            here = replace(here, column=column, has_children=has_children, is_guess=is_guess)
            yield here if column == width and not row.shift else self._moved(here)

    def _is_followed(self, at: At, column: int) -> bool:
        """Whether the next line would become the value of a key in this column."""
        row = self.outline.next_row
        return row is not None and (
            row.column > column or (at is At.KEY and bool(row.dashes) and row.column == column)
        )

    def _moved(self, here: Situation) -> Situation:
        """The same, with the whole indentation replaced."""
        span = Span(Place(here.span.start.line, 0), here.span.end)
        return replace(here, span=span, lead=" " * here.column)

    def _in_flow(self, entry: Entry | None, row: Row) -> Iterator[Situation]:
        """Inside the brackets that start on a row, being the value of an entry or (None) the whole document."""
        line = next(text for number, text in self.lines if number == row.line)
        if line[row.value : row.value + 1] in {"[", "{"}:
            base = (*way(entry.container, {})[0], entry.part) if entry is not None else ()
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
            _, data = way(entry.container, self.anchors, {entry.part: data})
        span, quote, close = Span(self.place, self.place), "", ""
        if token is not None:
            quote = "" if token.kind == "plain" else token.source[0]
            close = quote if token.kind == "open" else ""
            end = end_of_open(token, frames, self.place.column) if close else token.end - bool(quote)
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
                # It would come to stand inside the quotes.
                here = replace(here, comma="")
            yield replace(here, at=At.VALUE, pointer=(*pointer, part or 0), has_colon=False)

    def _comma(self, column: int) -> str:
        """The comma before an entry that follows, with a blank unless one stands there."""
        return "," if self.text[column : column + 1] in {"", " ", "\t"} else ", "

    def _situation(
        self, at: At, container: Container, span: Span, *, without: Entry | None = None
    ) -> Situation:
        pointer, data = way(container, self.anchors, without=without)
        return Situation(at, pointer, data, span, self._typed(span))

    def _of_entry(self, at: At, entry: Entry, span: Span) -> Situation:
        child = entry.child.data(self.anchors) if entry.child is not None else None
        if entry.is_doubtful:
            child = scalar_value(entry.value)
        pointer, data = way(entry.container, self.anchors, {entry.part: child})
        return Situation(at, (*pointer, entry.part), data, span, self._typed(span))

    def _below(self, entry: Entry, row: Row) -> int | None:
        return None if row.key is None else entry.container.column

    def _span(self, start: int, end: int) -> Span:
        return Span(Place(self.place.line, start), Place(self.place.line, end))

    def _typed(self, span: Span) -> str:
        return self.text[span.start.column : self.place.column]
