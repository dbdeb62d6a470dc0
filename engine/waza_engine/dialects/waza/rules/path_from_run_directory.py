"""A path that works only if you run waza from the eval's folder.

## Why
`schema_file`, `skill_path` and snapshots are relative to the directory you run waza from, not to the eval. A run from
the project root, as in CI, does not find the file.

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
graders:
  - type: json_schema
    name: report
    config:
      schema_file: schemas/report.json
```

```text file=schemas/report.json
{"type": "object"}
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
  - type: json_schema
    name: report
    config:
      schema_file: evals/schemas/report.json
```

```text file=schemas/report.json
{"type": "object"}
```
"""

from collections.abc import Iterator

from waza_engine.dialects.waza.checks.run_paths import PathStatus, run_path
from waza_engine.dialects.waza.rules.missing_file import files_of
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document

PATH_FROM_RUN_DIRECTORY = Rule(
    "path-from-run-directory", "path that works only from the eval's folder", Severity.INFORMATION
)
APPLIES = frozenset(["eval", "task"])


def check_grader(entry: Document, document: Document) -> Iterator[Finding]:
    for place, text, _kind in files_of(entry):
        resolved = run_path(document, text)
        if resolved.status is PathStatus.BESIDE_EVAL:
            # The path of a snapshot below a `context_dir` cannot be fixed on its own.
            is_whole = entry.value(*place) == text
            fix = Fix(f"Change to '{resolved.better}'", (SetValue(place, resolved.better),))
            message = f"'{text}' is relative to the directory you run waza from. From the project root it is '{resolved.better}'"
            yield PATH_FROM_RUN_DIRECTORY.at(place, message, fixes=[fix] if is_whole else [])
