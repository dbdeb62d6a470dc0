"""A mock response without a result.

## Why
A tool answers with `return` or fails with `error`. A response with neither gives the agent an empty result, which is
rarely intended. A `sequence` has its results in its steps.

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
from waza_engine.dialects.waza.checks.sequences import SEQUENCE
from waza_engine.model.findings import HERE, Finding, Fix, InsertKey, Rule, Severity
from waza_engine.project.document import Document

EMPTY_MOCK_RESPONSE = Rule(
    "empty-mock-response", "mock response without a result", Severity.WARNING, needs=frozenset([HERE])
)
APPLIES = frozenset(["eval", "task"])


def check(document: Document) -> Iterator[Finding]:
    for response in mcp_responses(document):
        keys = document.mapping(*response)
        if keys.keys().isdisjoint(("return", "error", SEQUENCE)):
            message = "This response has neither 'return' nor 'error', so the agent gets an empty result"
            fixes = [Fix(f"Add '{it}'", (InsertKey(response, it, None),)) for it in ("return", "error")]
            yield EMPTY_MOCK_RESPONSE.at(response, message, fixes=fixes)
