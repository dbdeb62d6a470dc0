"""Gather the lines and data around a cursor, and what may start on its line.

`Situation` is the result that features see. The data in it has just what choosing a schema needs: the values along the
pointer, with their keys and one-line values.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from waza_engine.lib.pointer import Pointer
from waza_lsp.syntax.cursor.flow import Alias, FlowPlace, Lines
from waza_lsp.syntax.cursor.outline import Container, Entry, Outline, Shape
from waza_lsp.syntax.text import Span, Text
from waza_lsp.syntax.tree.node import Node
from waza_lsp.syntax.tree.split import PieceKind
from waza_lsp.syntax.tree.tree import Tree

_HEADS = frozenset([PieceKind.PAIR, PieceKind.HEAD])


class At(StrEnum):
    """What would be written at a cursor."""

    KEY = "key"
    """A key of the map at the pointer."""
    VALUE = "value"
    """The value at the pointer, whatever its type."""
    ITEM = "item"
    """An item of the list at the pointer, with its dash."""
    ALIAS = "alias"
    """The name of an anchor."""


@dataclass(frozen=True, slots=True)
class Situation:
    """A place where something can be written.

    `data` is plain data along the pointer, with one-line values next to it and without a key at the cursor. `span` is
    the text to replace, `typed` its part before the cursor. The new key, dash or value starts in `column`; `lead` must
    be written before it to get there.
    """

    at: At
    pointer: Pointer
    data: Any
    span: Span
    typed: str = ""
    column: int = 0
    lead: str = ""
    close: str = ""
    """Must be written after a value: the closing quote, or a space before a comment."""
    comma: str = ""
    """Must be written last, because another entry follows in the same brackets."""
    quote: str = ""
    """The quote that surrounds the span."""
    flow: bool = False
    has_colon: bool = False
    """The key at the cursor already has its colon."""
    has_children: bool = False
    """Deeper lines follow that would become the value of a key at the cursor."""
    below: int | None = None
    """The column of the key on the same line: a map or list must start on a new line."""
    is_guess: bool = False
    """Counts only if nothing fits in the situations before it."""


class Region(NamedTuple):
    """Lines, and the index of the first item of a top-level list among them."""

    lines: Lines
    first: int = 0


class Slot(NamedTuple):
    """What may start on a line, in which container and in which column.

    The target is a map or list to add to, an entry without a value, or None for an empty document.
    """

    at: At
    target: Container | Entry | None
    column: int
    is_guess: bool = False
    """Counts only if nothing fits in the slots before it."""


def region_of(tree: Tree, text: Text, line: int) -> Region | None:
    """Return the lines that decide what a line means; None on document marks and after the document.

    They are the piece of the line and the first lines of the other top-level entries.
    """
    if text.line(line)[:3] in {"---", "..."} or text.line(line).startswith("%"):
        return None
    if 0 <= tree.second_document < line:
        return _later_document(text, line)
    if tree.whole is not None:
        return Region(_numbered(text, tree.whole.start, tree.whole.end))
    return _pieces(tree, text, line)


def slots(found: Outline, width: int) -> Iterator[Slot]:
    """Yield what may start on the cursor's line in column `width`."""
    last, following = found.last, found.next
    is_doubted = False
    if last is not None and last.is_empty:
        if last.child is not None:
            yield _addition(last.child)
            return
        if width > last.container.column:
            yield Slot(At.VALUE, last, width)
            return
    elif (
        last is not None and last.is_doubtful and last.value_row is not None and width > last.container.column
    ):
        # The value may be the unfinished first line of a map or list.
        is_doubted = True
        column = last.value_row.start + last.value_row.shift
        yield from (Slot(it, last, column) for it in (At.KEY, At.ITEM))
    for it in _nearest(found, width):
        yield _addition(it)._replace(is_guess=is_doubted)
        if it.is_stray:
            yield Slot(At.KEY, it.owner, it.column, is_guess=True)
        is_owner = last is not None and last.is_empty and last.container is it and following is None
        if is_owner and it.shape is Shape.MAP and it.column == width:
            yield Slot(At.ITEM, last, width)
    if not found.open:
        yield Slot(At.KEY, None, 0) if found.root is None else _addition(found.root)


