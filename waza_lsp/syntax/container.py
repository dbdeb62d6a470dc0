"""Maps and lists of an outline, with what their lines tell of their values."""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from waza_lsp.syntax.node import Node
from waza_lsp.syntax.rows import Row, scalar_value


class Shape(StrEnum):
    """The two containers of YAML."""

    MAP = "map"
    SEQ = "seq"


@dataclass(slots=True, eq=False)
class Entry:
    """A pair of a map or an item of a sequence. `value` is the one-line source of its value, if any."""

    container: "Container"
    part: str | int
    row: Row
    value: str = ""
    value_row: Row | None = None
    """The line on which the value starts."""
    child: "Container | None" = None
    is_doubtful: bool = False
    """The value stands on a line of its own or beside a dash: an unfinished line may look like that, too."""

    @property
    def can_hold(self) -> bool:
        """Whether nothing stands where its value would."""
        return not self.value

    def hold(self, child: "Container") -> None:
        """Take a map or list as the value; what looked like one was the child's first line, unfinished."""
        self.value, self.value_row, self.child, self.is_doubtful = "", None, child, False


@dataclass(slots=True, eq=False)
class Container:
    """A map or sequence whose entries start in `column`; `owner` is the entry that it is the value of."""

    shape: Shape
    column: int
    owner: Entry | None
    first: int = 0
    """The index of the first item, when earlier ones are not among the lines."""
    entries: list[Entry] = field(default_factory=list)

    @property
    def is_stray(self) -> bool:
        """Whether it is a single dash with a word, where a key in its column tells that a map was meant."""
        if self.shape is Shape.MAP or self.owner is None or self.first or len(self.entries) != 1:
            return False
        return self.column > self.owner.container.column and self.entries[0].child is None

    def data(self, anchors: dict[str, Node], without: Entry | None = None) -> Any:
        """Keys with their one-line values; what lies deeper is an empty map or list. Merge keys are applied."""
        if self.shape is Shape.SEQ:
            return [None] * (self.first + len(self.entries))
        merged: dict[str, Any] = {}
        own: dict[str, Any] = {}
        for it in self.entries:
            if it.part == "<<":
                merged |= _merged(it.value, anchors)
            elif it is not without:
                own.setdefault(str(it.part), _shallow(it, anchors))
        return {**merged, **own}


_ALIAS = re.compile(r"\*([^\s,\[\]{}]+)")


def _merged(source: str, anchors: dict[str, Node]) -> dict[str, Any]:
    """What the value of a merge key brings: of several maps the first has the last word."""
    found = [anchors[it].data(anchors) for it in reversed(_ALIAS.findall(source)) if it in anchors]
    return {key: value for it in found if isinstance(it, dict) for key, value in it.items()}


def _shallow(entry: Entry, anchors: dict[str, Node]) -> Any:
    if entry.child is not None:
        return {} if entry.child.shape is Shape.MAP else []
    source = entry.value
    if source[:1] == "*" and (node := anchors.get(source[1:])) is not None:
        return node.data(anchors)
    return {"": None, "{": {}, "[": []}[source[:1]] if source[:1] in {"", "{", "["} else scalar_value(source)
