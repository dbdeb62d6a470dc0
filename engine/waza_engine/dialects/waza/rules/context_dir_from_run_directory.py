"""A `context_dir` of a task, which starts where the run is started.

## Why
Nearly all other paths of a task start at the eval or at the task file. This one starts at the folder in which the run is
started, so it may be right on one machine and wrong in CI.

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

from waza_engine.dialects.waza.checks.run_paths import Standing, run_path
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document

CONTEXT_DIR_FROM_RUN_DIRECTORY = Rule(
    "context-dir-from-run-directory", "context_dir, which starts where the run is started", Severity.HINT
)
APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, data in document.tasks():
        text = data.get("context_dir")
        if not isinstance(text, str) or not text:
            continue
        place, found = (*task, "context_dir"), run_path(document, text)
        message, fixes, severity = (
            "This path starts where the run is started, not at this file",
            [],
            Severity.HINT,
        )
        if found.standing is Standing.BESIDE_EVAL:
            message += f"; from the project's folder it is '{found.better}'"
            fixes = [Fix(f"Change to '{found.better}'", (SetValue(place, found.better),))]
            severity = Severity.WARNING
        elif found.standing is Standing.MISSING:
            message += ", and there is no such folder"
            severity = Severity.WARNING
        yield CONTEXT_DIR_FROM_RUN_DIRECTORY.at(place, message, fixes=fixes, severity=severity)
