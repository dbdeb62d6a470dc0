"""A mock with the same name as a live MCP server.

## Why
The mock replaces the server, so the agent never reaches the live one. If that is what you want, you do not need the
entry under `mcp_servers`.

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
    tickets: {command: tickets-server}
tasks: ["tasks/*.yaml"]
mcp_mocks:
  - name: tickets
    tools:
      find:
        responses:
          - return: {open: 3}
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
tasks: ["tasks/*.yaml"]
mcp_mocks:
  - name: tickets
    tools:
      find:
        responses:
          - return: {open: 3}
```
"""

from collections.abc import Iterator

from waza_engine.model.findings import Finding, Fix, RemoveKey, Rule, Severity
from waza_engine.project.document import Document

SHADOWED_SERVER = Rule("shadowed-server", "mock with the same name as a live server", Severity.WARNING)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    servers = document.mapping("config", "mcp_servers")
    # A task's mocks replace servers for that task only, so only the eval's make them unreachable.
    for pointer, mock in document.mappings("mcp_mocks"):
        name = mock.get("name")
        if isinstance(name, str) and name.strip() in servers:
            server = ("config", "mcp_servers", name.strip())
            fix = Fix("Remove the live server", (RemoveKey(server),))
            message = f"This mock replaces the live server '{name.strip()}', so the agent never reaches it"
            yield SHADOWED_SERVER.at(
                (*pointer, "name"), message, fixes=[fix], related=[(server, "the live server")]
            )
