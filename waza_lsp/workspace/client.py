"""What the editor can take of a `WorkspaceEdit`: not every editor makes or renames files for a server."""

from dataclasses import dataclass

from lsprotocol import types


@dataclass(frozen=True, slots=True)
class Client:
    """What the editor can take."""

    document_changes: bool = True
    create_files: bool = True
    rename_files: bool = True

    @classmethod
    def of(cls, capabilities: types.ClientCapabilities) -> "Client":
        """What the editor says of itself."""
        workspace = capabilities.workspace
        edit = workspace.workspace_edit if workspace is not None else None
        if edit is None:
            return cls(document_changes=False, create_files=False, rename_files=False)
        operations = edit.resource_operations or ()
        return cls(
            # Operations on files come in document changes only: Neovim names them without naming those.
            document_changes=bool(edit.document_changes or operations),
            create_files=types.ResourceOperationKind.Create in operations,
            rename_files=types.ResourceOperationKind.Rename in operations,
        )


FULL_SUPPORT = Client()
