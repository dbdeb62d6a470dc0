"""What a grader's `config` must not contain because waza writes it out and reads it again (waza-graders.md, section 13).

Taken out of its document, an alias finds its anchor no more, and an empty value in braces becomes part of its key.
"""

from collections.abc import Iterator

import yaml

from waza_engine.yaml_nodes import PLAIN

Problem = tuple[yaml.Node, str]
"""A node and what is wrong with it."""


def config_problem(entry: yaml.Node) -> Problem | None:
    """The first thing in the config of a grader entry that waza would stumble over."""
    for key, config in _configs(entry):
        start, end = config.start_mark.index, config.end_mark.index
        # An aliased node stands where its anchor is: before the key.
        if start < key.start_mark.index:
            return key, "'config' is an alias: waza reads each config alone and does not find the anchor"
        for node in _nodes(config, set()):
            if not start <= node.start_mark.index <= end:
                return config, "An alias in 'config' leads outside of it: waza reads each config alone"
            if empty := _empty_in_braces(node):
                return empty, "A key without a value in braces; write its value, or ~ for none"
    return None


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


def _nodes(node: yaml.Node, seen: set[int]) -> Iterator[yaml.Node]:
    """All nodes of a subtree, aliased ones too, each once."""
    if id(node) in seen:
        return
    seen.add(id(node))
    yield node
    if isinstance(node, yaml.SequenceNode):
        for it in node.value:
            yield from _nodes(it, seen)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _nodes(key, seen)
            yield from _nodes(value, seen)


def _empty_in_braces(node: yaml.Node) -> yaml.Node | None:
    if not isinstance(node, yaml.MappingNode) or not node.flow_style:
        return None
    return next((key for key, value in node.value if value.value == "" and value.tag == PLAIN), None)
