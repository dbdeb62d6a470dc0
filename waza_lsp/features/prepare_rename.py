"""`textDocument/prepareRename`: whether what is under the cursor can be renamed, and the stretch that is its name."""

from lsprotocol import types

from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.rename import rename_target
from waza_lsp.workspace.workspace import WorkspaceFiles


def prepare_rename(
    snapshot: Snapshot, position: types.Position, workspace: WorkspaceFiles, *, generic: bool = True
) -> types.PrepareRenamePlaceholder | None:
    """What would be renamed at a position; None when nothing can be."""
    found = rename_target(snapshot, snapshot.place(position), workspace, generic=generic)
    return (
        types.PrepareRenamePlaceholder(snapshot.range(found.span), found.name) if found is not None else None
    )
