"""Code actions that run or regrade the grader, task or eval at the cursor, for editors without lenses.

The innermost one comes first: grader, task, eval.
"""

from collections.abc import Iterator, Mapping

from lsprotocol import types

from waza_lsp.fixes.fixes import accepts_kind, is_manual_request
from waza_lsp.runnables.commands import (
    NO_STATUS,
    RunStatus,
    explain_command,
    grade_command,
    runnable_actions,
    shown_age,
    trace_command,
)
from waza_lsp.runnables.runnables import graders_in, runnables_at_line, task_of
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Span

_KIND = types.CodeActionKind.Empty.value


def run_actions(
    snapshot: Snapshot,
    at: types.Range,
    context: types.CodeActionContext,
    statuses: Mapping[tuple[str, str], RunStatus] | None = None,
    now: float = 0.0,
) -> list[types.CodeAction]:
    """Return the actions. `statuses` are by kind and id of the runnable; `now` is in seconds since 1970."""
    # Only on request: a light bulb on every line of a task would be useless.
    if snapshot.form is None or not is_manual_request(context) or not accepts_kind(_KIND, context):
        return []
    line = snapshot.place(at.start).line
    return [
        types.CodeAction(it.title, types.CodeActionKind.Empty, command=it)
        for it in _commands(snapshot, line, statuses or {}, now)
    ]


def _commands(
    snapshot: Snapshot, line: int, statuses: Mapping[tuple[str, str], RunStatus], now: float
) -> Iterator[types.Command]:
    enclosing = runnables_at_line(snapshot, line)
    if any(statuses.get((it.kind, it.id), NO_STATUS).is_recorded for it in enclosing):
        for site in graders_in(snapshot):
            if _holds(site.span, line):
                yield grade_command(snapshot.uri, site, task_of(snapshot, site.pointer))
                yield explain_command(snapshot.uri, site)
    for it in enclosing:
        status = statuses.get((it.kind, it.id), NO_STATUS)
        for offer in runnable_actions(it.kind, it.uri, it.id, status, shown_age(status, now)):
            if offer.command.command:
                yield offer.command
        if steps := trace_command(it, status):
            yield steps


def _holds(span: Span, line: int) -> bool:
    return span.start.line <= line <= span.end.line
