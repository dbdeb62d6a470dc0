"""A key that has no effect because another key is present or missing.

## Why
waza accepts the key and silently ignores it.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
  parallel: true
  fail_fast: true
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
  fail_fast: true
tasks: ["tasks/*.yaml"]
```
"""

from collections.abc import Iterator

from waza_engine.dialects.waza.checks.mocks import mcp_mocks
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import FALSE_WORDS, TRUE_WORDS
from waza_engine.model.findings import HERE, Finding, Rule, Severity, removal
from waza_engine.project.document import Document

IGNORED_KEY = Rule(
    "ignored-key",
    "key that has no effect",
    Severity.WARNING,
    frozenset(["unused"]),
    needs=frozenset(["tasks_from", HERE]),
)
APPLIES = frozenset(["eval"])
_WITH_MOCK = "with 'executor: mock', which uses no MCP servers"
"""Information: other executors of the same eval use them."""


def check(document: Document) -> Iterator[Finding]:
    for pointer, reason in _ignored_keys(document):
        severity = Severity.INFORMATION if reason == _WITH_MOCK else None
        message = f"'{pointer[-1]}' has no effect {reason}"
        yield IGNORED_KEY.at(pointer, message, on="key", fixes=[removal(pointer)], severity=severity)


def _ignored_keys(document: Document) -> Iterator[tuple[Pointer, str]]:
    if document.has("tasks_from"):
        if document.has("tasks"):
            yield ("tasks",), "together with 'tasks_from'"
    else:
        if document.has("range") and document.value("range") != [0, 0]:
            yield ("range",), "without 'tasks_from'"
        if document.has("inputs"):
            yield ("inputs",), "without 'tasks_from': only prompts in CSV files can use these variables"
    if _is_on(document, "fail_fast") and _is_on(document, "parallel"):
        yield ("config", "fail_fast"), "with 'parallel': waza does not stop tasks that are already running"
    if _is_on(document, "trigger_skill_routing") and not _is_off(document, "inject_skill_body"):
        yield ("config", "trigger_skill_routing"), "without 'inject_skill_body: false'"
    if document.value("config", "executor") == "mock":
        for pointer in (("config", "mcp_servers"), *mcp_mocks(document)):
            if document.has(*pointer):
                yield pointer, _WITH_MOCK


def _is_on(document: Document, key: str) -> bool:
    value = document.value("config", key)
    return value is True or (isinstance(value, str) and value in TRUE_WORDS)


def _is_off(document: Document, key: str) -> bool:
    value = document.value("config", key)
    return value is False or (isinstance(value, str) and value in FALSE_WORDS)
