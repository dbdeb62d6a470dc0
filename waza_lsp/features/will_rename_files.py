"""`workspace/willRenameFiles`: the paths in eval files follow files that are moved or renamed in the editor."""

from collections.abc import Sequence

from lsprotocol import types

from waza_lsp.snapshot import path_of
from waza_lsp.workspace.client import FULL_SUPPORT, Client
from waza_lsp.workspace.rename import move_files_edit
from waza_lsp.workspace.workspace import WorkspaceFiles


def will_rename_files(
    files: Sequence[types.FileRename], workspace: WorkspaceFiles, client: Client = FULL_SUPPORT
) -> types.WorkspaceEdit | None:
    """The edits that keep paths true when files are moved."""
    paths = [(path_of(it.old_uri), path_of(it.new_uri)) for it in files]
    pairs = [(old, new) for old, new in paths if old is not None and new is not None]
    edit = move_files_edit(pairs, workspace, client)
    return edit if edit.document_changes or edit.changes else None
