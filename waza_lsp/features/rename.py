"""`textDocument/rename`: another name for a grader, task, skill or anchor; another path for a file."""

from lsprotocol import types

from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.client import ABLE, Client
from waza_lsp.workspace.rename import renamable, renamed
from waza_lsp.workspace.workspace import Around


def rename(
    snapshot: Snapshot, position: types.Position, new_name: str, around: Around, client: Client = ABLE
) -> types.WorkspaceEdit | None:
    """All edits, in every file.

    Raises:
        waza_lsp.workspace.rename.CannotRename: the name cannot be used, something else has it, or the editor cannot do it.

    """
    found = renamable(snapshot, snapshot.place(position), around)
    return renamed(found, new_name, snapshot, around, client) if found is not None else None
