"""Cache lenses while a text is broken: lenses that only a syntax error hides are shown at their moved places.

The tree tolerates most errors. An unclosed quote above a task, or a broken first line, hides lenses all the same, and
lines that jump while the user types are worse than a lens that is a moment old.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from lsprotocol import types

from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.span_mapping import change_between, map_span
from waza_lsp.syntax.text import Span


@dataclass(frozen=True, slots=True)
class _Good:
    """The lenses of a text without errors, each with its place."""

    lines: Sequence[str]
    lenses: Sequence[tuple[Span, types.CodeLens]]


@dataclass(slots=True)
class LensCache:
    """The lenses of the last text without errors, by URI."""

    _good: dict[str, _Good] = field(default_factory=dict)

    def restore(self, snapshot: Snapshot, lenses: list[types.CodeLens]) -> list[types.CodeLens]:
        """Return the lenses of a document, and those that only an error hides."""
        if not _is_broken(snapshot):
            placed = [(_place(snapshot, it), it) for it in lenses]
            self._good[snapshot.uri] = _Good(snapshot.text.lines, placed)
            return lenses
        known = self._good.get(snapshot.uri)
        if known is None:
            return lenses
        present = {_subject(it) for it in lenses}
        change = change_between(known.lines, snapshot.text.lines)
        lost = [
            types.CodeLens(snapshot.range(moved), lens.command)
            for span, lens in known.lenses
            if _subject(lens) not in present and (moved := map_span(span, change)) is not None
        ]
        return sorted([*lenses, *lost], key=lambda lens: lens.range.start.line) if lost else lenses

    def forget(self, uri: str) -> None:
        """Drop the lenses of a closed document."""
        self._good.pop(uri, None)


def _is_broken(snapshot: Snapshot) -> bool:
    """Whether the text has errors or is no longer a mapping: an unclosed quote can swallow all of it without an error."""
    return snapshot.tree.keys() is None or next(snapshot.tree.problems(), None) is not None


def _place(snapshot: Snapshot, lens: types.CodeLens) -> Span:
    start = snapshot.place(lens.range.start)
    return Span(start, start)


def _subject(lens: types.CodeLens) -> str:
    """The id of the runnable that a lens is about."""
    arguments = lens.command.arguments if lens.command is not None else None
    argument = arguments[0] if arguments else None
    return str(argument.get("task", "")) if isinstance(argument, dict) else ""
