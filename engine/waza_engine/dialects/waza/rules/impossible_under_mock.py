"""A grader that cannot pass with the mock executor.

## Why
The mock executor calls no tools, invokes no skills, and echoes the prompt, which is not JSON. A grader that needs any
of these fails in every run, however good the skill is. The run shows the failure, and other executors may pass, so
the level is information.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
tasks: ["tasks/*.yaml"]
graders:
  - type: behavior
    name: uses-bash
    config:
      required_tools: [bash]
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
graders:
  - type: behavior
    name: uses-bash
    config:
      required_tools: [bash]
```
"""

from collections.abc import Iterator

from waza_engine.dialects.waza.generations.meanings import newest_meaning
from waza_engine.graders.base import Demand
from waza_engine.model.findings import Finding, Rule, Severity
from waza_engine.project.document import Document

IMPOSSIBLE_UNDER_MOCK = Rule(
    "impossible-under-mock", "grader that cannot pass with the mock executor", Severity.INFORMATION
)
APPLIES = frozenset(["eval", "task"])
_LACKS = {
    Demand.TOOL_CALLS: "calls no tools",
    Demand.SKILLS: "invokes no skills",
    Demand.JSON: "echoes the prompt, which is not JSON",
}


def check_grader(entry: Document, document: Document) -> Iterator[Finding]:
    kind = newest_meaning(entry.value("type")) if document.executor == "mock" else None
    demanded = kind.first_demand(entry.mapping("config")) if kind is not None else None
    if demanded is not None:
        option, demand = demanded
        message = f"The mock executor {_LACKS[demand]}, so this grader fails in every run"
        yield IMPOSSIBLE_UNDER_MOCK.at(("config", option), message, on="key")
