"""A grader that can never pass with the mock executor.

## Why
The mock calls no tools, invokes no skills, and answers with an echo of the prompt that is no JSON. A grader that needs
any of these fails in every run, whatever the skill is worth.

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

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.checking.document import Document
from waza_engine.findings import Finding, Pointer, Rule, Severity

IMPOSSIBLE_UNDER_MOCK = Rule(
    "impossible-under-mock", "grader that cannot pass with the mock executor", Severity.WARNING
)
APPLIES = {"waza": {"eval", "task"}}
_NEEDS_CALLS = {
    "behavior": ("required_tools",),
    "action_sequence": ("expected_actions",),
    "tool_constraint": ("expect_tools",),
    "tool_calls": ("required_tools", "expect", "min_calls", "required"),
    "skill_invocation": ("required_skills",),
}
"""The options that ask for something the agent must have done."""


def check_grader(entry: Document, executor: str) -> Iterator[Finding]:
    if executor == "mock":
        yield from _impossible(("config",), entry.text("type"), entry.mapping("config"))


def _impossible(place: Pointer, kind: str, config: Mapping[str, Any]) -> Iterator[Finding]:
    asked = next((it for it in _NEEDS_CALLS.get(kind, ()) if config.get(it)), None)
    if asked is not None:
        what = "invokes no skills" if kind == "skill_invocation" else "calls no tools"
        message = f"The mock executor {what}: this grader fails in every run"
        yield IMPOSSIBLE_UNDER_MOCK.at((*place, asked), message, on="key")
    elif kind == "json_schema" and not config.get("extract_json"):
        message = "The mock executor echoes the prompt, which is no JSON: this grader fails in every run"
        option = next((it for it in ("schema", "schema_file") if config.get(it)), None)
        if option is not None:
            yield IMPOSSIBLE_UNDER_MOCK.at((*place, option), message, on="key")
