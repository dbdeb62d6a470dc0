"""Build the nodes of a piece from libyaml's events."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import yaml
from yaml._yaml import CParser
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from waza_engine.lib.yaml.nodes import MAX_DEPTH, scans_no_deeper
from waza_engine.lib.yaml.scalars import resolve
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree.node import Kind, Node

_SCALAR, _SEQ = Kind.SCALAR, Kind.SEQ
_new = tuple.__new__
"""Creates a `Place` in half the time of the constructor."""
_TOO_DEEP = f"the nesting is too deep; the limit is {MAX_DEPTH} levels"
EXTRA_LINE_BREAKS = ("\x85", "\u2028", "\u2029")
"""Characters that end a line for libyaml but not for LSP."""
_CORE = "tag:yaml.org,2002:"
_TAG = re.compile(r"![^\s,\[\]{}]*")
_TEXT_TAGS = frozenset([_CORE + "str", "!", _CORE + "binary"])
_JSON_KINDS = ["str", "int", "float", "bool", "null", "seq", "map"]
_OTHER_KINDS = ["binary", "timestamp", "set", "omap", "pairs", "merge", "value"]
_TAGS = frozenset(["!", *(_CORE + it for it in [*_JSON_KINDS, *_OTHER_KINDS])])


class Builder:
    """Builds the tree event by event, and keeps what it has read when an error occurs."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._may_merge = "<<" in source
        self._starts = _index_lines(source) if any(it in source for it in EXTRA_LINE_BREAKS) else None
        self._begin()

    def _begin(self) -> None:
        self.root: Node | None = None
        self.anchors: dict[str, Node] = {}
        self.has_alias = False
        self.duplicates: list[tuple[Node, Node]] = []
        self.templates: list[Node] = []
        self.tags: list[tuple[str, Span]] = []
        self.merges: list[tuple[Node, Node]] = []
        self.nested_keys: list[Node] = []
        self.size = 0
        self._stack: list[Node] = []
        self._keys: list[Node | None] = []

    def read(self) -> yaml.YAMLError | None:
        """Read all events; return the error that stopped libyaml, if any."""
        error = self._read(CParser)
        if error is not None and scans_no_deeper(error):
            # Nothing was read yet of the value in brackets; what is above it is read again.
            self._begin()
            error = self._read(yaml.BaseLoader)
        return error

    def _read(self, parser: Callable[[str], Any]) -> yaml.YAMLError | None:
        try:
            next_event, add, scalar = parser(self._source).get_event, self._add, self.scalar
            while True:
                event = next_event()
                kind = type(event)
                if kind is ScalarEvent:
                    add(scalar(event))
                elif kind is DocumentEndEvent or event is None:
                    next_event()  # Text after the root value raises only on the next event.
                    return None
                else:
                    self._handle(kind, event)
        except yaml.YAMLError as error:
            # The traceback would keep the whole parse alive in a reference cycle.
            return error.with_traceback(None)
        except UnicodeEncodeError:
            return yaml.YAMLError("the text contains half a character (a lone surrogate)")

    def _handle(self, kind: type[Any], event: Any) -> None:
        if kind is MappingStartEvent or kind is SequenceStartEvent:
            self._open(Kind.MAP if kind is MappingStartEvent else Kind.SEQ, event)
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            self._close(event)
        elif kind is AliasEvent:
            node = Node(Kind.ALIAS, self._place(event.start_mark), self._place(event.end_mark))
            node.source = event.anchor
            self.has_alias = True
            self._add(node)

    def _open(self, kind: Kind, event: Any) -> None:
        node = Node(kind, self._place(event.start_mark), self._place(event.end_mark))
        node.flow = bool(event.flow_style)
        node.anchor = event.anchor
        if event.tag is not None and event.tag not in _TAGS:
            self._record_unknown_tag(event, node.start)
        self._add(node)
        if self._keys and self._keys[-1] is node:
            self.nested_keys.append(node)
        if len(self._stack) >= MAX_DEPTH:
            raise yaml.MarkedYAMLError(problem=_TOO_DEEP, problem_mark=event.start_mark)
        self._stack.append(node)
        self._keys.append(None)

    def _close(self, event: Any) -> None:
        node = self._stack.pop()
        self._keys.pop()
        if len(node.pairs) > 1 and len({it.source for it, _ in node.pairs}) < len(node.pairs):
            self.duplicates.extend(_duplicates(node))
        if self._may_merge:
            self.merges.extend(it for it in node.pairs if it[0].source == "<<" and not it[0].style)
        if node.flow:
            node.end = self._place(event.end_mark)
            if len(node.pairs) == 1 and node.pairs[0][0].kind is Kind.MAP and node.pairs[0][1].is_empty:
                self._read_as_text(node)
        if self._stack and self._stack[-1].end < node.end:
            self._stack[-1].end = node.end

    def _read_as_text(self, node: Node) -> None:
        """Turn `{{name}}`, a mapping whose key is a mapping, into text."""
        text = Text.of(self._source).slice(node.span)
        if text.startswith("{{") and node.start.line == node.end.line:
            self.nested_keys = [it for it in self.nested_keys if it not in (node, node.pairs[0][0])]
            node.kind, node.flow, node.pairs = Kind.SCALAR, False, []
            node.source = node.value = text
            self.templates.append(node)

    def end_open_nodes(self) -> None:
        """End each node that an error left open where its last child ends."""
        for parent, node in zip(reversed(self._stack[:-1]), reversed(self._stack), strict=False):
            parent.end = max(parent.end, node.end)

    def append_items(self, rest: "Builder") -> None:
        """Append the items of another builder's list to this one's."""
        if self.root is not None and rest.root is not None:
            self.root.items += rest.root.items
            self.root.end = rest.root.end
            self.anchors |= rest.anchors
            self.has_alias |= rest.has_alias
            self.size += rest.size

    def _add(self, node: Node) -> None:
        self.size += 1
        if node.anchor:
            self.anchors[node.anchor] = node
        if not self._stack:
            self.root = node
            return
        parent = self._stack[-1]
        if parent.end < node.end:  # noqa: PLR1730  # runs for every value; max() is slower
            parent.end = node.end
        if parent.kind is _SEQ:
            parent.items.append(node)
        elif self._keys[-1] is None:
            self._keys[-1] = node
        else:
            parent.pairs.append((self._keys[-1], node))
            self._keys[-1] = None

    def scalar(self, event: Any) -> Node:
        """Return the node of a scalar event."""
        start, end = event.start_mark, event.end_mark
        if self._starts is None:
            node = Node(_SCALAR, _new(Place, (start.line, start.column)), _new(Place, (end.line, end.column)))
        else:
            node = Node(_SCALAR, self._place(start), self._place(end))
        node.source = source = event.value
        node.anchor = event.anchor
        style = event.style
        if style:
            node.style = style
            if style == "|" or style == ">":  # noqa: PLR1714  # runs for every value
                node.end = self._end_of_block(node)
        is_text = bool(style)
        if event.tag is not None and not event.implicit[0]:
            is_text = event.tag in _TEXT_TAGS
            if event.tag not in _TAGS:
                is_text = bool(source or style)  # The value of an unknown tag stays as written.
                self._record_unknown_tag(event, node.start)
        node.value = source if is_text else resolve(source)
        return node

    def _record_unknown_tag(self, event: Any, start: Place) -> None:
        """Record an unknown tag; an anchor may precede it."""
        index = event.start_mark.index
        found = _TAG.search(self._source, index)
        if found is not None:
            first = start.column + found.start() - index
            place = Place(start.line, first)
            self.tags.append((found.group(), Span(place, Place(start.line, first + len(found.group())))))

    def _end_of_block(self, node: Node) -> Place:
        # libyaml ends a block scalar at the next token; we end it at its last line with text.
        lines = self._source.splitlines()
        last = min(node.end.line, len(lines)) - 1
        if last == len(lines) - 2 and node.end == Place(last + 1, len(lines[-1])):
            last += 1  # The file ends in this line, without a line end.
        while last > node.start.line and not lines[last].strip():
            last -= 1
        return Place(last, len(lines[last])) if last > node.start.line else node.start

    def _place(self, mark: Any) -> Place:
        if self._starts is None:
            return _new(Place, (mark.line, mark.column))
        line = max(i for i, start in enumerate(self._starts) if start <= mark.index)
        return Place(line, mark.index - self._starts[line])


def _duplicates(node: Node) -> Iterator[tuple[Node, Node]]:
    seen: dict[str, Node] = {}
    for key, _ in node.pairs:
        if key.source in seen:
            yield seen[key.source], key
        seen.setdefault(key.source, key)


def _index_lines(source: str) -> list[int]:
    """Return the start of each line, with the line ends of LSP.

    Libyaml recognises three more.
    """
    starts = [0]
    for index, it in enumerate(source):
        if it == "\n" or (it == "\r" and source[index + 1 : index + 2] != "\n"):
            starts.append(index + 1)
    return starts
