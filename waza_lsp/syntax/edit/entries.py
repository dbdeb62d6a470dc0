"""Add entries and items, and remove them with their comments.

Each function returns the edits, or None if the way the text is written does not allow the change.
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
    end_of_line,
    last_line,
    member_at,
)
from waza_lsp.syntax.edit.values import is_flow_usual
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree.node import Kind
from waza_lsp.syntax.tree.split import PieceKind

LinesAt = Callable[[int], list[str]]
"""Returns new lines for a column: the first without its indentation, the others with it."""


def add_key(draft: Draft, pointer: Pointer, key: str, value: Any, order: Sequence[str]) -> list[Edit] | None:
    """Add a key to a mapping, after the keys that precede it in `order`.

    An empty value becomes a mapping.
    """
    layout, listed = draft.layout, not is_flow_usual(draft, pointer)
    one_line = f"{inline(key, inside=True)}: {inline(value, inside=True)}"

    def lines_at(column: int) -> list[str]:
        return entry(key, value, column, layout, listed=listed)

    container = container_at(draft, pointer)
    if container is not None and container.index(key) is not None:
        return None
    at = _index_for(container, key, order) if container is not None else 0
    return insert_entry(draft, pointer, lines_at, one_line, at)


def insert_entry(
    draft: Draft, pointer: Pointer, lines_at: LinesAt, one_line: str | None, at: int | None = None
) -> list[Edit] | None:
    """Insert an entry into a mapping at index `at`, or into an empty value.

    The default is the end of the mapping.
    """
    container = container_at(draft, pointer)
    if container is None and not pointer:
        return _insert_in_blank_text(draft, lines_at)
    if container is None:
        return _fill_empty_value(draft, pointer, lines_at, f"{{{one_line}}}" if one_line else None)
    if not container.is_map:
        return None
    at = len(container.members) if at is None else at
    if container.flow:
        return _insert_in_brackets(draft, container, at, one_line) if one_line else None
    first = container.members[0].key
    return _insert_lines(draft, container, at, lines_at, first.start.column) if first is not None else None


def add_item(draft: Draft, pointer: Pointer, value: Any, *, first: bool = False) -> list[Edit] | None:
    """Append an item to a list, or insert it as the `first`; create the list if there is none."""
    container, layout = container_at(draft, pointer), draft.layout

    def lines_at(column: int) -> list[str]:
        return item(value, column, layout, listed=True)

    one_line = inline(value, inside=True)
    if container is None:
        if member_at(draft, pointer) is None and pointer and isinstance(pointer[-1], str):
            return add_key(draft, pointer[:-1], pointer[-1], [value], ())
        return _fill_empty_value(draft, pointer, lines_at, f"[{one_line}]", is_list=True)
    if container.is_map:
        return None
    if container.flow:
        return _insert_in_brackets(draft, container, 0 if first else len(container.members), one_line)
    if first and (start := dash_of(draft.text, container.members[0])) is not None:
        return [Edit(Span(start, start), "\n".join([*lines_at(start.column), " " * start.column]))]
    dash = dash_of(draft.text, container.members[-1])
    count = len(container.members)
    return _insert_lines(draft, container, count, lines_at, dash.column) if dash is not None else None


def remove(draft: Draft, pointer: Pointer) -> list[Edit] | None:
    """Remove an entry or item, with its lines and the comments directly above it."""
    container = container_at(draft, pointer[:-1]) if pointer else None
    index = container.index(pointer[-1]) if container is not None else None
    return remove_member(draft, container, index) if container is not None and index is not None else None


def remove_member(draft: Draft, container: Container, index: int) -> list[Edit] | None:
    """Remove a member by index, for duplicate keys that have the same pointer."""
    if _lacks_braces(draft, container):
        return remove(draft, container.pointer)
    if container.flow:
        return [_remove_from_brackets(container, index)]
    text, member = draft.text, container.members[index]
    head = member.key.start if member.key is not None else dash_of(text, member)
    if head is None:
        return None
    if len(container.members) == 1 and container.pointer:
        return _replace_by_brackets(draft, container)
    before = text.line(head.line)[: head.column]
    if before.strip():
        return (
            _remove_from_dash_line(draft, container, index, head) if before.rstrip().endswith("-") else None
        )
    first = first_line(draft, container, member, head)
    last = _last_comment(draft, last_line(text, member), head.column)
    if last + 1 < len(text.lines):
        return [Edit(Span(Place(first, 0), Place(last + 1, 0)), "")]
    return [Edit(Span(end_of_line(text, first - 1) if first else Place(0, 0), end_of_line(text, last)), "")]


def first_line(draft: Draft, container: Container, member: Member, head: Place) -> int:
    """Return the first line of a member, including its own comments above."""
    # A comment above the first entry of a file may be about the whole file.
    is_first = not container.pointer and member is container.members[0]
    is_alone = not draft.text.line(head.line)[: head.column].strip()
    return _first_comment(draft, head) if is_alone and not is_first else head.line


def _first_comment(draft: Draft, head: Place) -> int:
    """Return the first comment line directly above a line, or the line itself."""
    line = head.line
    while line > 0 and draft.text.line(line - 1).startswith(" " * head.column + "#"):
        line -= 1
    return line


def _last_comment(draft: Draft, line: int, column: int) -> int:
    """Return the last deeper comment line directly below a member, or its last line."""
    while line + 1 < len(draft.text.lines):
        following = draft.text.line(line + 1)
        stripped = following.lstrip(" ")
        if not stripped.startswith("#") or len(following) - len(stripped) <= column:
            break
        line += 1
    return line


def _index_for(container: Container, key: str, order: Sequence[str]) -> int:
    """Return the index after the last member that precedes the key in `order`."""
    before = set(order[: order.index(key)]) if key in order else {it.part for it in container.members}
    return max(
        (i + 1 for i, it in enumerate(container.members) if it.part in before or it.part == "<<"), default=0
    )


def _insert_in_brackets(draft: Draft, container: Container, at: int, text: str) -> list[Edit]:
    members = container.members
    if _lacks_braces(draft, container):
        start, end = container.span.start, _end(members[0])
        before, after = (f"{{{text}, ", "}") if at == 0 else ("{", f", {text}}}")
        return [Edit(Span(start, start), before), Edit(Span(end, end), after)]
    if not members:
        start = Place(container.span.end.line, container.span.end.column - 1)
        return [Edit(Span(start, start), text)]
    if at == 0:
        start = members[0].key.start if members[0].key is not None else members[0].value.start
        return [Edit(Span(start, start), f"{text}, ")]
    end = _end(members[at - 1])
    return [Edit(Span(end, end), f", {text}")]


def _lacks_braces(draft: Draft, container: Container) -> bool:
    """Whether it is a mapping of one entry that is an item of brackets: `[a: b]`."""
    return (
        container.flow
        and container.is_map
        and bool(container.members)
        and not draft.text.slice(container.span).startswith("{")
    )


def _end(member: Member) -> Place:
    return max(member.value.end, member.key.end if member.key is not None else member.value.end)


def _insert_lines(
    draft: Draft, container: Container, at: int, lines_at: LinesAt, column: int
) -> list[Edit] | None:
    first = container.members[0].key
    lines, indent = lines_at(column), " " * column
    if at == 0 and first is not None and _is_free(draft, first.start):
        return [Edit(Span(first.start, first.start), "\n".join([*lines, indent]))]
    line = last_line(draft.text, container.members[max(at - 1, 0)])
    while line + 1 < len(draft.text.lines) and _is_deeper_comment(draft.text.line(line + 1), column):
        line += 1
    end = end_of_line(draft.text, line)
    return [Edit(Span(end, end), "\n".join(["", indent + lines[0], *lines[1:]]))]


def _is_deeper_comment(line: str, column: int) -> bool:
    """Whether a line is a comment that belongs to the member above, whose key or dash is in a column."""
    text = line.lstrip(" ")
    return text.startswith("#") and len(line) - len(text) > column


def _is_free(draft: Draft, start: Place) -> bool:
    """Whether only dashes precede a place and no comment above belongs to it."""
    before = draft.text.line(start.line)[: start.column]
    if before.strip():
        return not before.replace("-", "").strip()
    return _first_comment(draft, start) == start.line


def _insert_in_blank_text(draft: Draft, lines_at: LinesAt) -> list[Edit] | None:
    """Insert the first entry of a text without content, after its comments."""
    if draft.tree.whole is not None or any(it.kind is not PieceKind.SKIPPED for it in draft.tree.pieces):
        return None
    lines = draft.text.lines
    last = len(lines) - 1
    while last > 0 and not lines[last].strip():
        last -= 1
    place, text = end_of_line(draft.text, last), "\n".join(lines_at(0))
    is_blank = not lines[last].strip()
    ends = last < len(lines) - 1
    return [Edit(Span(place, place), ("" if is_blank else "\n") + text + ("" if ends else "\n"))]


def _fill_empty_value(
    draft: Draft, pointer: Pointer, lines_at: LinesAt, one_line: str | None, *, is_list: bool = False
) -> list[Edit] | None:
    """Fill in a value that is missing or null."""
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
    lines, end = lines_at(column), end_of_line(draft.text, start.line)
    new = "\n".join(["", " " * column + lines[0], *lines[1:]])
    return (
        [Edit(Span(start, end), new)]
        if old and end == member.value.end
        else [*old, Edit(Span(end, end), new)]
    )


def _remove_from_brackets(container: Container, index: int) -> Edit:
    members = container.members
    starts = [it.key.start if it.key is not None else it.value.start for it in members]
    if index + 1 < len(members):
        return Edit(Span(starts[index], starts[index + 1]), "")
    start = _end(members[index - 1]) if index else starts[index]
    return Edit(Span(start, _end(members[index])), "")


def _replace_by_brackets(draft: Draft, container: Container) -> list[Edit] | None:
    """Replace the only member by empty brackets; otherwise the value would be null."""
    found = member_at(draft, container.pointer)
    start = after_mark(draft.text, found[1]) if found is not None else None
    if start is None:
        return None
    end = end_of_line(draft.text, last_line(draft.text, container.members[0]))
    return [Edit(Span(start, end), " {}" if container.is_map else " []")]


def _remove_from_dash_line(draft: Draft, container: Container, index: int, head: Place) -> list[Edit] | None:
    """Remove the first entry of a list item.

    The next one moves up to the dash, unless comments are above it.
    """
    if index + 1 >= len(container.members):
        return None
    following = container.members[index + 1].key
    last = last_line(draft.text, container.members[index])
    if following is not None and following.start.line == last + 1:
        return [Edit(Span(head, following.start), "")]
    dash_end = len(draft.text.line(head.line)[: head.column].rstrip())
    return [Edit(Span(Place(head.line, dash_end), end_of_line(draft.text, last)), "")]
