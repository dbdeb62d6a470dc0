"""`textDocument/documentHighlight`: all occurrences of the name under the cursor in this document."""

from lsprotocol import types

from waza_lsp.schema.references import occurrences
from waza_lsp.snapshot import Snapshot


def document_highlight(snapshot: Snapshot, position: types.Position) -> list[types.DocumentHighlight]:
    """Return every occurrence of the name or anchor under the cursor."""
    form = snapshot.form
    place = snapshot.place(position)
    found = occurrences(form, snapshot.tree, snapshot.text, place) if form is not None else None
    if found is None:
        return []
    kinds = types.DocumentHighlightKind
    marks = [*((it, kinds.Write) for it in found.definitions), *((it, kinds.Read) for it in found.uses)]
    return [types.DocumentHighlight(snapshot.range(span), kind) for span, kind in sorted(marks)]
