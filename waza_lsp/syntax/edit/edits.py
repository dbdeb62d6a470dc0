"""Text edits, drafts that apply them, and the layout that new lines follow."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from waza_lsp.syntax.text import Place, Span, Text, split_lines
from waza_lsp.syntax.tree.aliases import unknown_aliases
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.syntax.tree.parse import Parsed, parse
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.tree import Tree

_MOST_SAMPLES = 40
_LINE_END = re.compile(r"\r\n?")
_TOP_LEVEL_LINE = re.compile(r"\n\w")


class Layout(NamedTuple):
    """The indentation of a file.

    `step` and `dash` are the columns from a key to the keys of a nested map and to the dashes of a nested list. `gap` is
    the distance from a dash to its content.
    """

    step: int = 2
    dash: int = 2
    gap: int = 2


def layout_of(tree: Tree) -> Layout:
    """Return the layout of the first nested map and the first list of a file."""
    steps: list[int] = []
    dashes: list[tuple[int, int]] = []
    for seen, (column, value, first) in enumerate(_values(tree)):
        if value.kind is Kind.MAP:
            steps.append(value.start.column - column)
        else:
            dashes.append((value.start.column - column, first - value.start.column))
        if (steps and dashes) or seen > _MOST_SAMPLES:
            break
    dash, gap = next((it for it in dashes if it[0] >= 0 and it[1] > 1), (-1, 2))
    step = next((it for it in steps if it > 0), dash if dash > 0 else 2)
    return Layout(step, dash if dash >= 0 else step, gap)


class Edit(NamedTuple):
    """Replace `span` by `text`, whose line ends are LF and become those of the file."""

    span: Span
    text: str


@dataclass(frozen=True, eq=False)
class Draft:
    """A text and its tree, between one edit and the next.

    `origins` maps each line to its line in the first draft (-1: new or changed); None in the first draft itself.
    """

    text: Text
    tree: Tree
    origins: tuple[int, ...] | None = None

    @cached_property
    def layout(self) -> Layout:
        """The layout of the text."""
        return layout_of(self.tree)

    def as_first(self) -> "Draft":
        """Return the same text as a first draft."""
        return Draft(self.text, self.tree) if self.origins is not None else self

    def apply(self, edits: Iterable[Edit]) -> "Draft":
        """Return the draft with all edits applied.

        Their spans refer to this text and do not overlap.
        """
        ordered = sorted(edits, key=lambda it: it.span, reverse=True)
        if not ordered:
            return self
        text = self.text
        origins = [*(self.origins or range(len(text.lines)))]
        for span, new in ordered:
            count = len(text.lines)
            text = text.replace(span, new.replace("\n", self.text.line_end))
            first, last = span.start.line, span.end.line
            origins[first : last + 1] = [-1] * (len(text.lines) - count + last + 1 - first)
        top = ordered[-1].span.start.line
        bottom = len(self.text.lines) - 1 - max(it.span.end.line for it in ordered)
        tree = Tree.of(text.lines, self.tree, (max(0, top - 1), max(0, bottom - 1)))
        return Draft(text, tree, tuple(origins))

    def problem_count(self) -> int:
        """Return the number of syntax problems and duplicate keys."""
        return sum(_faults(it.parsed) for it in self.tree.pieces)

    def is_harmed_by(self, edits: Sequence[Edit]) -> bool:
        """Whether the edits add syntax problems, touch a piece that has some, or put an alias above its anchor."""
        lines = {line for it in edits for line in (it.span.start.line, it.span.end.line)}
        if any(piece.parsed.problems for it in lines if (piece := self.tree.piece_at(it)) is not None):
            return True
        if self._loses_an_anchor(edits):
            return True
        first = self.tree.piece_at(min(it.span.start.line for it in edits)) if edits else None
        part = self._piece_after(first, edits) if first is not None else None
        # A new top-level key below the last item of a list does not belong to the piece of that item.
        if first is None or part is None or any(_TOP_LEVEL_LINE.search(it.text) for it in edits):
            return self.apply(edits).problem_count() > self.problem_count()
        return _faults(parse(part)) > _faults(first.parsed)

    def _loses_an_anchor(self, edits: Sequence[Edit]) -> bool:
        """Whether the edits remove an anchor that an alias needs, or move it below the alias."""
        if not any(it.parsed.has_alias for it in self.tree.pieces):
            return False
        before, after = (sum(1 for _ in unknown_aliases(it.tree.pieces)) for it in (self, self.apply(edits)))
        return after > before

    def _piece_after(self, piece: Piece, edits: Sequence[Edit]) -> str | None:
        """Return the lines of a piece after the edits.

        Returns None if the edits affect other pieces.
        """
        end = max(it.span.end for it in edits)
        if end > (piece.end, 0) or min(it.span.start for it in edits) == (piece.start, 0):
            # A line inserted at the start of a piece belongs to the piece above.
            return None
        part = Text(split_lines("".join(self.text.lines[piece.start : piece.end])))
        for span, new in sorted(edits, key=lambda it: it.span, reverse=True):
            part = part.replace(span.shift(-piece.start), new)
        source = str(part)
        # An edit that ends at the next piece must keep that piece at the start of a line.
        is_apart = end < (piece.end, 0) or not source or source.endswith(("\n", "\r"))
        return source if is_apart else None


def _faults(parsed: Parsed) -> int:
    return len(parsed.problems) + len(parsed.duplicates)


def has_overlap(edits: Iterable[Edit], others: Sequence[Edit]) -> bool:
    """Whether any edit touches or adjoins one of the `others`.

    `others` are sorted and do not overlap each other, so only the two nearest can conflict.
    """
    for it in edits:
        index = bisect_left(others, it)
        if any(
            it.span.start <= other.span.end and other.span.start <= it.span.end
            for other in others[max(0, index - 1) : index + 1]
        ):
            return True
    return False


def difference(before: Text, after: Draft) -> list[Edit]:
    """Return the edits from a first draft to a later one, without unchanged lines."""
    origins = after.origins if after.origins is not None else range(len(before.lines))
    edits: list[Edit] = []
    old = new = 0
    for line, origin in (
        *((i, it) for i, it in enumerate(origins) if it >= 0),
        (len(origins), len(before.lines)),
    ):
        if origin > old or line > new:
            edits += _replaced(before, (old, origin), "".join(after.text.lines[new:line]))
        old, new = origin + 1, line + 1
    return [it for it in edits if it.text or it.span.start < it.span.end]


def _values(tree: Tree) -> Iterator[tuple[int, Node, int]]:
    """Yield block maps and lists below keys.

    Each with the key's column, and a list with the column of its first content.
    """
    for entry in tree.entries:
        if entry.is_list and entry.items:
            piece, item = entry.items[0]
            if piece.parsed.root is not None:
                yield entry.key.start.column, piece.parsed.root, item.start.column
            yield from _below(item)
        else:
            yield from _pair(entry.key, entry.value)
    whole = tree.whole
    if whole is not None and whole.parsed.root is not None:
        yield from _below(whole.parsed.root)


def _pair(key: Node, value: Node) -> Iterator[tuple[int, Node, int]]:
    if value.flow or key.start.line == value.start.line:
        return
    if value.kind is Kind.MAP and value.pairs:
        yield key.start.column, value, 0
    elif value.kind is Kind.SEQ and value.items:
        yield key.start.column, value, value.items[0].start.column
    yield from _below(value)


def _below(node: Node) -> Iterator[tuple[int, Node, int]]:
    for key, value in node.pairs:
        yield from _pair(key, value)
    for item in node.items:
        yield from _below(item)


def _replaced(before: Text, lines: tuple[int, int], new: str) -> Iterator[Edit]:
    first, last = lines
    old = "".join(before.lines[first:last])
    head = _common_length(old, new, crlf="\r\n")
    tail = _common_length(old[head:][::-1], new[head:][::-1], crlf="\n\r")
    start = _place(before, first, head)
    end = _place(before, first, len(old) - tail)
    yield Edit(Span(start, end), _LINE_END.sub("\n", new[head : len(new) - tail]))


def _common_length(one: str, other: str, *, crlf: str) -> int:
    """Return the length of the common start, without splitting a CRLF."""
    pairs = enumerate(zip(one, other, strict=False))
    count = next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))
    around = {it[max(0, count - 1) : count + 1] for it in (one, other)}
    return count - 1 if crlf in around else count


def _place(text: Text, line: int, offset: int) -> Place:
    while line < len(text.lines) - 1 and offset >= len(text.lines[line]):
        offset -= len(text.lines[line])
        line += 1
    return Place(line, offset)
