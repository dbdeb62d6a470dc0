"""Parse one piece of YAML into nodes, keeping what can be read of a broken one.

libyaml stops at the first error. The piece is then parsed again with the line at fault, or with its whole block, left
blank, so that the lines below a half-typed line are read too. The problem is kept either way.
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
from waza_lsp.syntax.errors.messages import is_after_root, problem_from_error
from waza_lsp.syntax.text import Place, Span, Text, indent_of
from waza_lsp.syntax.tree.builder import Builder
from waza_lsp.syntax.tree.node import Kind, Node

_COMMENT_LIKE_TEXT = re.compile(r"(?<=[^\s#]) #(?=\w)[^\n]*")
"""A `#` directly followed by a word. Real comments usually have a space after the `#`."""
_ENOUGH_WORDS = 2
_WORDS = {ord(it): chr(0xE000 + ord(it)) for it in "{}[]=:,#&*!|>'\"%@`- "}
"""Characters with a meaning in YAML, each mapped to a private-use character without one."""
_MARKS = {ord(word): chr(mark) for mark, word in _WORDS.items()}


class StrayKey(NamedTuple):
    """The key of a line that is not aligned with its neighbours.

    `is_open`: it has no value, so the text after the piece may have been meant as its value.
    """

    name: str
    is_open: bool


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Parsed:
    """The result of parsing a piece. The root is None if nothing could be read."""

    root: Node | None
    problems: tuple[Problem, ...] = ()
    anchors: dict[str, Node] = field(default_factory=dict)
    has_alias: bool = False
    duplicates: tuple[tuple[Node, Node], ...] = ()
    """Keys that occur twice in one mapping: the first and the later one."""
    templates: tuple[Node, ...] = ()
    """Unquoted `{{name}}`, read as text."""
    tags: tuple[tuple[str, Span], ...] = ()
    """Unknown tags."""
    merges: tuple[tuple[Node, Node], ...] = ()
    """The merge keys (`<<`) with their values."""
    nested_keys: tuple[Span, ...] = ()
    """Lists and mappings used as keys."""
    accidental_comments: tuple[Span, ...] = ()
    """Comments that were probably meant as text: `Fix issue #12`."""
    unterminated: bool = False
    """The text ends inside a quote or bracket: more lines could complete it."""
    stray_key: StrayKey | None = None
    filled: "Parsed | None" = None
    """The result with placeholders replaced by words, if only the placeholders made the piece invalid."""
    is_plain: bool = field(init=False)
    """Whether there is nothing to say about the piece but its values, as about nearly all pieces."""

    def __post_init__(self) -> None:
        is_odd = (
            self.problems or self.has_alias or self.duplicates or self.templates or self.tags or self.merges
        )
        about_text = self.nested_keys or self.accidental_comments or self.unterminated or self.stray_key
        object.__setattr__(self, "is_plain", not (is_odd or about_text))


def parse(source: str) -> Parsed:
    """Parse one piece; never raises for bad text."""
    builder = Builder(source)
    error = builder.read()
    if error is None:
        return _valid(builder, tuple(_accidental_comments(source, builder.root)) if " #" in source else ())
    builder.end_open_nodes()
    problem = problem_from_error(source, error)
    mark = getattr(error, "problem_mark", None)
    unterminated = mark is not None and mark.index >= len(source.rstrip())
    if is_after_root(error):
        _read_more_items(builder, source, error)
    attempts = _readable_attempts(_without_mistake(source, problem, error), builder.root)
    best = max([builder, *attempts], key=lambda it: it.size)
    return Parsed(
        best.root,
        (problem,),
        best.anchors,
        best.has_alias,
        unterminated=unterminated,
        stray_key=_stray_key(source, problem),
        filled=_parse_with_placeholders_filled(source) if "${" in source else None,
    )


def _accidental_comments(source: str, root: Node | None) -> Iterator[Span]:
    """Yield the comments that were probably meant as text, as in `Fix issue #12`."""
    if root is None:
        return
    ends: dict[Place, Node] | None = None
    for line, text in enumerate(source.split("\n")):
        found = _COMMENT_LIKE_TEXT.search(text) if " #" in text else None
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


def _stray_key(source: str, problem: Problem) -> StrayKey | None:
    line, *below = source.splitlines()[problem.span.start.line :] or [""]
    row = row_of(0, line, 1)
    if problem.cause is not Cause.INDENTATION or row.key is None or row.dashes:
        return None
    is_open = not row.has_value and all(row_of(0, it, 1).is_blank for it in below)
    return StrayKey(row.key, is_open)


def _readable_attempts(sources: Iterable[Iterable[str]], root: Node | None) -> list[Builder]:
    """Return the builders of the first group with a source that can be read completely.

    The result must have the same kind of root as the piece: without its first line, the rest may mean something else.
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


