"""A CSV file of tasks that does not exist.

## Why
`tasks_from` is relative to the eval's folder and must stay inside it. Without the file, the run cannot start.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks_from: prompt.csv
graders:
  - type: text
    name: polite
    config:
      contains: [please]
```

```text file=prompts.csv
id,prompt
one,Say hello.
two,Say goodbye.
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
tasks_from: prompts.csv
graders:
  - type: text
    name: polite
    config:
      contains: [please]
```

```text file=prompts.csv
id,prompt
one,Say hello.
two,Say goodbye.
```
"""

from collections.abc import Iterator

from waza_engine.dialects.waza.checks.dataset import dataset_path
from waza_engine.lib.spelling import nearest
from waza_engine.model.findings import Finding, Fix, Rule, SetValue
from waza_engine.project.document import Document

MISSING_DATASET = Rule("missing-dataset", "CSV file of tasks that does not exist")
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    text, folder = document.text("tasks_from"), document.folder
    if not text or folder is None:
        return
    path = dataset_path(document)
    if path is None:
        message = f"'{text}' is outside {folder.name}/, the eval's folder, so the run cannot start"
        yield MISSING_DATASET.at(("tasks_from",), message)
    elif not document.files.is_file(path):
        tables = [it for it in document.files.names(path.parent) if it.endswith(".csv")]
        close = [it for it in tables if it in nearest(path.name, tables)]
        fixes = [Fix(f"Change to '{it}'", (SetValue(("tasks_from",), _beside(text, it)),)) for it in close]
        message = f"'{text}' not found in {folder.name}/, so the run cannot start"
        yield MISSING_DATASET.at(("tasks_from",), message, fixes=fixes)


def _beside(text: str, name: str) -> str:
    head, slash, _ = text.rpartition("/")
    return f"{head}{slash}{name}"
