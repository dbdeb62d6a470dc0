"""A CSV file of tasks that waza cannot use.

## Why
The rows differ in length, a quote is misplaced, or a prompt's template names an unknown variable. The run stops before
the first task.

## Example
With a row that has three cells:

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
one,Say hello, please.
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
one,"Say hello, please."
```
"""

from collections.abc import Iterator

from waza_engine.dialects.waza.checks.dataset import Dataset, dataset_of, dataset_path, template_problem
from waza_engine.model.findings import Finding, Related, Rule
from waza_engine.project.document import Document

BROKEN_DATASET = Rule("broken-dataset", "CSV file that waza cannot use")
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    dataset = dataset_of(document)
    if dataset is None:
        return
    problem = dataset.error or template_problem(document, dataset, *_selected_rows(document, dataset))
    if problem:
        related = [Related((), "this file", dataset_path(document))]
        yield BROKEN_DATASET.at(("tasks_from",), f"{document.text('tasks_from')}: {problem}", related=related)


def _selected_rows(document: Document, dataset: Dataset) -> tuple[int, int]:
    first, last = document.value("range", 0), document.value("range", 1)
    if isinstance(first, int) and isinstance(last, int) and 1 <= first <= last:
        return first, last
    return 1, len(dataset.rows)
