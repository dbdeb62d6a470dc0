"""An MCP server without the command or URL that it needs.

## Why
A local server needs a `command`; a remote server (`type: http` or `sse`) needs a `url`. Otherwise the agent runs
without the server's tools, or does not start.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
  mcp_servers:
    tickets:
      type: http
tasks: ["tasks/*.yaml"]
```

## Instead
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
  mcp_servers:
    tickets:
      type: http
      url: https://tickets.example/mcp
tasks: ["tasks/*.yaml"]
```
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import HERE, Finding, Fix, InsertKey, Rule, Severity
from waza_engine.project.document import Document

INCOMPLETE_MCP_SERVER = Rule(
    "incomplete-mcp-server",
    "MCP server without its command or URL",
    Severity.WARNING,
    needs=frozenset([HERE]),
)
_NEEDS = {"http": "url", "sse": "url", "stdio": "command", "local": "command"}


def incomplete_servers(document: Document, place: Pointer) -> Iterator[Finding]:
    """Report incomplete servers in the mapping at `place`."""
    for name, server in document.mapping(*place).items():
        # A server without a value counts as an empty mapping.
        if server is None or isinstance(server, Mapping):
            yield from _missing_key((*place, name), server or {})


def _missing_key(place: Pointer, server: Mapping[str, Any]) -> Iterator[Finding]:
    kind = server.get("type") or ("http" if server.get("url") else "stdio")
    needed = _NEEDS.get(kind) if isinstance(kind, str) else None
    if needed is not None and not server.get(needed):
        fix = Fix(f"Add '{needed}'", (InsertKey(place, needed, None),), preferred=True)
        message = f"The server '{place[-1]}' has the type '{kind}' and needs '{needed}'"
        yield INCOMPLETE_MCP_SERVER.at(place, message, on="key", fixes=[fix])
