"""What a hover tells of an audit: the broken work that passes, as small differences."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from waza_engine.audit.codes import MOST_NAMED, PASSES_WITHOUT_WORK, SURVIVING_MUTANT
from waza_lsp.schema.markup import fenced
from waza_lsp.schema.type_words import code
from waza_lsp.syntax.text import Span

AGENT = "null agent"
_TELLING = frozenset([PASSES_WITHOUT_WORK.code, SURVIVING_MUTANT.code])
_MOST_NOTES = 4
_MOST = 5
_MOST_LINES = 8
_WIDTH = 100


class Survivor(NamedTuple):
    """Broken work that passes: of a null agent or a mutant, with its change in words and the texts that differ.

    `key` is its name in the task.
    """

    kind: str
    name: str
    change: str
    before: str
    after: str
    key: str = ""


class AuditNote(NamedTuple):
    """A finding of an audit at `span`, and what survives in its task."""

    span: Span
    task: str
    survivors: tuple[Survivor, ...]
    code: str


def audit_paragraphs(notes: Sequence[AuditNote]) -> Iterator[str]:
    """Return what the messages of findings leave out: further agents that pass, and broken work as small differences."""
    tasks = {(it.task, it.code): it for it in notes if it.code in _TELLING}
    several = len({it.task for it in tasks.values()}) > 1
    for note in list(tasks.values())[:_MOST_NOTES]:
        where = f" in {code(note.task)}" if several else ""
        if note.code == PASSES_WITHOUT_WORK.code:
            agents = [it.name for it in note.survivors if it.kind == AGENT][MOST_NAMED:]
            if agents:
                yield f"The other agents that pass{where}: {', '.join(agents)}"
        # Of both findings, only one shows the mutants.
        if note.code == SURVIVING_MUTANT.code or (note.task, SURVIVING_MUTANT.code) not in tasks:
            yield from _mutants([it for it in note.survivors if it.kind != AGENT], where)
    if len(tasks) > _MOST_NOTES:
        yield "The page of the audit shows the other tasks."


def _mutants(mutants: Sequence[Survivor], where: str) -> Iterator[str]:
    if mutants:
        yield f"Broken work that passes{where}:"
    for it in mutants[:_MOST]:
        difference = "\n".join(islice(_difference(it.before, it.after), _MOST_LINES))
        yield f"- {it.change}" + (f"\n{fenced(difference, 'diff')}" if difference else "")
    if len(mutants) > _MOST:
        yield f"- and {len(mutants) - _MOST} more"


def _difference(before: str, after: str) -> Iterator[str]:
    """Yield the lines of which only one side has them, without empty ones."""
    # Imported late: few hovers show a difference.
    from difflib import ndiff

    old, new = _lines(before), _lines(after)
    yield from (it[:_WIDTH] for it in ndiff(old, new) if it[:1] in {"-", "+"} and it[2:].strip())


def _lines(text: str) -> Sequence[str]:
    return text.splitlines()[: _MOST_LINES * 10]
