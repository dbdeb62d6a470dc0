"""Whole entries and items: putting them in, and taking them out with their comments.

Each function gives the edits, or None where the text is written in a way that the change does not fit.
"""

from collections.abc import Callable, Sequence
from typing import Any

from waza_engine.lib.pointer import Pointer
from waza_lsp.syntax.edit.edits import Draft, Edit
from waza_lsp.syntax.edit.emit import entry, inline, item
from waza_lsp.syntax.edit.members import (
    Container,
    Member,
    after_mark,
    container_at,
    dash_of,
    end_of,
    last_line,
    member_at,
)
from waza_lsp.syntax.edit.values import is_flow_usual
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree.node import Kind
from waza_lsp.syntax.tree.split import PieceKind

LinesAt = Callable[[int], list[str]]
"""New lines for a column: the first without its indentation, the others with it."""


def with_key(draft: Draft, pointer: Pointer, key: str, value: Any, order: Sequence[str]) -> list[Edit] | None:
    """Add a key to a mapping, behind the one that comes before it in `order`; an empty value becomes a mapping."""
    layout, listed = draft.layout, not is_flow_usual(draft, pointer)
    one_line = f"{inline(key, inside=True)}: {inline(value, inside=True)}"

    def lines_at(column: int) -> list[str]:
        return entry(key, value, column, layout, listed=listed)

    container = container_at(draft, pointer)
    if container is not None and container.index(key) is not None:
        return None
    at = _index_for(container, key, order) if container is not None else 0
    return written_into(draft, pointer, lines_at, one_line, at)


def written_into(
    draft: Draft, pointer: Pointer, lines_at: LinesAt, one_line: str | None, at: int | None = None
) -> list[Edit] | None:
    """Write an entry into a mapping as its member number `at` (default: the last), or into an empty value."""
    container = container_at(draft, pointer)
    if container is None and not pointer:
        return _into_blank_text(draft, lines_at)
    if container is None:
        return _into_nothing(draft, pointer, lines_at, f"{{{one_line}}}" if one_line else None)
    if not container.is_map:
        return None
    at = len(container.members) if at is None else at
    if container.flow:
        return _among_flow(container, at, one_line) if one_line else None
    first = container.members[0].key
    return _among_lines(draft, container, at, lines_at, first.start.column) if first is not None else None


def with_item(draft: Draft, pointer: Pointer, value: Any) -> list[Edit] | None:
    """Add an item to the end of a list; the list is made where there is none."""
    container, layout = container_at(draft, pointer), draft.layout

    def lines_at(column: int) -> list[str]:
        return item(value, column, layout, listed=True)

    one_line = inline(value, inside=True)
    if container is None:
        if member_at(draft, pointer) is None and pointer and isinstance(pointer[-1], str):
            return with_key(draft, pointer[:-1], pointer[-1], [value], ())
        return _into_nothing(draft, pointer, lines_at, f"[{one_line}]", is_list=True)
    if container.is_map:
        return None
    if container.flow:
        return _among_flow(container, len(container.members), one_line)
    dash = dash_of(draft.text, container.members[-1])
    count = len(container.members)
    return _among_lines(draft, container, count, lines_at, dash.column) if dash is not None else None


def without(draft: Draft, pointer: Pointer) -> list[Edit] | None:
    """Take an entry or item out, with its lines and the comments directly above it."""
    container = container_at(draft, pointer[:-1]) if pointer else None
    index = container.index(pointer[-1]) if container is not None else None
    return without_member(draft, container, index) if container is not None and index is not None else None


def without_member(draft: Draft, container: Container, index: int) -> list[Edit] | None:
    """As `without`, for a member that a pointer cannot tell from another one."""
    if container.flow:
        return [_out_of_flow(container, index)]
    text, member = draft.text, container.members[index]
    head = member.key.start if member.key is not None else dash_of(text, member)
    if head is None:
        return None
    if len(container.members) == 1 and container.pointer:
        return _emptied(draft, container)
    before = text.line(head.line)[: head.column]
    if before.strip():
        return _off_dash_line(draft, container, index, head) if before.rstrip().endswith("-") else None
    first = first_line(draft, container, member, head)
    last = _last_comment(draft, last_line(text, member), head.column)
    if last + 1 < len(text.lines):
        return [Edit(Span(Place(first, 0), Place(last + 1, 0)), "")]
    return [Edit(Span(end_of(text, first - 1) if first else Place(0, 0), end_of(text, last)), "")]


def first_line(draft: Draft, container: Container, member: Member, head: Place) -> int:
    """The first line that belongs to a member: that of its first comment, if it has comments of its own."""
    # What stands above the first entry of a file may be about the whole file.
    is_first = not container.pointer and member is container.members[0]
    alone = not draft.text.line(head.line)[: head.column].strip()
    return _first_comment(draft, head) if alone and not is_first else head.line


def _first_comment(draft: Draft, head: Place) -> int:
    """The first of the comment lines directly above a line in its column; the line itself without any."""
    line = head.line
    while line > 0 and draft.text.line(line - 1).startswith(" " * head.column + "#"):
        line -= 1
    return line


