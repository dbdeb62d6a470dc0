"""YAML text to data, strictly, as waza's loader reads it (waza-formats.md section 3; waza-graders.md section 13).

libyaml builds the node tree; the values are ours: quoted scalars are texts, plain ones texts or `Scalar`.
Only the first document counts. Merge keys and aliases work; a duplicate key is an error.
"""

from dataclasses import dataclass
from typing import Any

import yaml

from waza_engine.scalars import Scalar, resolve
from waza_engine.yaml_grader_config import PLAIN, config_problem

_MAX_NODES = 1_000_000
_CORE = "tag:yaml.org,2002:"
_RESOLVED_TAGS = frozenset([PLAIN, *(_CORE + it for it in ("int", "float", "bool", "null", "timestamp"))])


@dataclass
class YamlError(Exception):
    """The text is no YAML document that waza would read. `line` and `column` count from zero."""

    message: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.message} (line {self.line + 1}, column {self.column + 1})"


def read_yaml(text: str, *, strict_graders: bool = False) -> Any:
    """Read the first document of `text`: dicts, lists, texts and `Scalar`s.

    With `strict_graders` the configs under the top-level key `graders` must also survive waza's way of reading
    them (`config_problem`): right for eval and task files of waza.

    Raises:
        YamlError: syntax error, duplicate key, unhashable key, or no document at all.

    """
    node = _document(text)
    if strict_graders and isinstance(node, yaml.MappingNode):
        entries = (value for key, value in node.value if key.value == "graders")
        for entry in (it for list_node in entries for it in _items(list_node)):
            if problem := config_problem(entry):
                raise _error(*problem)
    return _Values().value(node)


def read_grader_list(text: str) -> list[Any]:
    """Read a YAML list of grader entries, or one entry; an entry that waza would refuse to read is its `YamlError`.

    Raises:
        YamlError: the text is no YAML, or neither of the two.

    """
    node = _document(text)
    if _is_null(node):
        return []
    if isinstance(node, yaml.MappingNode):
        return [_entry(node)]
    if not isinstance(node, yaml.SequenceNode):
        raise _error(node, "Graders are a list of entries")
    return [_entry(it) for it in node.value if not _is_null(it)]


def _entry(node: yaml.Node) -> Any:
    if problem := config_problem(node):
        return _error(*problem)
    try:
        return _Values().value(node)
    except YamlError as error:
        return error


def _items(node: yaml.Node) -> list[yaml.Node]:
    return node.value if isinstance(node, yaml.SequenceNode) else []


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and isinstance(it := _scalar(node), Scalar) and it.value is None


def _document(text: str) -> yaml.Node:
    loader = _Loader(text.removeprefix("\ufeff"))
    try:
        if not loader.check_node():
            raise YamlError("The file is empty")
        node: yaml.Node | None = loader.get_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlError(
            str(error.problem or error.context), mark.line if mark else 0, mark.column if mark else 0
        ) from error
    except yaml.YAMLError as error:
        raise YamlError(str(error).splitlines()[0]) from error
    except RecursionError as error:
        raise YamlError("The nesting is too deep") from error
    finally:
        loader.dispose()
    if node is None:
        raise YamlError("The file is empty")
    return node


class _Values:
    """Turns composed nodes into data; aliased nodes are shared, an expansion bomb is refused."""

    def __init__(self) -> None:
        self._count = 0
        self._open: set[int] = set()

    def value(self, node: yaml.Node) -> Any:
        self._count += 1
        if self._count > _MAX_NODES:
            raise _error(node, "The document expands to too many values")
        match node:
            case yaml.ScalarNode():
                return _scalar(node)
            case yaml.SequenceNode():
                return self._inside(node, lambda: [self.value(it) for it in node.value])
            case yaml.MappingNode():
                return self._inside(node, lambda: self._mapping(node))
            case _:
                raise _error(node, "Unexpected node")

    def _inside(self, node: yaml.Node, build: Any) -> Any:
        if id(node) in self._open:
            raise _error(node, "An anchor contains itself")
        self._open.add(id(node))
        try:
            return build()
        finally:
            self._open.discard(id(node))

    def _mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        own: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise _error(key_node, "A key must be a plain word or a quoted text")
            if key_node.value == "<<" and key_node.tag == PLAIN:
                merged = {**self._merged(value_node), **merged}
                continue
            if key_node.value in own:
                raise _error(key_node, f"The key '{key_node.value}' stands twice in one mapping")
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
            raise _error(node, "A merge key needs a mapping")
        return value


def _scalar(node: yaml.ScalarNode) -> Any:
    if node.tag not in _RESOLVED_TAGS:
        return node.value
    value = resolve(node.value)
    return node.value if isinstance(value, str) else Scalar(node.value, value)


def _error(node: yaml.Node, message: str) -> YamlError:
    return YamlError(message, node.start_mark.line, node.start_mark.column)


class _Loader(yaml.CBaseLoader):
    """The C parser, with plain scalars marked instead of resolved by YAML 1.1 rules."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        if kind is yaml.ScalarNode:
            return PLAIN if implicit[0] else _CORE + "str"
        return _CORE + ("seq" if kind is yaml.SequenceNode else "map")
