"""The request `waza/document {uri}`: what an open document was recognised as, and why; None when it is no eval file."""

from typing import Any

from waza_lsp.server.app import WazaServer
from waza_lsp.server.given import members_of, text_in

METHOD = "waza/document"


def on_document(server: WazaServer, params: Any) -> dict[str, str] | None:
    """`{dialect, kind, reason}`, for the status line of an editor."""
    snapshot = server.documents.get(text_in(members_of(params), "uri"))
    found = snapshot.recognised if snapshot is not None else None
    if found is None:
        return None
    return {"dialect": found.form.dialect, "kind": found.form.kind, "reason": found.reason}
