"""`textDocument/references`: uses of a name in the suite, paths to a file, aliases of an anchor."""

from lsprotocol import types

from waza_engine.lib.paths import normal_path
from waza_lsp.schema.paths import path_value_at
from waza_lsp.schema.references import anchor_occurrences
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place
from waza_lsp.workspace.references import mentions
from waza_lsp.workspace.rename import paths_to
from waza_lsp.workspace.workspace import WorkspaceFiles


def references(
    snapshot: Snapshot,
    position: types.Position,
    workspace: WorkspaceFiles,
    *,
    include_declaration: bool = True,
) -> list[types.Location]:
    """Return every use of the name, file or anchor under the cursor."""
    form, place = snapshot.form, snapshot.place(position)
    if form is None:
        return []
    located = snapshot.tree.at(place)
    value = path_value_at(form, snapshot.tree, snapshot.path, workspace, located)
    if value is not None:
        target = normal_path(value.folder / value.text)
        return [] if value.is_pattern else [it.location for it in paths_to(target, snapshot, workspace)]
    names = mentions(snapshot, place, workspace)
    if names is not None:
        return [it.location for it in names.places if include_declaration or not it.defines]
    return _anchor_references(snapshot, place, include_declaration=include_declaration)


def _anchor_references(
    snapshot: Snapshot, place: Place, *, include_declaration: bool
) -> list[types.Location]:
    found = anchor_occurrences(snapshot.tree, snapshot.text, place)
    if found is None:
        return []
    spans = [*(found.definitions if include_declaration else ()), *found.uses]
    return [types.Location(snapshot.uri, snapshot.range(it)) for it in sorted(spans)]
