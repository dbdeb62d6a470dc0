"""New text: keys, lists and values with places to fill in, written in the layout of the file around them.

Columns are absolute: every line but the first carries its whole indentation.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from waza_lsp.syntax.edit.edits import Layout
from waza_lsp.syntax.edit.emit import quoted, scalar

_PLAIN_IN_BRACKETS = re.compile(r"[^,\[\]{}]+")
_FOR_SNIPPETS = str.maketrans({"\\": "\\\\", "$": "\\$", "}": "\\}"})
_FOR_CHOICES = str.maketrans({"\\": "\\\\", "|": "\\|", ",": "\\,"})


@dataclass(frozen=True, slots=True)
class Hole:
    """A place to fill in: with one of `choices`, or starting from `text`. Texts are written as they are.

    `text` stays in editors without snippets only if it is `good`: a value that means something by itself.
    """

    text: str = ""
    choices: tuple[str, ...] = ()
    good: bool = False


Body = Hole | str | Mapping[str, "Body"] | Sequence["Body"]
"""What is written: a place to fill in, a text, or a map or list of such."""


class Pen:
    """Writes bodies, and numbers the places to fill in."""

    def __init__(self, layout: Layout, *, snippets: bool, flow: bool = False, line_end: str = "\n") -> None:
        self._layout = layout
        self._snippets = snippets
        self._flow = flow
        self.line_end = line_end
        self.stops = 0
        self.is_snippet = False
        """Whether anything was written that only editors with snippets understand."""

    def pair(self, key: str, body: Body, column: int) -> str:
        """A key that stands in a column, with its value."""
        return self.literal(key) + ":" + self.after_colon(body, column)

    def after_colon(self, body: Body, column: int) -> str:
        """The value of a key that stands in a column."""
        if self._flow or isinstance(body, str | Hole):
            return " " + self.item(body, column)
        if isinstance(body, Mapping):
            inner = column + self._layout.step
            return self._new_line(inner) + self.item(body, inner)
        inner = column + self._layout.dash
        return self._new_line(inner) + self.dash(body[0] if body else Hole(), inner)

    def dash(self, body: Body, column: int) -> str:
        """A list item whose dash stands in a column."""
        return self.dashed(self.item(body, column + self._layout.gap))

    def dashed(self, text: str) -> str:
        """A text as a list item."""
        return "-" + " " * (self._layout.gap - 1) + text

    def item(self, body: Body, column: int) -> str:
        """A value that starts in a column."""
        match body:
            case str():
                return self.literal(self.value(body))
            case Hole():
                return self._hole(body)
            case Mapping():
                pairs = [self.pair(key, it, column) for key, it in body.items()] or [self._hole(Hole())]
                return "{" + ", ".join(pairs) + "}" if self._flow else self._new_line(column).join(pairs)
            case _:
                return "[" + ", ".join(self.item(it, column) for it in body) + "]"

    def value(self, text: str) -> str:
        """A text as a scalar, quoted where it must be."""
        plain = scalar(text)
        return (
            quoted(text) if self._flow and plain == text and not _PLAIN_IN_BRACKETS.fullmatch(text) else plain
        )

    def literal(self, text: str) -> str:
        """A text that is written as it is."""
        escaped = text.translate(_FOR_SNIPPETS) if self._snippets else text
        self.is_snippet |= escaped != text
        return escaped

    def _new_line(self, column: int) -> str:
        return self.line_end + " " * column

    def _hole(self, hole: Hole) -> str:
        if not self._snippets:
            return self._inside(hole.text) if hole.good else ""
        self.stops += 1
        self.is_snippet = True
        if hole.choices:
            return f"${{{self.stops}|{','.join(it.translate(_FOR_CHOICES) for it in hole.choices)}|}}"
        text = self._inside(hole.text).translate(_FOR_SNIPPETS)
        return f"${{{self.stops}:{text}}}" if text else f"${self.stops}"

    def _inside(self, text: str) -> str:
        """A written value as it must be in brackets."""
        if not self._flow or text[:1] in {'"', "'"} or _PLAIN_IN_BRACKETS.fullmatch(text) or not text:
            return text
        return quoted(text)
