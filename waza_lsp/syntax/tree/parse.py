"""One piece of YAML text to nodes: libyaml's events into our own tree, and whatever stands before an error.

A piece that libyaml refuses is tried again with the line at fault, or its block, left blank, so that what stands
below a half-typed line is known too; the problem is kept either way.

A broken text without a block: a line at fault cannot be left out alone where its value stands below it.

Plain texts that end where a `#` was meant to be part of them: what follows it is a comment to YAML.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import yaml

from waza_engine.model.placeholders import PLACEHOLDER
from waza_lsp.syntax.cursor.rows import row_of
from waza_lsp.syntax.errors.hints import Cause, Problem
from waza_lsp.syntax.errors.messages import is_behind_root, problem_of
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree.builder import Builder
from waza_lsp.syntax.tree.node import Kind, Node


def without_block(source: str, line: int) -> str:
    """The text with a line left blank, and those below it down to the first that is not as deep as the next one."""
    lines = source.splitlines(keepends=True)
    if line >= len(lines):
        return source
    own = _indent(lines[line])
    lines[line] = "\n"
    below = next((it for it in range(line + 1, len(lines)) if not _is_blank(lines[it])), len(lines))
    depth = _indent(lines[below]) if below < len(lines) else 0
    if depth <= own:
        return "".join(lines)
    for it in range(below, len(lines)):
        if not _is_blank(lines[it]) and _indent(lines[it]) < depth:
            break
        lines[it] = "\n"
    return "".join(lines)


def _indent(text: str) -> int:
    """The column of what a line begins with; 0 where tabs indent it."""
    row = row_of(0, text.rstrip("\r\n"), 2)
    return 0 if row.shift else row.column


def _is_blank(text: str) -> bool:
    return row_of(0, text.rstrip("\r\n"), 1).is_blank


_CANDIDATE = re.compile(r"(?<=[^\s#]) #(?=\w)[^\n]*")
"""People who write comments put a blank behind the mark."""
_ENOUGH_WORDS = 2


def cut_texts(source: str, root: Node) -> Iterator[Span]:
    """The comments that were probably meant as text, each from its mark to the end of the line."""
    if " #" not in source:
        return
    ends: dict[Place, Node] | None = None
    for line, text in enumerate(source.split("\n")):
        found = _CANDIDATE.search(text) if " #" in text else None
        if found is None:
            continue
        if ends is None:
            ends = {it.end: it for it in _plain_texts(root)}
        node = ends.get(Place(line, found.start()))
        is_number = text[found.start() + 2].isdigit()
        if node is not None and (is_number or len(node.source.split()) >= _ENOUGH_WORDS):
            yield Span(Place(line, found.start() + 1), Place(line, len(text.rstrip())))


def _plain_texts(node: Node) -> Iterator[Node]:
    if node.kind is Kind.SCALAR and not node.style and isinstance(node.value, str):
        yield node
    for _, value in node.pairs:
        yield from _plain_texts(value)
    for item in node.items:
        yield from _plain_texts(item)


_WORDS = {ord(it): chr(0xE000 + ord(it)) for it in "{}[]=:,#&*!|>'\"%@`- "}
"""Characters that mean something to YAML, each with one for private use that does not."""
_MARKS = {ord(word): chr(mark) for mark, word in _WORDS.items()}


class StrayKey(NamedTuple):
    """The key of a line that stands in no column of its neighbours.

    `is_open`: nothing stands behind or below it, so that what follows the piece may have been meant to be its value.
    """

    name: str
    is_open: bool


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Parsed:
    """What a piece holds: its root node (None when nothing could be read) and its syntax problems."""

    root: Node | None
    problems: tuple[Problem, ...] = ()
    anchors: dict[str, Node] = field(default_factory=dict)
    has_alias: bool = False
    duplicates: tuple[tuple[Node, Node], ...] = ()
    """Keys that stand twice in one mapping: the first and the later one."""
    templates: tuple[Node, ...] = ()
    """`{{name}}` without quotes: read as the text that it was meant to be."""
    tags: tuple[tuple[str, Span], ...] = ()
    """Tags that YAML does not have."""
    merges: tuple[tuple[Node, Node], ...] = ()
    """The merge keys (`<<`) with what they stand before."""
    nested_keys: tuple[Span, ...] = ()
    """Lists and mappings that stand where a key has to."""
    cut: tuple[Span, ...] = ()
    """Where a comment begins that was probably meant to be text: `Fix issue #12`."""
    unterminated: bool = False
    """The text ends inside a quote, a bracket or the like: more lines could complete it."""
    stray_key: StrayKey | None = None
    filled: "Parsed | None" = None
    """What the piece holds where placeholders are replaced before it is read: only they keep it from being YAML."""


def parse(source: str) -> Parsed:
    """Parse one piece; never raises for bad text."""
    builder = Builder(source)
    error = builder.read()
    if error is None:
        cut = tuple(cut_texts(source, builder.root)) if builder.root is not None else ()
        return _read(builder, cut)
    builder.close_open()
    problem = problem_of(source, error)
    mark = getattr(error, "problem_mark", None)
    unterminated = mark is not None and mark.index >= len(source.rstrip())
    if is_behind_root(error):
        _read_on(builder, source, error)
    attempts = _readable(_without_mistake(source, problem, error), builder.root)
    best = max([builder, *attempts], key=lambda it: it.size)
    return Parsed(
        best.root,
        (problem,),
        best.anchors,
        best.has_alias,
        unterminated=unterminated,
        stray_key=_stray_key(source, problem),
        filled=_filled(source) if "${" in source else None,
    )


def _stray_key(source: str, problem: Problem) -> StrayKey | None:
    line, *below = source.splitlines()[problem.span.start.line :] or [""]
    row = row_of(0, line, 1)
    if problem.cause is not Cause.INDENTATION or row.key is None or row.dashes:
        return None
    is_open = not row.has_value and all(row_of(0, it, 1).is_blank for it in below)
    return StrayKey(row.key, is_open)


def _readable(sources: Iterable[Iterable[str]], root: Node | None) -> list[Builder]:
    """What the first attempts read of which any can be read to its end.

    They must begin as what was read of the text itself: without its first line the rest may be another thing.
    """
    for attempts in sources:
        read = [it for it in map(Builder, attempts) if it.read() is None and _begins_alike(root, it.root)]
        if read:
            return read
    return []


def _begins_alike(root: Node | None, other: Node | None) -> bool:
    if root is None or other is None or root.kind is Kind.SCALAR:
        return True
    return (other.kind, other.start.column) == (root.kind, root.start.column)


def _read_on(builder: Builder, source: str, error: yaml.YAMLError) -> None:
    """Add the items that stand below a list in another column than its own."""
    while builder.root is not None and builder.root.kind is Kind.SEQ and is_behind_root(error):
        line = _error_line(error)
        rest = Builder("\n" * line + "".join(source.splitlines(keepends=True)[line:]))
        failed = rest.read()
        if rest.root is None or rest.root.kind is not Kind.SEQ or rest.root.flow:
            return
        rest.close_open()
        builder.adopt(rest)
        if failed is None:
            return
        error = failed


def _filled(source: str) -> Parsed | None:
    """The piece read as if every placeholder were a word; None when something else is wrong with it."""
    builder = _FilledBuilder(PLACEHOLDER.sub(lambda it: it[0].translate(_WORDS), source))
    if builder.read() is not None:
        return None
    return _read(builder)


def _read(builder: Builder, cut: tuple[Span, ...] = ()) -> Parsed:
    """What was noted of a text that is YAML."""
    return Parsed(
        builder.root,
        (),
        builder.anchors,
        builder.has_alias,
        tuple(builder.duplicates),
        tuple(builder.templates),
        tuple(builder.tags),
        tuple(builder.merges),
        tuple(it.span for it in builder.nested_keys),
        cut,
    )


def _without_mistake(source: str, problem: Problem, error: yaml.YAMLError) -> Iterator[Iterable[str]]:
    """The text with a line at fault left blank, with its key alone or without its quote; else without what stands below it, too."""
    line, start = _error_line(error), problem.span.start.line
    above = set() if is_behind_root(error) else {start, max(0, line - 1)}
    blank = (_without_line(source, it) for it in {line, *above})
    partly = (*map(partial(_without_value, source), {line, start}), _without_quote(source, problem))
    yield chain(blank, (it for it in partly if it))
    yield [without_block(source, start)]


def _without_value(source: str, line: int) -> str:
    """Empty where the line has no key."""
    lines = source.splitlines(keepends=True)
    row = row_of(line, lines[line], 1) if line < len(lines) else None
    if row is None or row.colon < 0:
        return ""
    lines[line] = lines[line][: row.colon + 1] + "\n"
    return "".join(lines)


def _without_quote(source: str, problem: Problem) -> str:
    """Empty unless the quote that is never closed begins a line: a key is being put in quotes, most likely."""
    text, (line, column) = Text.of(source), problem.span.start
    if problem.cause is not Cause.QUOTE or text.line(line)[:column].strip():
        return ""
    return str(text.edited(problem.span, " "))


def _without_line(source: str, line: int) -> str:
    """The dash stays where what stands below belongs to its item."""
    lines = source.splitlines(keepends=True)
    if line < len(lines):
        dashes = row_of(0, lines[line].rstrip("\r\n"), 1).dashes
        below = next((it for it in lines[line + 1 :] if it.strip()), "")
        is_inside = dashes and len(below) - len(below.lstrip(" ")) > dashes[-1]
        lines[line] = (lines[line][: dashes[-1] + 1] if is_inside else "") + "\n"
    return "".join(lines)


def _error_line(error: yaml.YAMLError) -> int:
    mark = getattr(error, "problem_mark", None)
    return int(mark.line) if mark is not None else 0


class _FilledBuilder(Builder):
    """Reads a text whose placeholders are disguised as words, and takes the disguise away."""

    def scalar(self, event: Any) -> Node:
        node = super().scalar(event)
        node.source = node.source.translate(_MARKS)
        if isinstance(node.value, str):
            node.value = node.value.translate(_MARKS)
        return node
