"""An MCP server that cannot be reached.

## Why
A local server needs a `command`, one in the network (`type: http` or `sse`) a `url`. Otherwise the agent runs without
its tools, or does not start.

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

from waza_engine.checking.document import Document
from waza_engine.findings import Finding, Fix, InsertKey, Rule, Severity

INCOMPLETE_MCP_SERVER = Rule("incomplete-mcp-server", "MCP server that cannot be reached", Severity.WARNING)
APPLIES = {"waza": {"eval"}}
_BASE = ("config", "mcp_servers")
_NEEDS = {"http": "url", "sse": "url", "stdio": "command", "local": "command"}


def check(document: Document) -> Iterator[Finding]:
    for name, server in document.mapping(*_BASE).items():
        if not isinstance(server, Mapping):
            continue
        kind = server.get("type") or ("http" if server.get("url") else "stdio")
        needed = _NEEDS.get(kind) if isinstance(kind, str) else None
        if needed is not None and not server.get(needed):
            fix = Fix(f"Add '{needed}'", (InsertKey((*_BASE, name), needed, None),), preferred=True)
            message = f"A server of type '{kind}' needs '{needed}'"
            yield INCOMPLETE_MCP_SERVER.at((*_BASE, name), message, on="key", fixes=[fix])
