"""`textDocument/references`: where the name under the cursor is used in this document."""

from lsprotocol import types

from waza_lsp.schema.names import occurrences
from waza_lsp.snapshot import Snapshot


def references(
    snapshot: Snapshot, position: types.Position, *, include_declaration: bool = True
) -> list[types.Location]:
    form = snapshot.form
    place = snapshot.place(position)
    found = occurrences(form, snapshot.tree, snapshot.text, place) if form is not None else None
    if found is None:
        return []
    spans = [*(found.definitions if include_declaration else ()), *found.uses]
    return [types.Location(snapshot.uri, snapshot.range(it)) for it in sorted(spans)]
