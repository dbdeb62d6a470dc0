"""`textDocument/formatting` and `rangeFormatting`: small edits that preserve comments and text (syntax/edit/format.py)."""

from lsprotocol import types

from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.edit.edits import Draft
from waza_lsp.syntax.edit.format import formatting_edits


def formatting(snapshot: Snapshot, span: types.Range | None = None) -> list[types.TextEdit]:
    """Return the edits, or only those in a range. A file with syntax errors is not formatted."""
    if snapshot.form is None:
        return []
    first, last = (span.start.line, span.end.line) if span is not None else (0, len(snapshot.text.lines))
    return [
        snapshot.text_edit(it)
        for it in formatting_edits(Draft(snapshot.text, snapshot.tree))
        if first <= it.span.start.line and it.span.end.line <= last
    ]