def _last_comment(draft: Draft, line: int, column: int) -> int:
    """The last of the comment lines directly below a member that are indented deeper than it."""
    while line + 1 < len(draft.text.lines):
        following = draft.text.line(line + 1)
        stripped = following.lstrip(" ")
        if not stripped.startswith("#") or len(following) - len(stripped) <= column:
            break
        line += 1
    return line


def _index_for(container: Container, key: str, order: Sequence[str]) -> int:
    """Behind the last member that comes before the key in `order`."""
    before = set(order[: order.index(key)]) if key in order else {it.part for it in container.members}
    return max(
        (i + 1 for i, it in enumerate(container.members) if it.part in before or it.part == "<<"), default=0
    )


def _among_flow(container: Container, at: int, text: str) -> list[Edit]:
    members = container.members
    if not members:
        start = Place(container.span.end.line, container.span.end.column - 1)
        return [Edit(Span(start, start), text)]
    if at == 0:
        start = members[0].key.start if members[0].key is not None else members[0].value.start
        return [Edit(Span(start, start), f"{text}, ")]
    end = _end(members[at - 1])
    return [Edit(Span(end, end), f", {text}")]


def _end(member: Member) -> Place:
    return max(member.value.end, member.key.end if member.key is not None else member.value.end)


def _among_lines(
    draft: Draft, container: Container, at: int, lines_at: LinesAt, column: int
) -> list[Edit] | None:
    first = container.members[0].key
    lines, indent = lines_at(column), " " * column
    if at == 0 and first is not None and _is_free(draft, first.start):
        return [Edit(Span(first.start, first.start), "\n".join([*lines, indent]))]
    end = end_of(draft.text, last_line(draft.text, container.members[max(at - 1, 0)]))
    return [Edit(Span(end, end), "\n".join(["", indent + lines[0], *lines[1:]]))]


def _is_free(draft: Draft, start: Place) -> bool:
    """Whether something may be put before this place: no comment above belongs to it, and only dashes stand before it."""
    before = draft.text.line(start.line)[: start.column]
    if before.strip():
        return not before.replace("-", "").strip()
    return _first_comment(draft, start) == start.line


def _into_blank_text(draft: Draft, lines_at: LinesAt) -> list[Edit] | None:
    """The first entry of a text that has comments at most, behind them."""
    if draft.tree.whole is not None or any(it.kind is not PieceKind.SKIPPED for it in draft.tree.pieces):
        return None
    lines = draft.text.lines
    last = len(lines) - 1
    while last > 0 and not lines[last].strip():
        last -= 1
    place, text = end_of(draft.text, last), "\n".join(lines_at(0))
    is_blank = not lines[last].strip()
    ends = last < len(lines) - 1
    return [Edit(Span(place, place), ("" if is_blank else "\n") + text + ("" if ends else "\n"))]


def _into_nothing(
    draft: Draft, pointer: Pointer, lines_at: LinesAt, one_line: str | None, *, is_list: bool = False
) -> list[Edit] | None:
    """Fill a value that is empty or null."""
    found = member_at(draft, pointer)
    if found is None or found[1].node.kind is not Kind.SCALAR or found[1].node.value is not None:
        return None
    container, member = found
    if container.flow:
        return [Edit(member.value, (" " if member.node.is_empty else "") + one_line)] if one_line else None
    start = after_mark(draft.text, member)
    if start is None:
        return None
    layout = draft.layout
    old = [Edit(Span(start, member.value.end), "")] if member.value.end > start else []
    if member.key is None:
        lines = lines_at(start.column - 1 + layout.gap)
        return [Edit(Span(start, max(start, member.value.end)), " " * (layout.gap - 1) + "\n".join(lines))]
    column = member.key.start.column + (layout.dash if is_list else layout.step)
    lines, end = lines_at(column), end_of(draft.text, start.line)
    new = "\n".join(["", " " * column + lines[0], *lines[1:]])
    return (
        [Edit(Span(start, end), new)]
        if old and end == member.value.end
        else [*old, Edit(Span(end, end), new)]
    )


def _out_of_flow(container: Container, index: int) -> Edit:
    members = container.members
    starts = [it.key.start if it.key is not None else it.value.start for it in members]
    if index + 1 < len(members):
        return Edit(Span(starts[index], starts[index + 1]), "")
    start = _end(members[index - 1]) if index else starts[index]
    return Edit(Span(start, _end(members[index])), "")


def _emptied(draft: Draft, container: Container) -> list[Edit] | None:
    """Brackets in place of the only member; without them the value would be null."""
    found = member_at(draft, container.pointer)
    start = after_mark(draft.text, found[1]) if found is not None else None
    if start is None:
        return None
    end = end_of(draft.text, last_line(draft.text, container.members[0]))
    return [Edit(Span(start, end), " {}" if container.is_map else " []")]


def _off_dash_line(draft: Draft, container: Container, index: int, head: Place) -> list[Edit] | None:
    """The first entry of a mapping in a list: the next one moves up to the dash, unless it has comments above it."""
    if index + 1 >= len(container.members):
        return None
    following = container.members[index + 1].key
    last = last_line(draft.text, container.members[index])
    if following is not None and following.start.line == last + 1:
        return [Edit(Span(head, following.start), "")]
    dash_end = len(draft.text.line(head.line)[: head.column].rstrip())
    return [Edit(Span(Place(head.line, dash_end), end_of(draft.text, last)), "")]
