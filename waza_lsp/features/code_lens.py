"""`textDocument/codeLens`: run what stands here. One lens per thing, on its first line."""

from lsprotocol import types

from waza_lsp.schema.run_command import run_command
from waza_lsp.schema.runnables import runnables
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Span


def code_lens(snapshot: Snapshot) -> list[types.CodeLens]:
    form = snapshot.form
    found = runnables(form, snapshot.tree, snapshot.uri) if form is not None else []
    return [
        types.CodeLens(snapshot.range(Span(it.range.start, it.range.start)), command)
        for it in found
        if (command := run_command(it)) is not None
    ]
