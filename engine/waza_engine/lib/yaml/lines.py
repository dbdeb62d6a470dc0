"""Find the lines of values in a YAML text."""

import re
from dataclasses import dataclass
from typing import Self

import yaml

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.nodes import YamlError, compose

_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""Ends a line in YAML."""


@dataclass(frozen=True, slots=True)
class YamlLines:
    """The lines of the values in one text, from 1. An invalid text has none."""

    _root: yaml.Node | None
    _lines: list[str]

    @classmethod
    def of(cls, text: str) -> Self:
        """Parse the text."""
        try:
            return cls(compose(text), _BREAK.split(text.removeprefix("\ufeff")))
        except YamlError:
            return cls(None, [])

    def line(self, pointer: Pointer) -> int:
        """Return the line of a key or list item; 0 if the text has no such value."""
        found = self._find(pointer)
        return found[0] if found else 0

    def block(self, pointer: Pointer) -> list[tuple[int, str]]:
        """Return the lines of a value with their numbers, from its key or item on; empty if the text has no such value."""
        found = self._find(pointer)
        if found is None:
            return []
        first, node = found
        end = _last_leaf(node).end_mark
        # A block scalar ends at the start of a line.
        numbered = list(enumerate(self._lines[first - 1 : end.line + (end.column > 0)], first))
        while len(numbered) > 1 and not numbered[-1][1].strip():
            numbered.pop()
        return numbered

    def text(self, pointer: Pointer) -> str:
        """Return the scalar at a pointer as it is written, or ""."""
        found = self._find(pointer)
        return str(found[1].value) if found and isinstance(found[1], yaml.ScalarNode) else ""

    def _find(self, pointer: Pointer) -> tuple[int, yaml.Node] | None:
        """Return the line and the node of a value."""
        line, node = 1, self._root
        for key in pointer:
            if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
                node = node.value[key]
                line = node.start_mark.line + 1
            elif isinstance(node, yaml.MappingNode) and (found := _member(node, key)):
                line, node = found[0].start_mark.line + 1, found[1]
            else:
                return None
        return (line, node) if node is not None else None


def _last_leaf(node: yaml.Node) -> yaml.Node:
    """Return the last scalar, alias or flow collection of a node. A block itself ends only where the next one begins."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1][1] if isinstance(node, yaml.MappingNode) else node.value[-1]
        if last.start_mark.index < node.start_mark.index:
            return node.value[-1][0] if isinstance(node, yaml.MappingNode) else node  # An alias.
        node = last
    return node


def _member(node: yaml.MappingNode, key: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """Return the key and value nodes of a member."""
    members = (it for it in node.value if isinstance(it[0], yaml.ScalarNode) and it[0].value == str(key))
    return next(members, None)
