"""A request about an open document, as handlers get it."""

from dataclasses import dataclass
from typing import Any

from waza_lsp.server.session import Session
from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.workspace import WorkspaceFiles


@dataclass(frozen=True, slots=True)
class Request:
    """A request about an open document."""

    session: Session
    snapshot: Snapshot
    params: Any

    @property
    def workspace_files(self) -> WorkspaceFiles:
        """The files around the document."""
        return self.session.workspace.files_for(self.snapshot)

    def is_ours(self, feature: str) -> bool:
        """Whether no other server provides this feature (see `coexistence`)."""
        return feature not in self.session.configuration.beside
