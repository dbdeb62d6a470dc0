"""Write YAML files with ruamel.yaml: from plain data, or from a text of which some values change.

Every reader gets the same data back: strings have quotes where YAML 1.1, YAML 1.2 or waza would read another type. Import
this module late: ruamel.yaml takes 20 ms.
"""

import re
import sys
from collections.abc import Mapping, Sequence, Set
from io import StringIO
from typing import Any

import yaml
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.emitter import RoundTripEmitter
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.representer import RoundTripRepresenter
from ruamel.yaml.scalarstring import LiteralScalarString

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.nodes import CORE
from waza_engine.lib.yaml.placed_comments import Comments, with_comments
from waza_engine.lib.yaml.scalars import FALSE_WORDS, TRUE_WORDS, resolve

_ESCAPED = re.compile(
    r"[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_IMPLICIT = yaml.SafeLoader.yaml_implicit_resolvers
_STEP = 2
_MOST_IN_FLOW, _LONGEST_IN_FLOW = 6, 60


def yaml_text(data: Mapping[str, Any], comments: Comments | None = None) -> str:
    """Return the YAML text of a mapping. Each comment is at its key or item, which the data must have."""
    comments = comments or Comments()
    commented = {it[:size] for it in comments.at for size in range(len(it))}
    return with_comments(_dumped(_node(data, (), commented)), comments)


def with_values(text: str, values: Mapping[str, Any]) -> str:
    """Return a YAML text in which `values` replace their keys, in scalars. Comments and layout stay.

    Where a key is a whole scalar, its value may have any type. In a list, the items of a list take its place.
    """
    root = _yaml().load(text)
    _fill(root, values)
    return _dumped(root)


def _dumped(root: Any) -> str:
    stream = StringIO()
    _yaml().dump(root, stream)
    return stream.getvalue()


def _yaml() -> YAML:
    made = YAML()
    made.Representer, made.Emitter = _Representer, _Emitter
    made.indent(mapping=_STEP, sequence=2 * _STEP, offset=_STEP)
    made.width = sys.maxsize
    made.preserve_quotes = True
    return made


class _Representer(RoundTripRepresenter):
    """Writes `null`, and chooses the style of strings."""

    def represent_none(self, data: None) -> ScalarNode:
        return self.represent_scalar(CORE + "null", "null")

    def represent_str(self, data: str) -> ScalarNode:
        # No file can hold half a surrogate pair.
        return self.represent_scalar(CORE + "str", data.encode(errors="replace").decode(), style=_style(data))

    def represent_float(self, data: float) -> ScalarNode:
        node = super().represent_float(data)
        if "." not in node.value:  # In YAML 1.1, `1e-09` is a string.
            node.value = node.value.replace("e", ".0e")
        return node


_Representer.add_representer(type(None), _Representer.represent_none)
_Representer.add_representer(float, _Representer.represent_float)
_Representer.add_representer(str, _Representer.represent_str)


class _Emitter(RoundTripEmitter):
    """Prefers double quotes, unless they need a backslash."""

    def choose_scalar_style(self) -> str:
        style: str = super().choose_scalar_style() or ""
        if not style and self.flow_level and "?" in self.event.value:
            style = "'"  # PyYAML reads a key.
        is_free = style == "'" and not self.event.style
        return '"' if is_free and not re.search(r'["\\]', self.event.value) else style


def _style(text: str) -> str | None:
    """Return the style of a string; None if the emitter may choose between plain and quoted."""
    if _is_literal(text):
        return "|"
    is_other = not isinstance(resolve(text), str) or text in TRUE_WORDS | FALSE_WORDS
    is_other = is_other or any(it.match(text) for _, it in _IMPLICIT.get(text[:1], ()))
    return '"' if is_other or text[0] in "?:" or _ESCAPED.search(text) or "\n" in text else None


def _is_literal(text: Any) -> bool:
    """Whether a value is a text of several lines that can be written as a block."""
    return isinstance(text, str) and "\n" in text.removesuffix("\n") and _fits_block(text)


def _fits_block(text: str) -> bool:
    """Whether a block can hold a text line for line."""
    lines = text.removesuffix("\n").split("\n")
    is_plain = all(it == it.rstrip() for it in lines) and not _ESCAPED.search(text)
    return is_plain and lines[0][:1] not in {"", " ", "\t"} and lines[-1] != ""


def _node(value: Any, pointer: Pointer, commented: Set[Pointer]) -> Any:
    """Return what to dump for a value. Nothing is shared, so that nothing gets an anchor."""
    match value:
        case Mapping():
            return {str(key): _node(it, (*pointer, key), commented) for key, it in value.items()}
        case list() | tuple():
            made = CommentedSeq(_node(it, (*pointer, index), commented) for index, it in enumerate(value))
            if pointer not in commented and _is_short(value):
                made.fa.set_flow_style()
            return made
        case None | bool():
            return value
        case int():
            return int(value)
        case float():
            return float(value)
        case _:
            return str(value)


def _is_short(items: Sequence[Any]) -> bool:
    """Whether a list fits into one line."""
    if len(items) > _MOST_IN_FLOW or not all(isinstance(it, str | int | float) for it in items):
        return False
    sizes = [_LONGEST_IN_FLOW if "\n" in str(it) else len(str(it)) for it in items]
    return max(sizes, default=0) <= _LONGEST_IN_FLOW * 2 // 3 and sum(sizes) <= _LONGEST_IN_FLOW


def _fill(node: Any, values: Mapping[str, Any]) -> None:
    """Replace the keys of `values` in the scalars below a node."""
    pairs = list(node.items() if isinstance(node, CommentedMap) else enumerate(node))
    for key, value in reversed(pairs):
        if isinstance(value, CommentedMap | CommentedSeq):
            _fill(value, values)
        elif isinstance(value, str) and (new := _replaced(value, values)) is not value:
            is_spread = isinstance(new, list) and isinstance(node, CommentedSeq)
            *before, last = new if is_spread else [new]
            block = f"{last}".removesuffix("\n") + "\n"
            is_block = isinstance(value, LiteralScalarString) and _fits_block(block)
            node[key] = (
                None  # Otherwise ruamel.yaml keeps the style of the old string, whatever the new one is.
            )
            node[key] = LiteralScalarString(block) if is_block else last
            for it in reversed(before):
                node.insert(key, it)


def _replaced(text: str, values: Mapping[str, Any]) -> Any:
    """Return the text with its values, or the same object if it has none."""
    if text.strip() in values:
        return values[text.strip()]
    new = str(text)  # A string with a style would pass it on.
    for key, value in values.items():
        new = new.replace(key, str(value))
    return text if new == text else new
