"""`textDocument/references`: where a name is used in the suite, which paths lead to a file, the aliases of an anchor."""

from lsprotocol import types

from waza_lsp.schema.paths import path_value_at
from waza_lsp.schema.references import anchor_occurrences
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place
from waza_lsp.workspace.references import mentions
from waza_lsp.workspace.rename import leading_to, normal
from waza_lsp.workspace.workspace import Around


def references(
    snapshot: Snapshot, position: types.Position, around: Around, *, include_declaration: bool = True
) -> list[types.Location]:
    """Every use of the thing under the cursor."""
    form, place = snapshot.form, snapshot.place(position)
    if form is None:
        return []
    located = snapshot.tree.at(place)
    value = path_value_at(form, snapshot.tree, snapshot.path, around, located)
    if value is not None:
        target = normal(value.folder / value.text)
        return [] if value.is_pattern else [it.location for it in leading_to(target, snapshot, around)]
    names = mentions(snapshot, place, around)
    if names is not None:
        return [it.location for it in names.places if include_declaration or not it.defines]
    return _of_anchor(snapshot, place, include_declaration=include_declaration)


def _of_anchor(snapshot: Snapshot, place: Place, *, include_declaration: bool) -> list[types.Location]:
    found = anchor_occurrences(snapshot.tree, snapshot.text, place)
    if found is None:
        return []
    spans = [*(found.definitions if include_declaration else ()), *found.uses]
    return [types.Location(snapshot.uri, snapshot.range(it)) for it in sorted(spans)]
