"""YAML text to data, strictly, as waza's loader reads it.

See docs/reference/waza-formats.md, section 3; docs/reference/waza-graders.md, section 13.

libyaml builds the node tree; the values are ours: quoted scalars are texts, plain ones texts or `Scalar`.
Only the first document counts. Merge keys and aliases work; a duplicate key is an error.

Front matter: the YAML between two fences at the top of a Markdown file (a SKILL.md, a custom agent).
"""

from typing import Any, NamedTuple

import yaml

from waza_engine.lib.yaml.nodes import CORE, MAX_DEPTH, PLAIN, YamlError, at, compose
from waza_engine.lib.yaml.roundtrip import STRICT_LIST, config_problem
from waza_engine.lib.yaml.scalars import Scalar, resolve

__all__ = ["RefusedEntry", "YamlDocument", "YamlError", "read_document", "read_grader_list", "read_yaml"]

_MAX_NODES = 1_000_000
_RESOLVED_TAGS = frozenset([PLAIN, *(CORE + it for it in ("int", "float", "bool", "null", "timestamp"))])


def read_yaml(text: str, *, strict_graders: bool = False) -> Any:
    """Read the first document of `text`: dicts, lists, texts and `Scalar`s.

    With `strict_graders` the configs under the top-level key `graders` must also survive waza's way of reading
    them (`config_problem`): right for eval and task files of waza.

    Raises:
        YamlError: syntax error, duplicate key, unhashable key, or no document at all.

    """
    document = read_document(text)
    if strict_graders:
        document.refuse_graders()
    return document.data


def read_document(text: str) -> "YamlDocument":
    """Read the first document of `text`.

    Raises:
        YamlError: as `read_yaml`.

    """
    node = compose(text)
    # The values come first: they refuse what contains itself.
    return YamlDocument(node, _data(node))


class YamlDocument(NamedTuple):
    """A parsed document: its nodes, and their data."""

    node: yaml.Node
    data: Any

    def refuse_graders(self) -> None:
        """Refuse grader configs that waza cannot read, under the top-level key `graders`.

        Raises:
            YamlError: the first such config.

        """
        if not isinstance(self.node, yaml.MappingNode):
            return
        entries = (value for key, value in self.node.value if key.value == STRICT_LIST)
        for entry in (it for list_node in entries for it in _items(list_node)):
            if problem := config_problem(entry):
                raise at(problem.node, problem.message)


class RefusedEntry(NamedTuple):
    """A grader entry that can be read, and whose config waza would stumble over nevertheless."""

    data: Any
    error: YamlError


def read_grader_list(text: str) -> list[Any]:
    """Read a YAML list of grader entries, or one entry.

    An entry that waza would refuse to read is a `RefusedEntry`, or a `YamlError` when nothing of it can be told.

    Raises:
        YamlError: the text is no YAML, or neither of the two.

    """
    node = compose(text)
    if _is_null(node):
        return []
    if isinstance(node, yaml.MappingNode):
        return [_entry(node)]
    if not isinstance(node, yaml.SequenceNode):
        raise at(node, "Graders are a list of entries")
    return [_entry(it) for it in node.value if not _is_null(it)]


def _entry(node: yaml.Node) -> Any:
    try:
        data = _data(node)
    except YamlError as error:
        return error
    problem = config_problem(node)
    return RefusedEntry(data, at(problem.node, problem.message)) if problem else data


def _items(node: yaml.Node) -> list[yaml.Node]:
    return node.value if isinstance(node, yaml.SequenceNode) else []


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and isinstance(it := _scalar(node), Scalar) and it.value is None


def _data(node: yaml.Node) -> Any:
    _check_size(node, {})
    return _Values().value(node)


def _check_size(node: yaml.Node, sizes: dict[int, int]) -> int:
    """How many values there will be below a node, where aliases stand for what they name; too many are refused unmade."""
    if isinstance(node, yaml.ScalarNode):
        return 1
    size = sizes.get(id(node))
    if size is None:
        sizes[id(node)] = 0  # What contains itself is refused while the values are made.
        below = (it for _, it in node.value) if isinstance(node, yaml.MappingNode) else node.value
        size = sizes[id(node)] = 1 + sum([_check_size(it, sizes) for it in below])
        if size > _MAX_NODES:
            raise at(node, "The document expands to too many values")
    return size


class _Values:
    """Turns composed nodes into data; what is aliased is made anew at each place."""

    def __init__(self) -> None:
        self._open: set[int] = set()

    def value(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        if id(node) in self._open:
            raise at(node, "An anchor contains itself")
        # Aliases can make the data deeper than the text.
        if len(self._open) >= MAX_DEPTH:
            raise at(node, f"The nesting is deeper than {MAX_DEPTH} levels")
        self._open.add(id(node))
        value = self._mapping(node) if isinstance(node, yaml.MappingNode) else self._list(node)
        self._open.discard(id(node))
        return value

    def _list(self, node: yaml.Node) -> list[Any]:
        return [self.value(it) for it in node.value]

    def _mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        own: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise at(key_node, "A key must be a plain word or a quoted text")
            if key_node.value == "<<" and key_node.tag == PLAIN:
                merged = {**self._merged(value_node), **merged}
                continue
            if key_node.value in own:
                raise at(key_node, f"The key '{key_node.value}' stands twice in one mapping")
            own[key_node.value] = self.value(value_node)
        return {**merged, **own} if merged else own

    def _merged(self, node: yaml.Node) -> dict[str, Any]:
        if isinstance(node, yaml.SequenceNode):
            result: dict[str, Any] = {}
            for it in node.value:
                result = {**self._merged(it), **result}
            return result
        value = self.value(node)
        if not isinstance(value, dict):
            raise at(node, "A merge key needs a mapping")
        return value


def _scalar(node: yaml.ScalarNode) -> Any:
    if node.tag not in _RESOLVED_TAGS:
        return node.value
    value = resolve(node.value)
    return node.value if isinstance(value, str) else Scalar(node.value, value)


_FENCE = "---"


class Parted(NamedTuple):
    """A text cut at its fences; both parts have their line ends. `front` begins in line 1 of the file, counted from 0."""

    front: str
    body: str


def parted(text: str) -> Parted | None:
    """The front matter, empty when the text begins with none, and the rest; None when its closing fence is missing."""
    lines = text.splitlines(keepends=True)
    if not lines or not lines[0].startswith(_FENCE):
        return Parted("", text)
    end = next((i for i, it in enumerate(lines) if i and it.startswith(_FENCE)), 0)
    return Parted("".join(lines[1:end]), "".join(lines[end + 1 :])) if end else None


def front_matter(text: str) -> dict[str, Any]:
    """The front matter as `read_yaml` reads it; empty when there is none, or it is no mapping or no YAML."""
    parts = parted(text)
    try:
        data = read_yaml(parts.front) if parts is not None and parts.front else None
    except YamlError:
        return {}
    return data if isinstance(data, dict) else {}
