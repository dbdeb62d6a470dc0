"""Code actions that keep broken work as a counter example: a recording that must fail."""

from collections.abc import Iterator, Sequence

from lsprotocol import types

from waza_engine.audit.codes import RULES
from waza_lsp.fixes.fixes import accepts_kind, is_manual_request
from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.audit_notes import AGENT, AuditNote, Survivor

_KIND = types.CodeActionKind.Empty.value
_CODES = frozenset(it.code for it in RULES)
_MOST = 3


def keep_actions(
    snapshot: Snapshot, context: types.CodeActionContext, notes: Sequence[AuditNote]
) -> list[types.CodeAction]:
    """Return an action for each piece of broken work that the findings at the cursor name; at most three."""
    told = [it.message for it in context.diagnostics if it.code in _CODES]
    if not (told or is_manual_request(context)) or not accepts_kind(_KIND, context):
        return []
    return [
        types.CodeAction(it.title, types.CodeActionKind.Empty, command=it)
        for it in list(_commands(snapshot, notes, told))[:_MOST]
    ]


def _commands(snapshot: Snapshot, notes: Sequence[AuditNote], told: Sequence[str]) -> Iterator[types.Command]:
    for task, survivors in {it.task: it.survivors for it in notes}.items():
        named = [it for it in survivors if any(it.change in message for message in told)]
        for it in named or survivors:
            arguments = [{"uri": snapshot.uri, "task": task, "mutant": it.key}]
            yield types.Command(_title(it), "waza.keepCounterExample", arguments=arguments)


def _title(survivor: Survivor) -> str:
    what = "trial" if survivor.kind == AGENT else "mutant"
    return f"Keep this {what} as a counter example: {survivor.change}"
