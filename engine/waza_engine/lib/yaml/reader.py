"""Read YAML text into data, as strictly as waza's loader (docs/reference/waza-formats.md, section 3).

Quoted scalars become `str`, plain ones `str` or `Scalar`. Only the first document is read. Merge keys and aliases work; a
duplicate key is an error. `front_matter` reads the YAML at the top of a Markdown file (SKILL.md, custom agents).
"""

import base64
from typing import Any, NamedTuple

import yaml

from waza_engine.lib.yaml.messages import INVALID_KEY, INVALID_MERGE, duplicate_key
from waza_engine.lib.yaml.nodes import (
    CORE,
    MAX_DEPTH,
    PLAIN,
    EmptyDocumentError,
    YamlError,
    compose,
    error_at,
)
from waza_engine.lib.yaml.roundtrip import STRICT_LIST, config_problem
from waza_engine.lib.yaml.scalars import Scalar, resolve

__all__ = ["RefusedEntry", "YamlDocument", "YamlError", "read_document", "read_grader_list", "read_yaml"]

_MAX_NODES = 1_000_000
_BINARY = CORE + "binary"
_RESOLVED_TAGS = frozenset([PLAIN, *(CORE + it for it in ("int", "float", "bool", "null", "timestamp"))])


def read_yaml(text: str, *, strict_graders: bool = False) -> Any:
    """Return the first document of `text` as dicts, lists, strings and `Scalar`s.

    With `strict_graders`, as needed for waza's eval and task files, the configs under the top-level key `graders` must
    also survive waza's round trip (`lib.yaml.roundtrip`).

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
    # The values come first: they refuse nodes that contain themselves.
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
        for entry in (item for entry_list in entries for item in _items(entry_list)):
            if problem := config_problem(entry):
                raise error_at(problem.node, problem.message)


class RefusedEntry(NamedTuple):
    """A readable grader entry whose config waza cannot process."""

    data: Any
    error: YamlError


def read_grader_list(text: str) -> list[Any]:
    """Return the grader entries of a YAML list, or of a single entry.

    An entry that waza refuses is returned as `RefusedEntry`, or as `YamlError` if it has no readable data.

    Raises:
        YamlError: the text is not valid YAML, or neither a list nor an entry.

    """
    node = compose(text)
    if _is_null(node):
        return []
    if isinstance(node, yaml.MappingNode):
        return [_entry(node)]
    if not isinstance(node, yaml.SequenceNode):
        raise error_at(node, "Expected a list of graders")
    return [_entry(it) for it in node.value if not _is_null(it)]


def _entry(node: yaml.Node) -> Any:
    try:
        data = _data(node)
    except YamlError as error:
        return error
    problem = config_problem(node)
    return RefusedEntry(data, error_at(problem.node, problem.message)) if problem else data


def _items(node: yaml.Node) -> list[yaml.Node]:
    return node.value if isinstance(node, yaml.SequenceNode) else []


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and isinstance(it := _scalar(node), Scalar) and it.value is None


def _data(node: yaml.Node) -> Any:
    _check_size(node, {})
    return _Values().value(node)


def _check_size(node: yaml.Node, sizes: dict[int, int]) -> int:
    """Return the number of values below a node with all aliases expanded; raise if there are too many."""
    if isinstance(node, yaml.ScalarNode):
        return 1
    size = sizes.get(id(node))
    if size is None:
        sizes[id(node)] = 0  # For a node that contains itself, which `_Values` refuses.
        below = (it for _, it in node.value) if isinstance(node, yaml.MappingNode) else node.value
        size = sizes[id(node)] = 1 + sum([_check_size(it, sizes) for it in below])
        if size > _MAX_NODES:
            raise error_at(node, "With its aliases expanded, the document has too many values")
    return size


class _Values:
    """Turns composed nodes into data. Each alias gets a copy of the data."""

    def __init__(self) -> None:
        self._open: set[int] = set()

    def value(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        if id(node) in self._open:
            raise error_at(node, "An anchor contains itself")
        # Aliases can make the data deeper than the text.
        if len(self._open) >= MAX_DEPTH:
            raise error_at(node, f"The nesting is deeper than {MAX_DEPTH} levels")
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
                raise error_at(key_node, INVALID_KEY)
            if key_node.value == "<<" and key_node.tag == PLAIN:
                merged = {**self._merge_source(value_node), **merged}
                continue
            if key_node.value in own:
                raise error_at(key_node, duplicate_key(key_node.value))
            own[key_node.value] = self.value(value_node)
        return {**merged, **own} if merged else own

    def _merge_source(self, node: yaml.Node) -> dict[str, Any]:
        if isinstance(node, yaml.SequenceNode):
            result: dict[str, Any] = {}
            for item in node.value:
                result = {**self._merge_source(item), **result}
            return result
        value = self.value(node)
        if not isinstance(value, dict):
            raise error_at(node, INVALID_MERGE)
        return value


def _scalar(node: yaml.ScalarNode) -> Any:
    if node.tag == _BINARY:
        return _binary_text(node)
    if node.tag not in _RESOLVED_TAGS:
        return node.value
    value = resolve(node.value)
    return node.value if isinstance(value, str) else Scalar(node.value, value)


def _binary_text(node: yaml.ScalarNode) -> str:
    try:
        return base64.b64decode("".join(node.value.split()), validate=True).decode("utf-8", "replace")
    except ValueError as error:
        raise error_at(node, "The '!!binary' value is not valid base64") from error


_FENCE = "---"


class FrontMatterSplit(NamedTuple):
    """Front matter and body, both with their line ends. `front` begins in line 1 of the file, counted from 0."""

    front: str
    body: str


def split_front_matter(text: str) -> FrontMatterSplit | None:
    """Split a text at its fences. `front` is empty if there is none; None if the closing fence is missing."""
    lines = text.splitlines(keepends=True)
    if not lines or not lines[0].startswith(_FENCE):
        return FrontMatterSplit("", text)
    end = next((i for i, it in enumerate(lines) if i and it.startswith(_FENCE)), 0)
    return FrontMatterSplit("".join(lines[1:end]), "".join(lines[end + 1 :])) if end else None


def read_front(front: str) -> Any:
    """Return the data of a front matter; {} if it is empty or has only comments.

    Raises:
        YamlError: as `read_yaml`.

    """
    try:
        data = read_yaml(front)
    except EmptyDocumentError:
        return {}
    return {} if isinstance(data, Scalar) and data.value is None else data


def front_matter(text: str) -> dict[str, Any]:
    """Return the front matter as `read_yaml` does; {} if there is none, or it is not a valid mapping."""
    parts = split_front_matter(text)
    try:
        data = read_front(parts.front) if parts is not None else None
    except YamlError:
        return {}
    return data if isinstance(data, dict) else {}
