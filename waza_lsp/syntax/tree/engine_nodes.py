"""Convert a value into the yaml nodes that the engine composes, with aliased nodes shared."""

from collections.abc import Mapping

import yaml

from waza_engine.lib.yaml.nodes import CORE, PLAIN
from waza_lsp.syntax.text import Place
from waza_lsp.syntax.tree.node import Kind, Node

_ABOVE = 10_000_000
"""More lines than any text has. Values aliased from outside get line numbers this far above."""
_MOST_ALIASES = 10
"""Nested in each other; `Node.data` follows the same number."""


def compose(node: Node, anchors: Mapping[str, Node]) -> yaml.Node:
    """Return the yaml node of a value.

    `anchors` are those of the whole text, without recursive ones.
    """
    return _Composer(anchors, {}, 0).node(node)


class _Composer:
    """Composes a value, or the target of an alias that is `depth` aliases below it."""

    def __init__(
        self, anchors: Mapping[str, Node], outside: dict[tuple[str, int], yaml.Node], depth: int
    ) -> None:
        self._anchors = anchors
        self._outside = outside
        self._depth = depth
        self._own: dict[str, yaml.Node] = {}
        """Composed nodes with an anchor inside the value itself."""

    def node(self, node: Node) -> yaml.Node:
        if node.kind is Kind.ALIAS:
            return self._own.get(node.source) or self._from_outside(node.source)
        composed = self._without_children(node)
        if node.anchor:
            self._own[node.anchor] = composed
        if isinstance(composed, yaml.SequenceNode):
            composed.value += [self.node(it) for it in node.items]
        elif isinstance(composed, yaml.MappingNode):
            composed.value += [(self.node(key), self.node(value)) for key, value in node.pairs]
        return composed

    def _without_children(self, node: Node) -> yaml.Node:
        start, end = self._mark(node.start), self._mark(node.end)
        if node.kind is Kind.SEQ:
            return yaml.SequenceNode(CORE + "seq", [], start, end, flow_style=node.flow)
        if node.kind is Kind.MAP:
            return yaml.MappingNode(CORE + "map", [], start, end, flow_style=node.flow)
        # A plain scalar with an empty string as its value has an explicit tag.
        is_text = bool(node.style) or node.value == ""
        return yaml.ScalarNode(CORE + "str" if is_text else PLAIN, node.source, start, end)

    def _from_outside(self, name: str) -> yaml.Node:
        depth = self._depth + 1
        target = self._anchors.get(name)
        if target is None or depth > _MOST_ALIASES:
            target = Node(Kind.SCALAR, Place(0, 0), Place(0, 0))
        composed = self._outside.get((name, depth))
        if composed is None:
            composed = _Composer(self._anchors, self._outside, depth).node(target)
            self._outside[name, depth] = composed
        return composed

    def _mark(self, place: Place) -> yaml.Mark:
        return yaml.Mark("", 0, place.line - self._depth * _ABOVE, place.column, "", 0)
