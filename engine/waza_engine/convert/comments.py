"""The comments of a YAML text, each with the key or item that it speaks of."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from waza_engine.findings import Pointer
from waza_engine.yaml_nodes import YamlError, compose

_COMMENT = re.compile(r"(?:^|\s)#(.*)$")


@dataclass(frozen=True, slots=True)
class Comment:
    """The lines right above a key or item, without `#`, and what follows it on its own line."""

    above: tuple[str, ...] = ()
    beside: str = ""


def comments_of(text: str) -> dict[Pointer, Comment]:
    """The comments by the pointer of what they speak of; those at the top of the file are at `()`."""
    try:
        root = compose(text)
    except YamlError:
        return {}
    lines = text.splitlines()
    found: dict[Pointer, Comment] = {}
    taken: set[int] = set()
    for pointer, node, end in _places(root, ()):
        line = node.start_mark.line
        above = tuple(_above(lines, line, taken))
        beside = _beside(lines, end) if end.line == line else _beside_key(lines, line, node)
        if above or beside:
            found[pointer] = Comment(above, beside)
    header = tuple(_header(lines, taken))
    return {**found, (): Comment(header)} if header else found


def _places(node: yaml.Node, pointer: Pointer) -> Iterator[tuple[Pointer, yaml.Node, yaml.Mark]]:
    """What a comment can speak of: its pointer, where it begins, and where its value ends."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            place = (*pointer, key.value)
            yield place, key, value.end_mark if _is_inline(value) else key.end_mark
            yield from _places(value, place)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            if not (isinstance(item, yaml.MappingNode) and not item.flow_style):
                yield (*pointer, index), item, item.end_mark
            elif item.value:
                # The first key of an item stands beside the dash: what is above speaks of the item.
                yield (*pointer, index), item, item.start_mark
            yield from _places(item, (*pointer, index))


def _is_inline(value: yaml.Node) -> bool:
    return not isinstance(value, yaml.CollectionNode) or bool(value.flow_style)


def _above(lines: list[str], line: int, taken: set[int]) -> list[str]:
    found: list[str] = []
    at = line - 1
    while at >= 0 and at not in taken and lines[at].lstrip().startswith("#"):
        taken.add(at)
        found.insert(0, lines[at].strip()[1:])
        at -= 1
    return found


def _beside(lines: list[str], end: yaml.Mark) -> str:
    rest = lines[end.line][end.column :] if end.line < len(lines) else ""
    comment = _COMMENT.search(rest)
    return comment[1].strip() if comment and not rest[: comment.start()].strip(" ,]}") else ""


def _beside_key(lines: list[str], line: int, key: yaml.Node) -> str:
    """The comment behind a key whose value begins on the next line."""
    rest = lines[line][key.end_mark.column :] if key.end_mark.line == line else ""
    comment = re.fullmatch(r"\s*:\s*[|>]?[-+\d]*\s+#(.*)", rest)
    return comment[1].strip() if comment else ""


def _header(lines: list[str], taken: set[int]) -> Iterator[str]:
    """Comment lines at the top that a blank line keeps apart from the first key."""
    for at, line in enumerate(lines):
        if line.strip() and not line.lstrip().startswith("#"):
            return
        if line.strip() and at not in taken:
            yield line.strip()[1:]
