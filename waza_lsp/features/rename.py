"""`textDocument/rename`: rename a grader, task, skill, anchor or file."""

from lsprotocol import types

from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.client import FULL_SUPPORT, Client
from waza_lsp.workspace.rename import rename_edit, rename_target
from waza_lsp.workspace.workspace import WorkspaceFiles


def rename(
    snapshot: Snapshot,
    position: types.Position,
    new_name: str,
    workspace: WorkspaceFiles,
    client: Client = FULL_SUPPORT,
) -> types.WorkspaceEdit | None:
    """Return the edits in all files.

    Raises:
        waza_lsp.workspace.rename.RenameError: the name is invalid or taken, or the editor cannot rename files.

    """
    found = rename_target(snapshot, snapshot.place(position), workspace)
    return rename_edit(found, new_name, snapshot, workspace, client) if found is not None else None
