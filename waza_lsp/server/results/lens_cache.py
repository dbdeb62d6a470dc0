"""Keeps lenses while a text is broken: what a syntax error swallows is shown as it was, where it stands by now.

The tree bears most errors by itself; an open quote above a task, or a broken first line, takes things away all the
same, and a page whose lines jump while one types is worse than a lens that is a moment old (peers.md, 27).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from lsprotocol import types

from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.carry import carried, change_between
from waza_lsp.syntax.text import Span


@dataclass(frozen=True, slots=True)
class _Good:
    """The lenses of a text without errors, each with the place where it stood."""

    lines: Sequence[str]
    lenses: Sequence[tuple[Span, types.CodeLens]]


@dataclass(slots=True)
class LensMemory:
    """The last good lenses by URI."""

    _good: dict[str, _Good] = field(default_factory=dict)

    def kept(self, snapshot: Snapshot, lenses: list[types.CodeLens]) -> list[types.CodeLens]:
        """The lenses of a document, with those that only an error takes away."""
        if not _is_broken(snapshot):
            placed = [(_place(snapshot, it), it) for it in lenses]
            self._good[snapshot.uri] = _Good(snapshot.text.lines, placed)
            return lenses
        known = self._good.get(snapshot.uri)
        if known is None:
            return lenses
        here = {_about(it) for it in lenses}
        change = change_between(known.lines, snapshot.text.lines)
        lost = [
            types.CodeLens(snapshot.range(moved), it.command)
            for span, it in known.lenses
            if _about(it) not in here and (moved := carried(span, change)) is not None
        ]
        return sorted([*lenses, *lost], key=lambda it: it.range.start.line) if lost else lenses

    def forget(self, uri: str) -> None:
        """A document was closed."""
        self._good.pop(uri, None)


def _is_broken(snapshot: Snapshot) -> bool:
    """Whether the text has errors, or is no mapping any more: an open quote may swallow all of it without one."""
    return snapshot.tree.keys() is None or next(snapshot.tree.problems(), None) is not None


def _place(snapshot: Snapshot, lens: types.CodeLens) -> Span:
    start = snapshot.place(lens.range.start)
    return Span(start, start)


def _about(lens: types.CodeLens) -> str:
    """The thing that a lens is about: that of all its lenses."""
    arguments = lens.command.arguments if lens.command is not None else None
    about = arguments[0] if arguments else None
    return str(about.get("task", "")) if isinstance(about, dict) else ""
