"""A CSV file of tasks that waza may not read as you expect.

## Why
Without a `prompt` column, every prompt is empty. A byte-order mark, or a blank after a comma in the first row, becomes
part of the column name, so waza does not find `id` or `prompt`. If two rows have the same id, their results cannot be
told apart.

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

from waza_engine.dialects.waza.checks.dataset import dataset_doubts, dataset_of, dataset_path
from waza_engine.model.findings import Finding, Related, Rule, Severity
from waza_engine.project.document import Document

DOUBTFUL_DATASET = Rule("doubtful-dataset", "CSV file that waza may not read as you expect", Severity.WARNING)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    dataset, path = dataset_of(document), dataset_path(document)
    if dataset is None or path is None or dataset.error:
        return
    problems = dataset_doubts(dataset)
    if document.files.has_byte_order_mark(path):
        problems.insert(
            0,
            f"the column name '{dataset.header[0]}' begins with a byte-order mark; save the file without it",
        )
    if problems:
        related = [Related((), "this file", path)]
        yield DOUBTFUL_DATASET.at(
            ("tasks_from",), f"{document.text('tasks_from')}: {'; '.join(problems)}", related=related
        )
