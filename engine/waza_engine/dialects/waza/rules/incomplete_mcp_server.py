"""Check `incomplete-mcp-server` in waza files."""

from collections.abc import Iterator

from waza_engine.model.findings import Finding
from waza_engine.project.document import Document
from waza_engine.rules.incomplete_mcp_server import incomplete_servers

APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    yield from incomplete_servers(document, ("config", "mcp_servers"))
