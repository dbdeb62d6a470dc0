"""Find the comments of a YAML text, each with its key or item, and write them into another one."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import yaml

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.nodes import YamlError, compose

_COMMENT = re.compile(r"(?:^|(?<=\s))#")


@dataclass(frozen=True, slots=True)
class Comment:
    """The comment lines above a key or item, without `#`, and the comment on its own line."""

    above: tuple[str, ...] = ()
    beside: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it, as lines above something else."""
        return (*self.above, *((f" {self.beside}",) if self.beside else ()))


@dataclass(slots=True)
class Comments:
    """The comments of one file: those of its keys and items, and the lines at its top and its end."""

    at: dict[Pointer, Comment] = field(default_factory=dict)
    header: tuple[str, ...] = ()
    footer: tuple[str, ...] = ()

    def add(self, pointer: Pointer, *above: str, beside: str = "") -> None:
        """Add a comment to those at a pointer; a second comment beside the same key becomes a line above it."""
        before = self.at.get(pointer, Comment())
        if before.beside and beside:
            above, beside = (*above, f" {beside}"), ""
        self.at[pointer] = Comment((*before.above, *above), before.beside or beside)


class _Anchor(NamedTuple):
    """A key or item: where it starts, and whether it is inside flow-style brackets."""

    line: int
    column: int
    pointer: Pointer
    in_flow: bool


def comments_of(text: str) -> Comments:
    """Return the comments of a YAML text, each exactly once."""
    text = text.removeprefix("\ufeff")
    lines = text.splitlines()
    try:
        anchors = sorted(_anchors(compose(text), (), set(), in_flow=False), key=lambda it: it[:2])
    except YamlError:
        return Comments(header=tuple(it.strip()[1:] for it in lines if it.lstrip().startswith("#")))
    found = Comments()
    starts = [it.line for it in anchors]
    blocks: list[tuple[int, int, list[str]]] = []
    for line, column, words in _comments(text, lines):
        if lines[line][:column].strip(" \t"):
            found.add(_anchor_beside(anchors, starts, line), beside=words.strip())
        elif blocks and blocks[-1][:2] == (line - len(blocks[-1][2]), column):
            blocks[-1][2].append(words)
        else:
            blocks.append((line, column, [words]))
    for line, column, block in blocks:
        _place_block(found, anchors, starts, (line, column), block, lines)
    return found


def with_comments(text: str, comments: Comments) -> str:
    """Return a YAML text with comments. It must have none, all their places, and no scalars of several lines but blocks."""
    lines = {it.pointer: it.line for it in _anchors(compose(text), (), set(), in_flow=False)}
    placed = Comments()
    # An item and its first key share a line. The comments of the item come first.
    for pointer, comment in sorted(comments.at.items(), key=lambda it: len(it[0])):
        placed.add((lines[pointer],), *comment.above, beside=comment.beside)
    made = [*(f"#{it}" for it in comments.header), *([""] if comments.header else [])]
    for number, line in enumerate(text.removesuffix("\n").split("\n")):
        comment = placed.at.get((number,), Comment())
        indent = " " * (len(line) - len(line.lstrip(" ")))
        made += [f"{indent}#{it}" for it in comment.above]
        made.append(f"{line}  # {comment.beside}" if comment.beside else line)
    made += ["", *(f"#{it}" for it in comments.footer)] if comments.footer else []
    return "\n".join(made) + "\n"


def _anchors(node: yaml.Node, pointer: Pointer, seen: set[int], *, in_flow: bool) -> Iterator[_Anchor]:
    if id(node) in seen or not isinstance(node, yaml.CollectionNode):
        return  # An alias shares the node of its anchor, whose comments are at the anchor.
    seen.add(id(node))
    flow = in_flow or bool(node.flow_style)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            child = (*pointer, str(key.value))
            yield _Anchor(key.start_mark.line, key.start_mark.column, child, flow)
            yield from _anchors(value, child, seen, in_flow=flow)
        return
    for index, item in enumerate(node.value):
        # In block style the dash is at the column of the list.
        column = item.start_mark.column if flow else node.start_mark.column
        yield _Anchor(item.start_mark.line, column, (*pointer, index), flow)
        yield from _anchors(item, (*pointer, index), seen, in_flow=flow)


def _comments(text: str, lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield line, column and text of each comment: what follows a `#` outside of scalars."""
    inside: dict[int, list[tuple[int, int]]] = {}
    for start, end, style in _scalars(text):
        first = start.line + 1 if style in {"|", ">"} else start.line
        for at in range(first, end.line + 1):
            left = start.column if at == start.line else 0
            right = end.column if at == end.line else len(lines[at]) if at < len(lines) else 0
            inside.setdefault(at, []).append((left, right))
    for number, line in enumerate(lines):
        if "#" not in line:
            continue
        for found in _COMMENT.finditer(line):
            if not any(left <= found.start() < right for left, right in inside.get(number, ())):
                yield number, found.start(), line[found.end() :].rstrip()
                break


def _scalars(text: str) -> Iterator[tuple[Any, Any, str | None]]:
    loader = yaml.CBaseLoader(text)
    try:
        while loader.check_event():
            event = loader.get_event()
            if isinstance(event, yaml.ScalarEvent):
                yield event.start_mark, event.end_mark, event.style
    except yaml.YAMLError:
        return
    finally:
        loader.dispose()


def _anchor_beside(anchors: Sequence[_Anchor], starts: Sequence[int], line: int) -> Pointer:
    """The key or item that a comment at the end of a line is about."""
    last = bisect_right(starts, line)
    on_line = [it for it in anchors[:last] if it.line == line]
    outside = [it for it in on_line if not it.in_flow]
    if outside or on_line:
        return (outside or on_line[:1])[-1].pointer
    return anchors[last - 1].pointer if last else ()


def _place_block(
    found: Comments,
    anchors: Sequence[_Anchor],
    starts: Sequence[int],
    place: tuple[int, int],
    block: Sequence[str],
    lines: Sequence[str],
) -> None:
    """Give lines of comments to the key or item below; lines indented deeper belong to what they end."""
    line, column = place
    at = bisect_right(starts, line)
    following = anchors[at] if at < len(anchors) else None
    if at == 0 and (following is None or _is_apart(lines, line + len(block), following.line)):
        found.header += tuple(block)
    elif following is not None and (column <= following.column or following.in_flow):
        found.add(following.pointer, *block)
    else:
        before = next((it for it in reversed(anchors[:at]) if it.column <= column and not it.in_flow), None)
        home = () if before is None else before.pointer[:-1] if before.column == column else before.pointer
        if home:
            found.add(home, *block)
        elif following is None:
            found.footer += tuple(block)
        else:
            found.add(following.pointer, *block)


def _is_apart(lines: Sequence[str], start: int, end: int) -> bool:
    """Whether something else than comments is between the lines: an empty line, or `---`."""
    return any(not it.lstrip().startswith("#") for it in lines[start:end])
