"""Move an entry to another place, as written, with the comments directly above it."""

from dataclasses import dataclass

from waza_engine.lib.pointer import Pointer
from waza_lsp.syntax.edit.edits import Draft, Edit, Layout, difference
from waza_lsp.syntax.edit.emit import inline
from waza_lsp.syntax.edit.entries import first_line, insert_entry, remove
from waza_lsp.syntax.edit.members import Container, Member, container_at, last_line, member_at
from waza_lsp.syntax.edit.values import source_in_brackets
from waza_lsp.syntax.text import Span, indent_of


@dataclass(frozen=True, slots=True)
class _MovingEntry:
    """An entry being moved: its lines from `column` on, and its one-line form."""

    key: str
    comments: tuple[str, ...]
    lines: tuple[str, ...]
    column: int
    one_line: str | None

    def at(self, column: int, around: tuple[str, ...], step: int) -> list[str]:
        """Return the lines in another column, below the new mappings `around`."""
        heads = [f"{' ' * (column + step * i) if i else ''}{it}:" for i, it in enumerate(around)]
        deepest = column + step * len(around)
        shift = deepest - self.column
        lines = [
            *self.comments,
            f"{self.key}{self.lines[0]}",
            *(_shift(it, shift) for it in self.lines[1:]),
        ]
        own = len(self.comments) + 1
        indented = [" " * deepest + it if i < own and (i or heads) else it for i, it in enumerate(lines)]
        return [*heads, *indented]

    def in_brackets(self, around: tuple[str, ...]) -> str | None:
        """Return the entry for use in brackets, inside the new mappings `around`.

        Returns None if it has no one-line form.
        """
        if self.one_line is None:
            return None
        text = f"{self.key}{self.one_line}"
        for it in reversed(around):
            text = f"{it}: {{{text}}}"
        return text


def move_entry(draft: Draft, pointer: Pointer, to: Pointer) -> list[Edit] | None:
    """Return the edits that move an entry to another place, creating the mappings on the way.

    Returns None if the way the text is written does not allow it, or if there is a value at `to` already.
    """
    found = member_at(draft, pointer)
    removal = remove(draft, pointer)
    if found is None or removal is None or found[1].key is None or not to or member_at(draft, to) is not None:
        return None
    moving = _entry_to_move(draft, *found, inline(str(to[-1])))
    rest = draft.as_first().apply(removal)
    target, around = _nearest_existing(rest, to[:-1])
    layout: Layout = draft.layout
    edits = insert_entry(
        rest, target, lambda column: moving.at(column, around, layout.step), moving.in_brackets(around)
    )
    return difference(draft.text, rest.apply(edits)) if edits is not None else None


def _nearest_existing(draft: Draft, target: Pointer) -> tuple[Pointer, tuple[str, ...]]:
    """Return the part of a pointer that exists, and the keys of the mappings to create."""
    around: tuple[str, ...] = ()
    while target and container_at(draft, target) is None and member_at(draft, target) is None:
        around = (inline(str(target[-1])), *around)
        target = target[:-1]
    return target, around


def _entry_to_move(draft: Draft, container: Container, member: Member, key: str) -> _MovingEntry:
    head = member.key or member.value
    end = member.value.end if container.flow else None
    last = member.value.end.line if container.flow else last_line(draft.text, member)
    lines = [draft.text.line(it) for it in range(head.start.line, last + 1)]
    if end is not None:
        lines[-1] = lines[-1][: end.column]
    lines[0] = lines[0][head.end.column :]
    top = head.start.line if container.flow else first_line(draft, container, member, head.start)
    comments = tuple(draft.text.line(it)[head.start.column :] for it in range(top, head.start.line))
    one_line = None
    if member.is_one_line_flow:
        value = source_in_brackets(draft, member, member.value)
        between = Span(head.end, max(head.end, member.value.start))
        one_line = draft.text.slice(between) + value if between.start.line == between.end.line else None
    return _MovingEntry(key, comments, tuple(lines), head.start.column, one_line)


def _shift(line: str, blanks: int) -> str:
    if not line.strip():
        return line
    return " " * max(0, indent_of(line) + blanks) + line.lstrip(" ")