def _read_more_items(builder: Builder, source: str, error: yaml.YAMLError) -> None:
    """Add the items below a list that are in another column than the list."""
    while builder.root is not None and builder.root.kind is Kind.SEQ and is_after_root(error):
        line = _error_line(error)
        rest = Builder("\n" * line + "".join(source.splitlines(keepends=True)[line:]))
        rest_error = rest.read()
        if rest.root is None or rest.root.kind is not Kind.SEQ or rest.root.flow:
            return
        rest.end_open_nodes()
        builder.append_items(rest)
        if rest_error is None:
            return
        error = rest_error


def _valid(builder: Builder, comments: tuple[Span, ...] = ()) -> Parsed:
    """Return the result of a builder that read valid YAML."""
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
        comments,
    )


def _without_mistake(source: str, problem: Problem, error: yaml.YAMLError) -> Iterator[Iterable[str]]:
    """Yield groups of sources without the mistake.

    First with one line blanked, cut to its key or without its quote; then with the whole block blanked.
    """
    line, start = _error_line(error), problem.span.start.line
    above = set() if is_after_root(error) else {start, max(0, line - 1)}
    blank = (_without_line(source, it) for it in {line, *above})
    partly = (*map(partial(_without_value, source), {line, start}), _without_quote(source, problem))
    yield chain(blank, (it for it in partly if it))
    yield [_without_block(source, start)]


def _without_value(source: str, line: int) -> str:
    """Cut a line after its key; empty if the line has no key."""
    lines = source.splitlines(keepends=True)
    row = row_of(line, lines[line], 1) if line < len(lines) else None
    if row is None or row.colon < 0:
        return ""
    lines[line] = lines[line][: row.colon + 1] + "\n"
    return "".join(lines)


def _without_quote(source: str, problem: Problem) -> str:
    """Drop an unclosed quote at the start of a line, probably that of a key.

    Returns an empty string if there is none.
    """
    text, (line, column) = Text.of(source), problem.span.start
    if problem.cause is not Cause.QUOTE or text.line(line)[:column].strip():
        return ""
    return str(text.replace(problem.span, " "))


def _without_line(source: str, line: int) -> str:
    """Blank out a line, but keep the dash if the lines below belong to its item."""
    lines = source.splitlines(keepends=True)
    if line < len(lines):
        dashes = row_of(0, lines[line].rstrip("\r\n"), 1).dashes
        below = next((it for it in lines[line + 1 :] if it.strip()), "")
        is_inside = dashes and indent_of(below) > dashes[-1]
        lines[line] = (lines[line][: dashes[-1] + 1] if is_inside else "") + "\n"
    return "".join(lines)


def _without_block(source: str, line: int) -> str:
    """Blank out a line and the block below it.

    The block ends before the first line that is less deep.
    """
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
    """Return the column of the first content of a line; 0 if tabs indent it."""
    row = row_of(0, text.rstrip("\r\n"), 2)
    return 0 if row.shift else row.column


def _is_blank(text: str) -> bool:
    return row_of(0, text.rstrip("\r\n"), 1).is_blank


def _error_line(error: yaml.YAMLError) -> int:
    mark = getattr(error, "problem_mark", None)
    return int(mark.line) if mark is not None else 0


def _parse_with_placeholders_filled(source: str) -> Parsed | None:
    """Parse the piece with every placeholder replaced by a word.

    Returns None if there are other errors.
    """
    builder = _FilledBuilder(PLACEHOLDER.sub(lambda it: it[0].translate(_WORDS), source))
    if builder.read() is not None:
        return None
    return _valid(builder)


class _FilledBuilder(Builder):
    """Reads a text whose placeholders are disguised as words, and restores them in the scalars."""

    def scalar(self, event: Any) -> Node:
        node = super().scalar(event)
        node.source = node.source.translate(_MARKS)
        if isinstance(node.value, str):
            node.value = node.value.translate(_MARKS)
        return node
