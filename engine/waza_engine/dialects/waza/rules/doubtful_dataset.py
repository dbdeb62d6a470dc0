"""A CSV file of tasks that waza reads otherwise than it looks.

## Why
Without a column `prompt` every prompt is empty. A byte-order mark, or blanks after the commas of the first row, belong
to the column names, so that `id` or `prompt` is not found. Two rows with one id cannot be told apart in results.

## Example
With a blank before the name of the second column:

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
id, prompt
one,Say hello.
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

from waza_engine.dialects.waza.checks.dataset import dataset_of, dataset_path, doubts
from waza_engine.model.findings import Finding, Related, Rule, Severity
from waza_engine.project.document import Document

DOUBTFUL_DATASET = Rule(
    "doubtful-dataset", "CSV file that means something else than it seems", Severity.WARNING
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    dataset, path = dataset_of(document), dataset_path(document)
    if dataset is None or path is None or dataset.error:
        return
    found = doubts(dataset)
    if document.files.has_byte_order_mark(path):
        found.insert(
            0, f"a byte-order mark is part of the column name '{dataset.header[0]}'; save without it"
        )
    if found:
        related = [Related((), "this file", path)]
        yield DOUBTFUL_DATASET.at(
            ("tasks_from",), f"{document.text('tasks_from')}: {'; '.join(found)}", related=related
        )
