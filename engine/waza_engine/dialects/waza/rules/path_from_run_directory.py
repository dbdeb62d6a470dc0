"""A path that is right only when the run is started in the folder of the eval.

## Why
`schema_file`, `skill_path` and snapshots start where the run is started, not at the eval. A run from the root of the
project, as in CI, does not find the file.

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

from waza_engine.dialects.waza.checks.run_paths import Standing, run_path
from waza_engine.dialects.waza.rules.missing_file import files_of
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document

PATH_FROM_RUN_DIRECTORY = Rule(
    "path-from-run-directory", "path that is right in one starting folder only", Severity.WARNING
)
APPLIES = frozenset(["eval", "task"])


def check_grader(entry: Document, document: Document) -> Iterator[Finding]:
    for place, text, _kind in files_of(entry):
        standing = run_path(document, text)
        if standing.standing is Standing.BESIDE_EVAL:
            # A snapshot below a `context_dir` cannot be mended alone.
            is_whole = entry.value(*place) == text
            fix = Fix(f"Change to '{standing.better}'", (SetValue(place, standing.better),))
            message = f"'{text}' starts where the run is started; from the project's folder it is '{standing.better}'"
            yield PATH_FROM_RUN_DIRECTORY.at(place, message, fixes=[fix] if is_whole else [])
