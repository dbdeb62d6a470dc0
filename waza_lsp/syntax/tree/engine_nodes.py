"""A value of a text as the engine's composer has it: aliased nodes are shared, and stand where their anchors are."""

from collections.abc import Mapping

import yaml

from waza_engine.lib.yaml.nodes import CORE, PLAIN
from waza_lsp.syntax.text import Place
from waza_lsp.syntax.tree.node import Kind, Node

_ABOVE = 10_000_000
"""More lines than a text has: what is aliased from outside stands that far above."""
_MOST_ALIASES = 10
"""One inside of what the other stands for: `Node.data` follows no more either."""


def composed(node: Node, anchors: Mapping[str, Node]) -> yaml.Node:
    """The value, whose places count as its own do; `anchors` are those of the whole text, without endless ones."""
    return _Composing(anchors, {}, 0).node(node)


class _Composing:
    """Composes a value, or what an alias `depth` aliases below it stands for."""

    def __init__(
        self, anchors: Mapping[str, Node], outside: dict[tuple[str, int], yaml.Node], depth: int
    ) -> None:
        self._anchors = anchors
        self._outside = outside
        self._depth = depth
        self._own: dict[str, yaml.Node] = {}
        """What has an anchor in the value itself, above the place that is being composed."""

    def node(self, node: Node) -> yaml.Node:
        if node.kind is Kind.ALIAS:
            return self._own.get(node.source) or self._from_outside(node.source)
        made = self._begun(node)
        if node.anchor:
            self._own[node.anchor] = made
        if isinstance(made, yaml.SequenceNode):
            made.value += [self.node(it) for it in node.items]
        elif isinstance(made, yaml.MappingNode):
            made.value += [(self.node(key), self.node(value)) for key, value in node.pairs]
        return made

    def _begun(self, node: Node) -> yaml.Node:
        start, end = self._mark(node.start), self._mark(node.end)
        if node.kind is Kind.SEQ:
            return yaml.SequenceNode(CORE + "seq", [], start, end, flow_style=node.flow)
        if node.kind is Kind.MAP:
            return yaml.MappingNode(CORE + "map", [], start, end, flow_style=node.flow)
        # An empty text that is plain has a tag of its own.
        is_text = bool(node.style) or node.value == ""
        return yaml.ScalarNode(CORE + "str" if is_text else PLAIN, node.source, start, end)

    def _from_outside(self, name: str) -> yaml.Node:
        depth = self._depth + 1
        target = self._anchors.get(name)
        if target is None or depth > _MOST_ALIASES:
            target = Node(Kind.SCALAR, Place(0, 0), Place(0, 0))
        made = self._outside.get((name, depth))
        if made is None:
            made = _Composing(self._anchors, self._outside, depth).node(target)
            self._outside[name, depth] = made
        return made

    def _mark(self, place: Place) -> yaml.Mark:
        return yaml.Mark("", 0, place.line - self._depth * _ABOVE, place.column, "", 0)
