"""What may start on a line by itself, by the column it is meant to start in."""

from collections.abc import Iterator

from waza_lsp.syntax.outline import Container, Entry, Outline, Shape
from waza_lsp.syntax.situation import At


def slots(found: Outline, width: int) -> Iterator[tuple[At, Container | Entry | None, int]]:
    """What may start on the cursor's line when it is meant to start in column `width`, and the column it belongs in.

    The target is a map or list to add to, an entry that still lacks its value, or None for an empty document.
    """
    last, following = found.last, found.next
    if last is not None and last.can_hold:
        if last.child is not None:
            yield _addition(last.child)
            return
        if width > last.container.column:
            yield At.VALUE, last, width
            return
    for it in _nearest(found, width):
        yield _addition(it)
        is_owner = last is not None and last.can_hold and last.container is it and following is None
        if is_owner and it.shape is Shape.MAP and it.column == width:
            yield At.ITEM, last, width
    if not found.open:
        yield (At.KEY, None, 0) if found.root is None else _addition(found.root)


def _addition(container: Container) -> tuple[At, Container, int]:
    return At.KEY if container.shape is Shape.MAP else At.ITEM, container, container.column


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
