"""What the hover tells of a task on the line of its lenses: what has changed since it passed, and how it varies."""

from waza_lsp.runnables.hidden import shown_runnables
from waza_lsp.schema.markup import escaped
from waza_lsp.server.results.ledger import ResultLedger
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span
from waza_lsp.workspace.hover_facts import RunNote


def run_notes(ledger: ResultLedger, snapshot: Snapshot, place: Place) -> list[RunNote]:
    """Return what runs tell of the tasks whose lenses are on the line of `place`."""
    eval_path = ledger.eval_of(snapshot)
    if eval_path is None:
        return []
    found = []
    for it in shown_runnables(snapshot):
        if it.kind == "task" and it.range.start.line == place.line:
            verdict = ledger.verdict_of(eval_path, it.id)
            if verdict is not None and verdict.notes:
                end = Place(place.line, len(snapshot.text.line(place.line).rstrip()))
                text = "\n\n".join(map(escaped, verdict.notes))
                found.append(RunNote(Span(it.range.start, end), text))
    return found
