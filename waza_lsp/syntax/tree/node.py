"""A YAML value with its span. Lines count from the start of its piece."""

from collections.abc import Callable, Iterator
from datetime import datetime
from enum import StrEnum
from typing import Any

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import Scalar, with_source
from waza_lsp.syntax.text import Place, Span


class Kind(StrEnum):
    """The shapes a YAML value can have."""

    MAP = "map"
    SEQ = "seq"
    SCALAR = "scalar"
    ALIAS = "alias"


MOST_LEVELS = 50
"""Values nested deeper are read as None; an alias counts as five levels."""
_SCALAR = Kind.SCALAR
_NO_PAIRS: list[Any] = []
_NO_ITEMS: list[Any] = []
"""Shared by all scalars, which are nearly all nodes and never have children."""


class Node:
    """A map, sequence, scalar or alias.

    A map has `pairs`, a sequence `items`, a scalar `source` and `value`, an alias its anchor's name as `source`.
    """

    __slots__ = (
        "_memory",
        "_own",
        "anchor",
        "end",
        "flow",
        "items",
        "kind",
        "pairs",
        "source",
        "start",
        "style",
        "value",
    )

    def __init__(self, kind: Kind, start: Place, end: Place) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.pairs: list[tuple[Node, Node]] = _NO_PAIRS if kind is _SCALAR else []
        self.items: list[Node] = _NO_ITEMS if kind is _SCALAR else []
        self.source = ""
        self.value: Any = None
        self.style = ""
        """`'`, `"`, `|`, `>`, or empty for a plain scalar."""
        self.flow = False
        self.anchor: str | None = None
        self._memory: dict[Any, Any] | None = None
        self._own: Any = None

    @property
    def span(self) -> Span:
        """The span of the value."""
        return Span(self.start, self.end)

    @property
    def inner(self) -> Span:
        """The span of the text, without its quotes if it is on one line."""
        if self.style in {"'", '"'} and self.start.line == self.end.line:
            (line, first), (_, last) = self.start, self.end
            return Span(Place(line, first + 1), Place(line, last - 1))
        return self.span

    @property
    def is_empty(self) -> bool:
        """Whether the value is missing: a key without a value."""
        return self.kind is Kind.SCALAR and not self.style and not self.source

    @property
    def memory(self) -> dict[Any, Any]:
        """Results that other modules cache for this value, which never changes.

        They go with the node.
        """
        if self._memory is None:
            self._memory = {}
        return self._memory

    def pair(self, key: str) -> "tuple[Node, Node] | None":
        """Return the first pair with a key, or None."""
        for key_node, value_node in self.pairs:
            if key_node.source == key:
                return key_node, value_node
        return None

    def children(self) -> "Iterator[tuple[str | int, Node | None, Node]]":
        """Yield each child: pointer part, key node (None in a sequence), value node."""
        for key_node, value_node in self.pairs:
            yield key_node.source, key_node, value_node
        for index, item in enumerate(self.items):
            yield index, None, item

    def walk(self) -> "Iterator[Node]":
        """Yield the node and all nodes below it, keys included, in text order."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            pairs = [it for pair in node.pairs for it in pair]
            waiting.extend(reversed([*pairs, *node.items]))

    def data(self, anchors: "dict[str, Node]", *, depth: int = 0) -> Any:
        """Return plain data as in JSON, with merge keys applied and aliases followed.

        Aliases are followed to a depth of `MOST_LEVELS`. Numbers remember their source text (`with_source`).
        """
        if depth > MOST_LEVELS:
            return None
        match self.kind:
            case Kind.MAP:
                return self._mapping(anchors, depth + 1)
            case Kind.SEQ:
                return [it.data(anchors, depth=depth + 1) for it in self.items]
            case Kind.ALIAS:
                target = anchors.get(self.source)
                return target.data(anchors, depth=depth + 5) if target is not None else None
            case Kind.SCALAR:
                return self.value if isinstance(self.value, str) else self._number_or_word()

    def _number_or_word(self) -> Any:
        return self.source if isinstance(self.value, datetime) else with_source(self.value, self.source)

    def own_data(self) -> Any:
        """Return the data of a node without aliases.

        The result is cached: do not change it.
        """
        own = self._own
        if own is None:
            own = self._own = self.data({})
        return own

    def typed_data(self, anchors: "dict[str, Node]", *, depth: int = 0) -> Any:
        """Return the data as the engine's loader does: plain scalars other than strings become `Scalar`."""
        if depth > MOST_LEVELS:
            return None
        match self.kind:
            case Kind.MAP:
                return self._mapping(anchors, depth + 1, Node.typed_data)
            case Kind.SEQ:
                return [it.typed_data(anchors, depth=depth + 1) for it in self.items]
            case Kind.ALIAS:
                target = anchors.get(self.source)
                return target.typed_data(anchors, depth=depth + 5) if target is not None else None
            case Kind.SCALAR:
                return self.value if isinstance(self.value, str) else Scalar(self.source, self.value)

    def _mapping(
        self, anchors: "dict[str, Node]", depth: int, read: "Callable[..., Any] | None" = None
    ) -> dict[str, Any]:
        read = read or Node.data
        own: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key, value in self.pairs:
            if key.source == "<<" and not key.style:
                merged = {**_merged_keys(read(value, anchors, depth=depth)), **merged}
            elif key.source not in own:
                own[key.source] = read(value, anchors, depth=depth)
        return {**merged, **own} if merged else own


def _merged_keys(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {k: v for it in reversed(value) if isinstance(it, dict) for k, v in it.items()}
    return value if isinstance(value, dict) else {}


def merge_key(node: Node) -> Node | None:
    """Return the merge key (`<<`) of a mapping, or None."""
    return next((key for key, _ in node.pairs if key.source == "<<" and not key.style), None)


def _merged_pair(node: Node, key: str) -> tuple[Node, Node] | None:
    """Return the pair of a key that is written below a merge key, without an alias."""
    if merge_key(node) is None:
        return None
    for name, value in node.pairs:
        for it in (value, *value.items) if name.source == "<<" and not name.style else ():
            if found := it.pair(key) or _merged_pair(it, key):
                return found
    return None


def descend(node: Node, pointer: Pointer) -> tuple[Node | None, Node] | None:
    """Return key node and value node at a pointer, or None.

    The key node is None for list items and the root.
    """
    key_node: Node | None = None
    for part in pointer:
        if isinstance(part, int):
            if node.kind is not Kind.SEQ or part >= len(node.items):
                return None
            key_node, node = None, node.items[part]
        else:
            found = node.pair(part) or _merged_pair(node, part) if node.kind is Kind.MAP else None
            if found is None:
                return None
            key_node, node = found
    return key_node, node
