"""A key that is newer than the declared `schemaVersion`.

## Why
waza refuses the file. Without a `schemaVersion`, waza assumes the newest 1.x, which has all keys.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
schemaVersion: "1.0"
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
schemaVersion: "1.4"
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

from waza_engine.dialects.waza.formats.loading.conditions import NEEDS, TASK_NEEDS, parse_version
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, Related, Rule, SetValue
from waza_engine.project.document import Document
from waza_engine.project.suite_files import text_of

KEY_NEWER_THAN_SCHEMA = Rule("key-newer-than-schema", "key that is newer than the declared version")
APPLIES = frozenset(["eval", "task"])


def check(document: Document) -> Iterator[Finding]:
    suite, is_eval = document.suite, document.kind == "eval"
    declared = document.value("schemaVersion")
    if not is_eval:
        declared = suite.eval.get("schemaVersion") if suite is not None else None
    text = text_of(declared)
    version = parse_version(text)
    if version is None or version[0] != 1:
        return
    path = suite.eval_path if suite is not None and not is_eval else None
    for pointer, since in _keys(document):
        if version < since and document.has(*pointer):
            needed = ".".join(str(it) for it in since)
            message = f"'{pointer[-1]}' needs schemaVersion {needed} or newer, but the eval declares {text}"
            fixes = [Fix(f"Set schemaVersion to {needed}", (SetValue(("schemaVersion",), needed),))]
            yield KEY_NEWER_THAN_SCHEMA.at(
                pointer,
                message,
                on="key",
                fixes=fixes if is_eval else [],
                related=[Related(("schemaVersion",), "declared here", path)],
            )


def _keys(document: Document) -> Iterator[tuple[Pointer, tuple[int, int]]]:
    """Yield the place of each key that older versions lack, with the first version that has it."""
    if document.kind == "eval":
        yield from (((key,), since) for key, since in NEEDS.items())
    for task, _ in document.tasks_with(*TASK_NEEDS):
        yield from (((*task, key), since) for key, since in TASK_NEEDS.items())
