"""Find what breaks when waza writes a grader's `config` out as YAML and reads it again.

Outside of its document an alias loses its anchor, and a key without a value in braces becomes a plain scalar
(docs/reference/waza-graders.md, section 13). A module of its own because the editor checks its own tree with it.
"""

from collections.abc import Iterator
from typing import NamedTuple

import yaml

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.nodes import PLAIN

STRICT_LIST = "graders"
"""The top-level key of eval and task files whose entries make this round trip."""


class Problem(NamedTuple):
    """A problem at a node; `pointer` is its place in the grader entry."""

    node: yaml.Node
    message: str
    pointer: Pointer


def config_problem(entry: yaml.Node) -> Problem | None:
    """Return the first problem in the config of a grader entry."""
    return next(config_problems(entry), None)


def config_problems(entry: yaml.Node) -> Iterator[Problem]:
    """Yield all problems in the config of a grader entry, in the order of the text."""
    for key, config in _configs(entry):
        # The position of an aliased node is that of its anchor, which is before the key.
        if _start(config) < _start(key):
            message = "'config' is an alias: waza reads each config separately and does not find the anchor"
            yield Problem(key, message, ("config",))
        else:
            yield from _problems(config, ("config",), config, set())


def _configs(entry: yaml.Node) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    """Yield key and value of an entry's `config`, merged ones included."""
    if isinstance(entry, yaml.SequenceNode):
        for item in entry.value:
            yield from _configs(item)
    if isinstance(entry, yaml.MappingNode):
        for key, value in entry.value:
            if key.value == "config":
                yield key, value
            elif key.value == "<<" and key.tag == PLAIN:
                yield from _configs(value)


def _problems(node: yaml.Node, pointer: Pointer, config: yaml.Node, seen: set[int]) -> Iterator[Problem]:
    """Yield the problems of a config's node and of all nodes below it, aliased nodes included, each once."""
    if not _start(config) <= _start(node) <= (config.end_mark.line, config.end_mark.column):
        message = "An alias in 'config' refers to an anchor outside of it: waza reads each config separately"
        yield Problem(config, message, pointer)
        return
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _problems(item, (*pointer, index), config, seen)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if node.flow_style and value.value == "" and value.tag == PLAIN:
                message = "Missing value inside braces; write a value or 'null'"
                yield Problem(key, message, (*pointer, key.value))
            yield from _problems(key, pointer, config, seen)
            yield from _problems(value, (*pointer, key.value), config, seen)


def _start(node: yaml.Node) -> tuple[int, int]:
    return node.start_mark.line, node.start_mark.column
