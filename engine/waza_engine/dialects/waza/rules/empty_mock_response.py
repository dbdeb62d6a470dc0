"""A mocked answer that says nothing.

## Why
A tool answers with `return` or fails with `error`. A response with neither gives the agent an empty result, which is
hardly what was meant.

## Example
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
          - match: {id: 7}
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
          - match: {id: 7}
            return: {open: 3}
```
"""

from collections.abc import Iterator

from waza_engine.dialects.waza.checks.mocks import mcp_responses
from waza_engine.model.findings import HERE, Finding, Fix, InsertKey, Rule, Severity
from waza_engine.project.document import Document

EMPTY_MOCK_RESPONSE = Rule(
    "empty-mock-response", "mocked answer that says nothing", Severity.WARNING, needs=frozenset([HERE])
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    for response in mcp_responses(document):
        given = document.mapping(*response)
        if "return" not in given and "error" not in given:
            message = "This answer has neither 'return' nor 'error': the agent gets nothing"
            fixes = [Fix(f"Add '{it}'", (InsertKey(response, it, None),)) for it in ("return", "error")]
            yield EMPTY_MOCK_RESPONSE.at(response, message, fixes=fixes)
