"""What a hover tells of an audit: the broken work that passes, as small differences."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from waza_lsp.schema.markup import fenced
from waza_lsp.schema.type_words import code
from waza_lsp.syntax.text import Span

AGENT = "null agent"
_MOST = 5
_MOST_LINES = 8
_WIDTH = 100


class Survivor(NamedTuple):
    """Broken work that passes: of a null agent or a mutant, with its change in words and the texts that differ."""

    kind: str
    name: str
    change: str
    before: str
    after: str


class AuditNote(NamedTuple):
    """A finding of an audit at `span`, and what survives in its task."""

    span: Span
    task: str
    survivors: tuple[Survivor, ...]


def audit_paragraphs(notes: Sequence[AuditNote]) -> Iterator[str]:
    """Return the broken work that passes in the tasks of findings; each task once."""
    for note in {it.task: it for it in notes}.values():
        agents = [it.name for it in note.survivors if it.kind == AGENT]
        mutants = [it for it in note.survivors if it.kind != AGENT]
        if agents:
            yield f"{code(note.task)} passes for agents without work: {', '.join(agents)}"
        if mutants:
            yield f"{code(note.task)} passes for broken work:"
        for it in mutants[:_MOST]:
            difference = "\n".join(islice(_difference(it.before, it.after), _MOST_LINES))
            yield f"- {it.change}" + (f"\n{fenced(difference, 'diff')}" if difference else "")
        if len(mutants) > _MOST:
            yield f"- and {len(mutants) - _MOST} more"


def _difference(before: str, after: str) -> Iterator[str]:
    """Yield the lines of which only one side has them."""
    # Imported late: few hovers show a difference.
    from difflib import ndiff

    old, new = _lines(before), _lines(after)
    yield from (it[:_WIDTH] for it in ndiff(old, new) if it[:1] in {"-", "+"})


def _lines(text: str) -> Sequence[str]:
    return text.splitlines()[: _MOST_LINES * 10]
