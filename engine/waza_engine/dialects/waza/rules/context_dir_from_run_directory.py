"""A task's `context_dir`, which is relative to the directory you run waza from.

## Why
Nearly all other paths in a task are relative to the eval or to the task file. This one is relative to the directory you
run waza from, so it can work on your machine and fail in CI.

## Example
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
context_dir: evals/fixtures/other
```

## Instead
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
  files:
    - path: other/notes.txt
      content: "budget: 4200"
```
"""

from collections.abc import Iterator

from waza_engine.dialects.waza.checks.run_paths import PathStatus, run_path
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document

CONTEXT_DIR_FROM_RUN_DIRECTORY = Rule(
    "context-dir-from-run-directory", "context_dir, which depends on where you run waza", Severity.HINT
)
APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, data in document.tasks_with("context_dir"):
        text = data.get("context_dir")
        if not isinstance(text, str) or not text:
            continue
        place, resolved = (*task, "context_dir"), run_path(document, text)
        message = f"'{text}' is relative to the directory you run waza from, not to this file"
        fixes, severity = [], Severity.HINT
        if resolved.status is PathStatus.BESIDE_EVAL:
            message += f"; from the project root it is '{resolved.better}'"
            fixes = [Fix(f"Change to '{resolved.better}'", (SetValue(place, resolved.better),))]
            severity = Severity.WARNING
        elif resolved.status is PathStatus.MISSING:
            message += "; no such folder exists there"
            severity = Severity.WARNING
        yield CONTEXT_DIR_FROM_RUN_DIRECTORY.at(place, message, fixes=fixes, severity=severity)
