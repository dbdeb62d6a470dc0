"""What may start on a line by itself, by the column it is meant to start in."""

from collections.abc import Iterator
from typing import NamedTuple

from waza_lsp.syntax.container import Container, Entry, Shape
from waza_lsp.syntax.outline import Outline
from waza_lsp.syntax.situation import At


class Slot(NamedTuple):
    """What may start on a line: as what, where, and the column that it belongs in.

    The target is a map or list to add to, an entry that still lacks its value, or None for an empty document.
    """

    at: At
    target: Container | Entry | None
    column: int
    is_guess: bool = False
    """Meant only where nothing fits in the slots before it."""


def slots(found: Outline, width: int) -> Iterator[Slot]:
    """What may start on the cursor's line when it is meant to start in column `width`."""
    last, following = found.last, found.next
    is_doubted = False
    if last is not None and last.can_hold:
        if last.child is not None:
            yield _addition(last.child)
            return
        if width > last.container.column:
            yield Slot(At.VALUE, last, width)
            return
    elif (
        last is not None and last.is_doubtful and last.value_row is not None and width > last.container.column
    ):
        # What stands there may be the first line of a map or list, not finished yet.
        is_doubted = True
        column = last.value_row.start + last.value_row.shift
        yield from (Slot(it, last, column) for it in (At.KEY, At.ITEM))
    for it in _nearest(found, width):
        yield _addition(it)._replace(is_guess=is_doubted)
        if it.is_stray:
            yield Slot(At.KEY, it.owner, it.column, is_guess=True)
        is_owner = last is not None and last.can_hold and last.container is it and following is None
        if is_owner and it.shape is Shape.MAP and it.column == width:
            yield Slot(At.ITEM, last, width)
    if not found.open:
        yield Slot(At.KEY, None, 0) if found.root is None else _addition(found.root)


def _addition(container: Container) -> Slot:
    return Slot(At.KEY if container.shape is Shape.MAP else At.ITEM, container, container.column)


def _nearest(found: Outline, width: int) -> list[Container]:
    """The open containers that a line in column `width` may belong to.

    An entry that follows must keep its container. The nearest column counts, of two equally near the deeper one.
    """
    possible = found.open
    if found.next is not None:
        keeps = [i for i, it in enumerate(possible) if it is found.next.container]
        possible = possible[keeps[0] :] if keeps else possible
    if not possible:
        return []
    column = min((it.column for it in possible), key=lambda it: (abs(it - width), -it))
    return [it for it in possible if it.column == column]
