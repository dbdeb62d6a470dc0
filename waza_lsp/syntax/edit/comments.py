"""Keep the comments that a change of a text would lose: they go above the first entry of another mapping."""

import re
from collections import Counter
from collections.abc import Iterator

from waza_engine.lib.pointer import Pointer
from waza_lsp.syntax.edit.edits import Draft, Edit
from waza_lsp.syntax.edit.entries import first_line
from waza_lsp.syntax.edit.members import container_at, member_at
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree.node import Kind

_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#")


def keep_comments(before: Draft, after: Draft, to: Pointer) -> Draft:
    """Insert the comments of `before` that `after` lacks above the first entry at `to`, if `to` exists."""
    left = Counter(_comments(after))
    lost: list[str] = []
    for it in _comments(before):
        if left[it]:
            left[it] -= 1
        else:
            lost.append(it)
    place = _place_above(after, to) if lost else None
    if place is None:
        return after
    lines = "".join(f"{' ' * place.column}{it}\n" for it in lost)
    start = Place(place.line, 0)
    return after.apply([Edit(Span(start, start), lines)])


def _place_above(draft: Draft, pointer: Pointer) -> Place | None:
    """Return the line for comments above the first entry of a mapping, or above its key, and their column."""
    inner = container_at(draft, pointer)
    is_block = inner is not None and not inner.flow
    found = (inner, inner.members[0]) if inner is not None and is_block else member_at(draft, pointer)
    if found is None or found[0].flow or found[1].key is None:
        return None
    head = found[1].key.start
    return Place(first_line(draft, *found, head), head.column)


def _comments(draft: Draft) -> Iterator[str]:
    """Yield the comments of a text without their indentation, in its order."""
    texts: dict[int, list[tuple[int, int]]] = {}
    for piece in draft.tree.pieces:
        for node in piece.parsed.root.walk() if piece.parsed.root is not None else ():
            if node.kind is Kind.SCALAR:
                (first, start), (last, end) = node.span.shift(piece.start)
                is_block = node.style in {"|", ">"}
                for line in range(first + is_block, last + 1):
                    left = start if line == first else 0
                    right = end if line == last and not is_block else len(draft.text.line(line))
                    texts.setdefault(line, []).append((left, right))
    for line in range(len(draft.text.lines)):
        source = draft.text.line(line)
        for found in _COMMENT.finditer(source):
            if not any(start <= found.start() < end for start, end in texts.get(line, ())):
                yield source[found.start() :].rstrip()
                break
