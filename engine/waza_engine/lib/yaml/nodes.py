"""From YAML text to a tree of nodes. libyaml parses; the tree is put together here, for three reasons.

PyYAML's own composer refuses an anchor that is defined twice, which waza allows; it ends the process when the
nesting is very deep; and it resolves plain scalars by the rules of YAML 1.1, which are not waza's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

PLAIN = "?"
"""The tag of a plain scalar, whose meaning is not resolved yet."""
CORE = "tag:yaml.org,2002:"
"""What the tags of YAML's own types begin with."""

MOST_CHARACTERS = 2_000_000
"""A hundred times a long eval. What is less than this is read within seconds, whatever it is."""
TOO_LARGE = f"Larger than {MOST_CHARACTERS // 1_000_000} MB, which no eval file is"
MAX_DEPTH = 150
"""More levels than any eval has; reading them must not exhaust the stack."""


@dataclass
class YamlError(Exception):
    """The text is no YAML document that waza would read. `line` and `column` count from zero."""

    message: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.message} (line {self.line + 1}, column {self.column + 1})"


def compose(text: str) -> yaml.Node:
    """The root node of the first document; what follows it is not looked at. Aliased nodes are shared.

    Raises:
        YamlError: syntax error, unknown anchor, too deep, too large, or no document at all.

    """
    if len(text) > MOST_CHARACTERS:
        raise YamlError(f"{TOO_LARGE}; keep what is large in files of its own")
    loader = yaml.CBaseLoader(text.removeprefix("\ufeff"))
    try:
        return _Composer().node(_events(loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlError(
            str(error.problem or error.context), mark.line if mark else 0, mark.column if mark else 0
        ) from error
    except yaml.YAMLError as error:
        raise YamlError(str(error).splitlines()[0]) from error
    finally:
        loader.dispose()


def at(node: yaml.Node, message: str) -> YamlError:
    """An error about `node`."""
    return YamlError(message, node.start_mark.line, node.start_mark.column)


def _events(loader: Any) -> Iterator[Any]:
    while loader.check_event():
        yield loader.get_event()


class _Composer:
    """Builds nodes from events without recursion."""

    def __init__(self) -> None:
        self._anchors: dict[str, yaml.Node] = {}
        self._open: list[tuple[yaml.CollectionNode, list[yaml.Node]]] = []
        """The collections that are not closed yet, each with the children it has so far."""

    def node(self, events: Iterator[Any]) -> yaml.Node:
        for event in events:
            match event:
                case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                    self._enter(event)
                    continue
                case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                    done: yaml.Node = self._leave(event)
                case yaml.ScalarEvent():
                    done = self._known(
                        event, yaml.ScalarNode(_scalar_tag(event), event.value, *_marks(event))
                    )
                    done.style = event.style  # type: ignore[attr-defined]  # the stubs leave it out
                case yaml.AliasEvent():
                    done = self._aliased(event)
                case _:
                    continue
            if not self._open:
                return done
            self._open[-1][1].append(done)
        raise YamlError("The file is empty")

    def _enter(self, event: Any) -> None:
        kind = yaml.SequenceNode if isinstance(event, yaml.SequenceStartEvent) else yaml.MappingNode
        tag = event.tag or CORE + ("seq" if kind is yaml.SequenceNode else "map")
        node = self._known(event, kind(tag, [], *_marks(event), flow_style=event.flow_style))
        self._open.append((node, []))
        if len(self._open) > MAX_DEPTH:
            raise at(node, f"The nesting is deeper than {MAX_DEPTH} levels")

    def _leave(self, event: Any) -> yaml.Node:
        node, children = self._open.pop()
        node.end_mark = event.end_mark
        if isinstance(node, yaml.MappingNode):
            node.value = list(zip(children[::2], children[1::2], strict=True))
        else:
            node.value = children
        return node

    def _known(self, event: Any, node: Any) -> Any:
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        return node

    def _aliased(self, event: Any) -> yaml.Node:
        if event.anchor not in self._anchors:
            mark = event.start_mark
            raise YamlError(f"There is no anchor '&{event.anchor}' above", mark.line, mark.column)
        return self._anchors[event.anchor]


def _scalar_tag(event: Any) -> str:
    if event.tag in {None, "!"}:
        return PLAIN if event.implicit[0] else CORE + "str"
    return str(event.tag)


def _marks(event: Any) -> tuple[Any, Any]:
    return event.start_mark, event.end_mark
