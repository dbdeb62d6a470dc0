"""`workspace/willRenameFiles`: update the paths in eval files when the editor moves or renames files."""

from collections.abc import Sequence

from lsprotocol import types

from waza_lsp.snapshot import path_of
from waza_lsp.workspace.client import FULL_SUPPORT, Client
from waza_lsp.workspace.rename import move_files_edit
from waza_lsp.workspace.workspace import WorkspaceFiles


def will_rename_files(
    files: Sequence[types.FileRename], workspace: WorkspaceFiles, client: Client = FULL_SUPPORT
) -> types.WorkspaceEdit | None:
    """Return the edits that keep paths correct when files move."""
    paths = [(path_of(it.old_uri), path_of(it.new_uri)) for it in files]
    pairs = [(old, new) for old, new in paths if old is not None and new is not None]
    edit = move_files_edit(pairs, workspace, client)
    return edit if edit.document_changes or edit.changes else None
