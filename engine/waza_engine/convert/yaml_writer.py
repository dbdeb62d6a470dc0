"""Write plain data as readable YAML, with comments at their keys and items."""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import LiteralScalarString

from waza_engine.convert.comments import Comment
from waza_engine.lib.pointer import Pointer


class YamlFile:
    """A mapping to write as YAML; `at` has the comments by pointer."""

    def __init__(
        self, data: Mapping[str, Any], at: Mapping[Pointer, Comment], header: Sequence[str] = ()
    ) -> None:
        self._data, self._at, self._header = data, at, header

    def text(self) -> str:
        """Return the YAML text."""
        writer = YAML()
        writer.width = 4096
        writer.indent(mapping=2, sequence=4, offset=2)
        stream = io.StringIO()
        writer.dump(self._mapping(self._data, (), 0), stream)
        header = "".join(f"#{it}\n" for it in self._header)
        return (header + "\n" if header else "") + stream.getvalue()

    def _node(self, value: Any, pointer: Pointer, indent: int) -> Any:
        match value:
            case Mapping():
                return self._mapping(value, pointer, indent)
            case list() | tuple():
                return self._sequence(value, pointer, indent)
            case str() if "\n" in value.strip("\n") and not any(
                line.endswith((" ", "\t")) for line in value.split("\n")
            ):
                return LiteralScalarString(value)
            case _:
                return value

    def _mapping(self, data: Mapping[str, Any], pointer: Pointer, indent: int) -> CommentedMap:
        node = CommentedMap()
        for key, value in data.items():
            node[key] = self._node(value, (*pointer, key), indent + 2)
            self._comment(node, key, (*pointer, key), indent)
        return node

    def _sequence(self, items: Iterable[Any], pointer: Pointer, indent: int) -> CommentedSeq:
        node = CommentedSeq()
        for index, item in enumerate(items):
            node.append(self._node(item, (*pointer, index), indent + 2))
            self._comment(node, index, (*pointer, index), indent)
        if all(isinstance(it, str | int | float) for it in node) and _is_short(node):
            node.fa.set_flow_style()
        return node

    def _comment(self, node: Any, key: Any, pointer: Pointer, indent: int) -> None:
        comment = self._at.get(pointer)
        if comment is None:
            return
        if comment.above:
            lines = "\n".join(it.removeprefix(" ") for it in comment.above)
            node.yaml_set_comment_before_after_key(key, before=lines, indent=indent)
        if comment.beside and not isinstance(node[key], CommentedMap | LiteralScalarString):
            node.yaml_add_eol_comment(comment.beside, key)


def _is_short(items: Sequence[Any]) -> bool:
    return (
        len(items) <= 6
        and all("\n" not in str(it) and len(str(it)) <= 40 for it in items)
        and (sum(len(str(it)) for it in items) <= 60)
    )
