"""`textDocument/rename`: another name for a grader, task, skill or anchor; another path for a file."""

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
    """All edits, in every file.

    Raises:
        waza_lsp.workspace.rename.RenameError: the name cannot be used, something else has it, or the editor cannot do it.

    """
    found = rename_target(snapshot, snapshot.place(position), workspace)
    return rename_edit(found, new_name, snapshot, workspace, client) if found is not None else None
