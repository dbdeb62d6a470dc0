"""`textDocument/codeLens`: run what stands here. One lens per thing, on its first line."""

from lsprotocol import types

from waza_lsp.schema.runnables import Runnable, runnables
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Span


def code_lens(snapshot: Snapshot) -> list[types.CodeLens]:
    form = snapshot.form
    found = runnables(form, snapshot.tree, snapshot.uri) if form is not None else []
    return [
        types.CodeLens(snapshot.range(Span(it.range.start, it.range.start)), command)
        for it in found
        if (command := _command(it)) is not None
    ]


def _command(runnable: Runnable) -> types.Command | None:
    match runnable.kind:
        case "eval":
            return types.Command("▶ Run all", "waza.runEval", arguments=[{"uri": runnable.uri}])
        case "task":
            arguments = [{"uri": runnable.uri, "task": runnable.id}]
            return types.Command("▶ Run task", "waza.runTask", arguments=arguments)
        case _:
            return None
