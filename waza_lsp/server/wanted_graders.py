"""Graders that are to be graded, and where they stand once their document is another version."""

from waza_engine.findings import Pointer
from waza_lsp.snapshot import Snapshot
from waza_lsp.suite.in_document import graders_in
from waza_lsp.syntax.carry import Change, carried, change_between
from waza_lsp.syntax.text import Span

Wanted = dict[str, tuple[Snapshot, set[Pointer]]]
"""Graders by the URI of their document, with the version of it that the pointers lead into."""


def add(wanted: Wanted, snapshot: Snapshot, pointers: set[Pointer]) -> None:
    """Have these graders among those that are wanted."""
    known = wanted.get(snapshot.uri)
    before = pointers_now(*known, snapshot) if known is not None else set()
    wanted[snapshot.uri] = snapshot, before | pointers


def pointers_now(before: Snapshot, pointers: set[Pointer], now: Snapshot) -> set[Pointer]:
    """Where the same graders stand in another version of their document.

    Where the text is another one, they are those that nobody has left out before.
    """
    change = change_between(before.text.lines, now.text.lines) if before is not now else None
    if change is None:
        return pointers
    its = graders_in(before)
    kept = {carried(it.span, change) for it in its if it.pointer in pointers}
    left_out = {before.text.slice(it.span) for it in its if it.pointer not in pointers}
    return {
        it.pointer
        for it in graders_in(now)
        if it.span in kept or (_is_touched(it.span, change) and now.text.slice(it.span) not in left_out)
    }


def touched(before: Snapshot, now: Snapshot) -> set[Pointer]:
    """The graders that one edit was at."""
    change = change_between(before.text.lines, now.text.lines)
    if change is None:
        return set()
    return {it.pointer for it in graders_in(now) if _is_touched(it.span, change)}


def rewritten(before: Snapshot, now: Snapshot) -> set[Pointer]:
    """The graders whose text is that of none before; edits may have been in many places."""
    known = {before.text.slice(it.span) for it in graders_in(before)}
    return {it.pointer for it in graders_in(now) if now.text.slice(it.span) not in known}


def _is_touched(span: Span, change: Change) -> bool:
    """Whether an edit was on the lines of a grader."""
    return span.start.line <= change.new_end.line and change.start.line <= span.end.line
