"""A finding with the place where it stands."""

from typing import NamedTuple

from waza_engine.findings import Finding, Pointer
from waza_lsp.syntax.text import Span


class Mark(NamedTuple):
    """A finding and the stretch of text it stands on; `related` are places in the same text that explain it."""

    span: Span
    finding: Finding
    related: tuple[tuple[Span, str], ...] = ()
    base: tuple[str, int] | None = None
    """In an item of a top-level list the finding's pointers count from the item's piece: the list's key, and the
    index of the piece's first item."""
    part: Span | None = None
    """The part of a text at `span` that is at fault."""

    @property
    def shown(self) -> Span:
        """What is underlined."""
        return self.part or self.span

    def shifted(self, lines: int, base: tuple[str, int] | None = None) -> "Mark":
        """The same mark `lines` further down."""
        related = self.related and tuple((span.shifted(lines), text) for span, text in self.related)
        return Mark(self.span.shifted(lines), self.finding, related, base)

    @property
    def in_document(self) -> Finding:
        """The finding with pointers that count from the top of the document."""
        if self.base is None:
            return self.finding
        key, first = self.base

        def move(pointer: Pointer) -> Pointer:
            match pointer:
                case [int(index), *rest]:
                    return (key, first + index, *rest)
                case ["..", *rest]:
                    return tuple(rest)
                case _:
                    return (key,)

        return self.finding.moved(move)
