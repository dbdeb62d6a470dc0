"""`textDocument/prepareRename`: the range of the name under the cursor if it can be renamed."""

from lsprotocol import types

from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.rename import rename_target
from waza_lsp.workspace.workspace import WorkspaceFiles


def prepare_rename(
    snapshot: Snapshot, position: types.Position, workspace: WorkspaceFiles, *, generic: bool = True
) -> types.PrepareRenamePlaceholder | None:
    """Return the range and the current name, or None if nothing can be renamed."""
    found = rename_target(snapshot, snapshot.place(position), workspace, generic=generic)
    return (
        types.PrepareRenamePlaceholder(snapshot.range(found.span), found.name) if found is not None else None
    )
