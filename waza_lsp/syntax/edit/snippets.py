"""Write new text with tab stops, in the layout of the file around it.

Columns are absolute: every line but the first includes its whole indentation.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from waza_lsp.syntax.edit.edits import Layout
from waza_lsp.syntax.edit.emit import quote_text, scalar

_PLAIN_IN_BRACKETS = re.compile(r"[^,\[\]{}]+")
_FOR_SNIPPETS = str.maketrans({"\\": "\\\\", "$": "\\$", "}": "\\}"})
_FOR_CHOICES = str.maketrans({"\\": "\\\\", "|": "\\|", ",": "\\,"})


@dataclass(frozen=True, slots=True)
class TabStop:
    """A place to fill in, with one of `choices` or starting from `text`.

    Editors without snippets get `text` only if it is `good`: a useful value by itself.
    """

    text: str = ""
    choices: tuple[str, ...] = ()
    good: bool = False


Body = TabStop | str | Mapping[str, "Body"] | Sequence["Body"]
"""What to write: a tab stop, a string, or a map or list of these."""


class SnippetWriter:
    """Writes bodies and numbers their tab stops."""

    def __init__(self, layout: Layout, *, snippets: bool, flow: bool = False, line_end: str = "\n") -> None:
        self._layout = layout
        self._snippets = snippets
        self._flow = flow
        self.line_end = line_end
        self.stops = 0
        self.is_snippet = False
        """Whether the text contains anything that only editors with snippets understand."""

    def pair(self, key: str, body: Body, column: int) -> str:
        """Return a key in a column, with its value."""
        return self.literal(key) + ":" + self.after_colon(body, column)

    def after_colon(self, body: Body, column: int) -> str:
        """Return the value of a key in a column."""
        if self._flow or isinstance(body, str | TabStop):
            return " " + self.item(body, column)
        if isinstance(body, Mapping):
            inner = column + self._layout.step
            return self._new_line(inner) + self.item(body, inner)
        inner = column + self._layout.dash
        return self._new_line(inner) + self.dash(body[0] if body else TabStop(), inner)

    def dash(self, body: Body, column: int) -> str:
        """Return a list item whose dash is in a column."""
        return self.dashed(self.item(body, column + self._layout.gap))

    def dashed(self, text: str) -> str:
        """Return a text as a list item."""
        return "-" + " " * (self._layout.gap - 1) + text

    def item(self, body: Body, column: int) -> str:
        """Return a value that starts in a column."""
        match body:
            case str():
                return self.literal(self.value(body))
            case TabStop():
                return self._tab_stop(body)
            case Mapping():
                pairs = [self.pair(key, it, column) for key, it in body.items()] or [
                    self._tab_stop(TabStop())
                ]
                return "{" + ", ".join(pairs) + "}" if self._flow else self._new_line(column).join(pairs)
            case _:
                return "[" + ", ".join(self.item(it, column) for it in body) + "]"

    def value(self, text: str) -> str:
        """Return a string as a scalar, quoted if necessary."""
        plain = scalar(text)
        return (
            quote_text(text)
            if self._flow and plain == text and not _PLAIN_IN_BRACKETS.fullmatch(text)
            else plain
        )

    def literal(self, text: str) -> str:
        """Return a text to insert literally, escaped for snippets."""
        escaped = text.translate(_FOR_SNIPPETS) if self._snippets else text
        self.is_snippet |= escaped != text
        return escaped

    def _new_line(self, column: int) -> str:
        return self.line_end + " " * column

    def _tab_stop(self, stop: TabStop) -> str:
        if not self._snippets:
            return self._inside(stop.text) if stop.good else ""
        self.stops += 1
        self.is_snippet = True
        if stop.choices:
            return f"${{{self.stops}|{','.join(it.translate(_FOR_CHOICES) for it in stop.choices)}|}}"
        text = self._inside(stop.text).translate(_FOR_SNIPPETS)
        return f"${{{self.stops}:{text}}}" if text else f"${self.stops}"

    def _inside(self, text: str) -> str:
        """Return a value as it must be written in brackets."""
        if not self._flow or text[:1] in {'"', "'"} or _PLAIN_IN_BRACKETS.fullmatch(text) or not text:
            return text
        return quote_text(text)
