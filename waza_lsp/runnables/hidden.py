"""Find what a syntax error hides, by reading the text without the lines where its errors begin.

The tree tolerates most errors. A quote that is never closed, or a block scalar in the first line, swallows runnables
all the same, and lenses that jump while the user types are hard to read. The result depends on the text alone, so an
edited document shows what a fresh open shows.
"""

from lsprotocol import types

from waza_engine.lib.queries.store import derived
from waza_lsp.runnables.runnables import Runnable, runnables_in
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree.node import Kind
from waza_lsp.syntax.tree.tree import Tree

_MOST_ROUNDS = 3
"""How often lines are blanked. Each round can reveal further errors."""


def shown_runnables(snapshot: Snapshot) -> list[Runnable]:
    """Return the runnables of a document, with those that only a syntax error hides."""
    found, readable = runnables_in(snapshot), without_errors(snapshot)
    if readable is None:
        return list(found)
    present = {(it.kind, it.id) for it in found}
    more = [it for it in runnables_in(readable) if (it.kind, it.id) not in present]
    return sorted([*found, *more], key=lambda it: it.range.start) if more else list(found)


@derived
def without_errors(snapshot: Snapshot) -> Snapshot | None:
    """Return the document with its broken lines blank, so that all places stay; None if it has no errors."""
    found = snapshot
    for _ in range(_MOST_ROUNDS):
        broken = [] if found.tree.is_cut_off else sorted(_broken_lines(found))
        if not broken:
            break
        spans = [Span(Place(it, 0), Place(it, len(found.text.line(it)))) for it in broken]
        changes: list[types.TextDocumentContentChangeEvent] = [
            types.TextDocumentContentChangePartial(found.text.range(it), "") for it in spans
        ]
        found = found.with_changes(changes, snapshot.version or 0)
    return None if found is snapshot else found


def _broken_lines(snapshot: Snapshot) -> set[int]:
    """Return the lines where errors begin. In a text that is one scalar, the first line swallows the others."""
    tree, lines = snapshot.tree, range(len(snapshot.text.lines))
    if _is_scalar(tree):
        first = next((it for it in lines if snapshot.text.line(it).strip()), None)
        return set() if first is None else {first}
    found = {problem.span.start.line + start for problem, start in tree.problems()}
    return {it for it in found if snapshot.text.line(it).strip()}


def _is_scalar(tree: Tree) -> bool:
    if tree.whole is None:
        return False
    root = tree.whole.parsed.root
    return root is None or root.kind is Kind.SCALAR
