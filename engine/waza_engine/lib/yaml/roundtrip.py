"""What a grader's `config` must not contain because waza writes it out and reads it again.

See docs/reference/waza-graders.md, section 13.

Taken out of its document, an alias finds its anchor no more, and an empty value in braces becomes part of its key.
"""

from collections.abc import Iterator
from typing import NamedTuple

import yaml

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.nodes import PLAIN

STRICT_LIST = "graders"
"""The top-level key, of eval and task files, whose entries are read so."""


class Problem(NamedTuple):
    """A node, what is wrong with it, and where in the entry the wrong thing stands."""

    node: yaml.Node
    message: str
    pointer: Pointer


def config_problem(entry: yaml.Node) -> Problem | None:
    """The first thing in the config of a grader entry that waza would stumble over."""
    return next(config_problems(entry), None)


def config_problems(entry: yaml.Node) -> Iterator[Problem]:
    """All such things, in the order of the text."""
    for key, config in _configs(entry):
        # An aliased node stands where its anchor is: before the key.
        if _start(config) < _start(key):
            message = "'config' is an alias: waza reads each config alone and does not find the anchor"
            yield Problem(key, message, ("config",))
        else:
            yield from _problems(config, ("config",), config, set())


def _configs(entry: yaml.Node) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    """The `config` of an entry, wherever merge keys have it from."""
    if isinstance(entry, yaml.SequenceNode):
        for it in entry.value:
            yield from _configs(it)
    if isinstance(entry, yaml.MappingNode):
        for key, value in entry.value:
            if key.value == "config":
                yield key, value
            elif key.value == "<<" and key.tag == PLAIN:
                yield from _configs(value)


def _problems(node: yaml.Node, pointer: Pointer, config: yaml.Node, seen: set[int]) -> Iterator[Problem]:
    """What is wrong at a node of a config and below it, aliased nodes too, each once."""
    if not _start(config) <= _start(node) <= (config.end_mark.line, config.end_mark.column):
        message = "An alias in 'config' leads outside of it: waza reads each config alone"
        yield Problem(config, message, pointer)
        return
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for index, it in enumerate(node.value):
            yield from _problems(it, (*pointer, index), config, seen)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if node.flow_style and value.value == "" and value.tag == PLAIN:
                message = "A key without a value in braces; write its value, or 'null'"
                yield Problem(key, message, (*pointer, key.value))
            yield from _problems(key, pointer, config, seen)
            yield from _problems(value, (*pointer, key.value), config, seen)


def _start(node: yaml.Node) -> tuple[int, int]:
    return node.start_mark.line, node.start_mark.column
