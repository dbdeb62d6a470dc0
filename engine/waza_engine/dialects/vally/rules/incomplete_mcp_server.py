"""Check `incomplete-mcp-server` in vally files: the servers of all environments."""

from collections.abc import Iterator

from waza_engine.dialects.vally.checks.stimuli import environments
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding
from waza_engine.project.document import Document
from waza_engine.rules.incomplete_mcp_server import incomplete_servers

APPLIES = frozenset(["eval", "project"])


def check(document: Document) -> Iterator[Finding]:
    for place in _environments(document):
        yield from incomplete_servers(document, (*place, "mcpServers"))


def _environments(document: Document) -> Iterator[Pointer]:
    if document.kind == "eval":
        yield from environments(document)
    else:
        yield from (("environments", it) for it in document.mapping("environments"))
