"""`textDocument/definition`: the file of a path, the matches of a pattern, the definition of a name or alias."""

from lsprotocol import types

from waza_lsp.schema.paths import path_value_at
from waza_lsp.schema.references import anchor_occurrences, name_at
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span
from waza_lsp.workspace.references import definitions
from waza_lsp.workspace.workspace import WorkspaceFiles

_TOP = Span(Place(0, 0), Place(0, 0))


def definition(
    snapshot: Snapshot, position: types.Position, workspace: WorkspaceFiles, *, generic: bool = True
) -> list[types.Location]:
    """Return the targets at a position. Without `generic`, aliases are left to another YAML server."""
    form, place = snapshot.form, snapshot.place(position)
    if form is None:
        return []
    located = snapshot.tree.at(place)
    value = path_value_at(form, snapshot.tree, snapshot.path, workspace, located)
    if value is not None:
        found = [it for it in value.opened(workspace) if workspace.is_file(it)]
        return [types.Location(it.as_uri(), snapshot.range(_TOP)) for it in found]
    name = name_at(form, snapshot.tree, place)
    if name is not None:
        return [it.location for it in definitions(name, snapshot, workspace)]
    if not generic:
        return []
    anchors = anchor_occurrences(snapshot.tree, snapshot.text, place)
    return [types.Location(snapshot.uri, snapshot.range(it)) for it in anchors.definitions] if anchors else []
