"""Text edits: what a fix comes down to, and what becomes of a text and its tree when they are made."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from waza_lsp.syntax.layout import Layout, layout_of
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree import Tree

_LINE_END = re.compile(r"\r\n?")


class Edit(NamedTuple):
    """Put `text` in place of what stands in `span`; line ends in `text` are LF and become those of the file."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A text and its tree, on the way from one edit to the next."""

    text: Text
    tree: Tree

    @property
    def layout(self) -> Layout:
        return layout_of(self.tree)

    def edited(self, edits: Iterable[Edit]) -> "Draft":
        """The draft with all edits made; they count in this text and do not overlap."""
        ordered = sorted(edits, key=lambda it: it.span, reverse=True)
        if not ordered:
            return self
        text = self.text
        for span, new in ordered:
            text = text.edited(span, new.replace("\n", self.text.line_end))
        top = ordered[-1].span.start.line
        bottom = len(self.text.lines) - 1 - max(it.span.end.line for it in ordered)
        return Draft(text, Tree.of(text.lines, self.tree, (max(0, top - 1), max(0, bottom - 1))))

    def problem_count(self) -> int:
        """How much of the text cannot be read."""
        return sum(len(it.parsed.problems) + len(it.parsed.duplicates) for it in self.tree.pieces)


def overlap(edits: Iterable[Edit], others: Sequence[Edit]) -> bool:
    """Whether edits touch the same text, or insert at the same place: their order would matter."""
    return any(a.span.start <= b.span.end and b.span.start <= a.span.end for a in edits for b in others)


def difference(before: Text, after: Text) -> list[Edit]:
    """The edits that turn one text into the other: whole lines compared, and what is the same around them kept."""
    matcher = SequenceMatcher(None, before.lines, after.lines, autojunk=False)
    return [
        edit
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
        for edit in _replaced(before, (a, b), "".join(after.lines[c:d]))
        if edit.text or edit.span.start < edit.span.end
    ]


def _replaced(before: Text, lines: tuple[int, int], new: str) -> Iterator[Edit]:
    first, last = lines
    old = "".join(before.lines[first:last])
    head = _same(old, new)
    tail = _same(old[head:][::-1], new[head:][::-1])
    start = _place(before, first, head)
    end = _place(before, first, len(old) - tail)
    yield Edit(Span(start, end), _LINE_END.sub("\n", new[head : len(new) - tail]))


def _same(one: str, other: str) -> int:
    """How many characters are the same at the start; never half a CRLF."""
    count = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    return count - 1 if one[count - 1 : count] in {"\r", "\n"} and count else count


def _place(text: Text, line: int, offset: int) -> Place:
    while line < len(text.lines) - 1 and offset >= len(text.lines[line]):
        offset -= len(text.lines[line])
        line += 1
    return Place(line, offset)
