"""The editor's support for `WorkspaceEdit`. Not every editor creates or renames files for a server."""

from dataclasses import dataclass

from lsprotocol import types


@dataclass(frozen=True, slots=True)
class Client:
    """The parts of a `WorkspaceEdit` that the editor supports."""

    document_changes: bool = True
    create_files: bool = True
    rename_files: bool = True

    @classmethod
    def of(cls, capabilities: types.ClientCapabilities) -> "Client":
        """Read the support from the capabilities that the editor announces."""
        workspace = capabilities.workspace
        edit = workspace.workspace_edit if workspace is not None else None
        if edit is None:
            return cls(document_changes=False, create_files=False, rename_files=False)
        operations = edit.resource_operations or ()
        return cls(
            # File operations need document changes. Neovim announces only the operations.
            document_changes=bool(edit.document_changes or operations),
            create_files=types.ResourceOperationKind.Create in operations,
            rename_files=types.ResourceOperationKind.Rename in operations,
        )


FULL_SUPPORT = Client()
