"""Parse YAML text into a tree of nodes. libyaml parses; the tree is built here.

PyYAML's own composer does not fit for three reasons: it refuses an anchor that is defined twice, which waza allows; it
crashes the process when the nesting is very deep; and it resolves plain scalars by YAML 1.1, which waza does not.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from waza_engine.lib.yaml.messages import unknown_anchor

PLAIN = "?"
"""The tag of a plain scalar that is not resolved yet."""
CORE = "tag:yaml.org,2002:"
"""The prefix of the tags of YAML's own types."""

MOST_CHARACTERS = 2_000_000
"""A hundred times a long eval. Any text below this limit is read within seconds, hostile ones included."""
TOO_LARGE = f"The file is larger than {MOST_CHARACTERS // 1_000_000} MB"
MAX_DEPTH = 150
"""More levels than any eval has. Reading them must not exhaust the stack."""


@dataclass
class YamlError(Exception):
    """The text is not a YAML document that waza would read. `line` and `column` count from zero."""

    message: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.message} (line {self.line + 1}, column {self.column + 1})"


class EmptyDocumentError(YamlError):
    """The text has no document: it is empty, or all comments."""


def compose(text: str) -> yaml.Node:
    """Return the root node of the first document; the rest of the text is ignored. Aliases share their nodes.

    Raises:
        YamlError: syntax error, unknown anchor, too deep, too large, or no document at all.

    """
    if len(text) > MOST_CHARACTERS:
        raise YamlError(f"{TOO_LARGE}. Move large content into separate files")
    text = text.removeprefix("\ufeff")
    try:
        try:
            return _composed(yaml.CBaseLoader(text))
        except yaml.YAMLError as error:
            if not scans_no_deeper(error):
                raise
            return _composed(yaml.BaseLoader(text))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlError(
            str(error.problem or error.context), mark.line if mark else 0, mark.column if mark else 0
        ) from error
    except yaml.YAMLError as error:
        raise YamlError(str(error).splitlines()[0]) from error


def scans_no_deeper(error: yaml.YAMLError) -> bool:
    """Whether libyaml gave up because of brackets in brackets. From 0.2.6 on, it does so before it reads the first one.

    PyYAML's slower parser reads them, up to `MAX_DEPTH`, and so tells where they are too many.
    """
    return getattr(error, "problem", None) == "exceeded maximum nesting depth"


def _composed(loader: Any) -> yaml.Node:
    try:
        return _Composer().compose(_events(loader))
    finally:
        loader.dispose()


def error_at(node: yaml.Node, message: str) -> YamlError:
    """Return an error at the start of `node`."""
    return YamlError(message, node.start_mark.line, node.start_mark.column)


def _events(loader: Any) -> Iterator[Any]:
    while loader.check_event():
        yield loader.get_event()


class _Composer:
    """Builds nodes from events without recursion."""

    def __init__(self) -> None:
        self._anchors: dict[str, yaml.Node] = {}
        self._open: list[tuple[yaml.CollectionNode, list[yaml.Node]]] = []
        """The collections that are not closed yet, each with its children so far."""

    def compose(self, events: Iterator[Any]) -> yaml.Node:
        for event in events:
            match event:
                case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                    self._enter(event)
                    continue
                case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                    node: yaml.Node = self._leave(event)
                case yaml.ScalarEvent():
                    node = yaml.ScalarNode(_scalar_tag(event), event.value, *_marks(event))
                    node.style = event.style
                    self._set_anchor(event, node)
                case yaml.AliasEvent():
                    node = self._aliased_node(event)
                case _:
                    continue
            if not self._open:
                return node
            self._open[-1][1].append(node)
        raise EmptyDocumentError("The file is empty")

    def _enter(self, event: Any) -> None:
        kind = yaml.SequenceNode if isinstance(event, yaml.SequenceStartEvent) else yaml.MappingNode
        tag = event.tag or CORE + ("seq" if kind is yaml.SequenceNode else "map")
        node = kind(tag, [], *_marks(event), flow_style=event.flow_style)
        self._set_anchor(event, node)
        self._open.append((node, []))
        if len(self._open) > MAX_DEPTH:
            raise error_at(node, f"The nesting is deeper than {MAX_DEPTH} levels")

    def _leave(self, event: Any) -> yaml.Node:
        node, children = self._open.pop()
        node.end_mark = event.end_mark
        if isinstance(node, yaml.MappingNode):
            node.value = list(zip(children[::2], children[1::2], strict=True))
        else:
            node.value = children
        return node

    def _set_anchor(self, event: Any, node: yaml.Node) -> None:
        if event.anchor is not None:
            self._anchors[event.anchor] = node

    def _aliased_node(self, event: Any) -> yaml.Node:
        if event.anchor not in self._anchors:
            mark = event.start_mark
            raise YamlError(unknown_anchor(event.anchor), mark.line, mark.column)
        return self._anchors[event.anchor]


def _scalar_tag(event: Any) -> str:
    if event.tag in {None, "!"}:
        return PLAIN if event.implicit[0] else CORE + "str"
    return str(event.tag)


def _marks(event: Any) -> tuple[Any, Any]:
    return event.start_mark, event.end_mark
