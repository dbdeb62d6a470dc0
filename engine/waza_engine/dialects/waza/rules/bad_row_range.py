"""A row range that selects no rows, or fewer rows than it says.

## Why
Rows count from 1, and both ends are included; `[0, 0]` means all rows. If only one end is zero, or the larger number
comes first, waza stops before it runs any task. An end beyond the last row is silently cut to the last row.

## Example
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
range: [2, 1]
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
range: [1, 2]
```

```text file=prompts.csv
id,prompt
one,Say hello.
two,Say goodbye.
```
"""

from collections.abc import Iterator

from waza_engine.dialects.waza.checks.dataset import dataset_of
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document

BAD_ROW_RANGE = Rule("bad-row-range", "row range that selects no rows")
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    ends = [(place, it) for place, it in document.items("range") if it is not None]
    limits = [it for _, it in ends]
    if not document.text("tasks_from") or not _are_two_numbers(limits) or limits == [0, 0]:
        return
    first, last = limits
    if first < 0 or last < 0:
        return
    if first == 0 or last < first:
        message = f"[{first}, {last}] is not a range. Rows count from 1, and the smaller number comes first"
        fixed = sorted([max(first, 1), max(last, 1)])
        fix = Fix(f"Change to {fixed}", (SetValue(("range",), fixed),))
        yield BAD_ROW_RANGE.at(("range",), message, fixes=[fix])
        return
    dataset = dataset_of(document)
    rows = len(dataset.rows) if dataset is not None and not dataset.error else last
    if first > rows:
        message = f"The range starts at row {first}, but the file has only {rows}, so the run cannot start"
        yield BAD_ROW_RANGE.at(("range",), message)
    elif last > rows:
        message = f"The range ends at row {last}, but the file has only {rows}"
        yield BAD_ROW_RANGE.at(ends[1][0], message, severity=Severity.WARNING)


def _are_two_numbers(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(it, int) and not isinstance(it, bool) for it in value)
    )
