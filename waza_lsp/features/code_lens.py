"""`textDocument/codeLens`: actions and last results above each runnable, on one line."""

from collections.abc import Collection, Mapping

from lsprotocol import types

from waza_lsp.runnables.commands import NO_STATUS, ActionKind, RunStatus, runnable_actions
from waza_lsp.runnables.hidden import shown_runnables
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Span

_ALL = frozenset(ActionKind)


def code_lens(
    snapshot: Snapshot,
    statuses: Mapping[tuple[str, str], RunStatus] | None = None,
    wanted: Collection[ActionKind] = _ALL,
    now: float = 0.0,
) -> list[types.CodeLens]:
    """Return the lenses of a document. `statuses` are by kind and id of the runnable; `now` is in seconds since 1970."""
    known = statuses or {}
    return [
        types.CodeLens(snapshot.range(Span(it.range.start, it.range.start)), offer.command)
        for it in shown_runnables(snapshot)
        for offer in runnable_actions(it, known.get((it.kind, it.id), NO_STATUS), now)
        if offer.sort in wanted
    ]