def path_to(
    container: Container,
    anchors: dict[str, Node],
    patch: dict[str | int, Any] | None = None,
    *,
    without: Entry | None = None,
) -> tuple[Pointer, Any]:
    """Return the pointer of a container, and plain data from the root along it.

    `patch` is set in the container; the entry `without` is left out.
    """
    data = container.data(anchors, without)
    for part, value in (patch or {}).items():
        _put(data, part, value)
    pointer: Pointer = ()
    while container.owner is not None:
        owner = container.owner
        outer = owner.container.data(anchors)
        _put(outer, owner.part, data)
        pointer = (owner.part, *pointer)
        data, container = outer, owner.container
    return pointer, data


def flow_data(found: FlowPlace, anchors: dict[str, Node]) -> Any:
    """Return plain data of the brackets around a cursor, with merge keys applied."""
    data: Any = None
    inner: str | int | None = None
    for frame in reversed(found.frames):
        here: Any = _flow_map(frame.keys, anchors) if frame.is_map else [None] * (frame.index + 1)
        if inner is not None:
            _put(here, inner, data)
        data, inner = here, frame.part
    return data


def _put(data: Any, part: str | int, value: Any) -> None:
    if isinstance(part, int):
        data += [None] * (part + 1 - len(data))
    data[part] = value


def _flow_map(keys: dict[str, Any], anchors: dict[str, Node]) -> dict[str, Any]:
    sources = keys.get("<<")
    listed = sources if isinstance(sources, list) else [sources]
    merged = [_resolve(it, anchors) for it in reversed(listed)]
    own = {key: _resolve(value, anchors) for key, value in keys.items() if key != "<<"}
    return {**{key: value for it in merged if isinstance(it, dict) for key, value in it.items()}, **own}


def _resolve(value: Any, anchors: dict[str, Node]) -> Any:
    """Return the data of an alias; any other value unchanged."""
    if not isinstance(value, Alias):
        return value
    return anchors[value.name].data(anchors) if value.name in anchors else None


def _later_document(text: Text, line: int) -> Region | None:
    start = line
    while text.line(start)[:3] not in {"---", "..."}:
        start -= 1
    if text.line(start).startswith("..."):
        return None
    end = start + 1
    while end < len(text.lines) and text.line(end)[:3] not in {"---", "..."}:
        end += 1
    return Region(_numbered(text, start + 1, end))


def _pieces(tree: Tree, text: Text, line: int) -> Region:
    pieces = tree.pieces
    current = sum(1 for it in pieces if it.start <= line) - 1
    chosen = {current}
    if current > 0 and pieces[current].kind is PieceKind.STRAY:
        chosen.add(current - 1)
    lowest = head = min(chosen, default=0)
    if current >= 0 and pieces[lowest].kind is PieceKind.ITEM:
        while head > 0 and pieces[head].kind is not PieceKind.HEAD:
            head -= 1
        chosen.add(head)
    lines: list[tuple[int, str]] = []
    for index, piece in enumerate(pieces):
        if index in chosen:
            lines += _numbered(text, piece.start, piece.end)
        elif piece.kind in _HEADS or index == current + 1:
            lines.append((piece.start, text.line(piece.start)))
    first = sum(1 for it in pieces[head:lowest] if it.kind is PieceKind.ITEM)
    return Region(lines or _numbered(text, line, line + 1), first)


def _numbered(text: Text, start: int, end: int) -> Lines:
    return [(it, text.line(it)) for it in range(start, end)]


def _addition(container: Container) -> Slot:
    return Slot(At.KEY if container.shape is Shape.MAP else At.ITEM, container, container.column)


def _nearest(found: Outline, width: int) -> list[Container]:
    """Return the open containers that a line in column `width` may belong to.

    An entry that follows must keep its container. The nearest column counts; of two equally near ones, the deeper.
    """
    possible = found.open
    if found.next is not None:
        indexes = [i for i, it in enumerate(possible) if it is found.next.container]
        possible = possible[indexes[0] :] if indexes else possible
    if not possible:
        return []
    column = min((it.column for it in possible), key=lambda it: (abs(it - width), -it))
    return [it for it in possible if it.column == column]
