"""A key that the declared `schemaVersion` does not have yet.

## Why
waza refuses the file. Without `schemaVersion` the newest 1.x counts, which has all of them.

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

from waza_engine.checking.document import Document
from waza_engine.checking.suite_files import text_of
from waza_engine.findings import Finding, Fix, Related, Rule, SetValue
from waza_engine.formats.waza.loader_rules import NEEDS, TASK_NEEDS, parsed_version

KEY_NEWER_THAN_SCHEMA = Rule("key-newer-than-schema", "key that the declared version does not have")
APPLIES = {"waza": {"eval", "task"}}


def check(document: Document) -> Iterator[Finding]:
    suite = document.suite
    declared = document.value("schemaVersion")
    if document.kind == "task":
        declared = suite.eval.get("schemaVersion") if suite is not None else None
    text = text_of(declared)
    version = parsed_version(text)
    if version is None or version[0] != 1:
        return
    for key, since in (NEEDS if document.kind == "eval" else TASK_NEEDS).items():
        if version < since and document.has(key):
            needed = ".".join(str(it) for it in since)
            message = f"'{key}' needs schemaVersion {needed} or newer, but the eval says {text}"
            is_eval = document.kind == "eval"
            fixes = [Fix(f"Set schemaVersion to {needed}", (SetValue(("schemaVersion",), needed),))]
            path = suite.eval_path if suite is not None and not is_eval else None
            yield KEY_NEWER_THAN_SCHEMA.at(
                (key,),
                message,
                on="key",
                fixes=fixes if is_eval else [],
                related=[Related(("schemaVersion",), "declared here", path)],
            )
