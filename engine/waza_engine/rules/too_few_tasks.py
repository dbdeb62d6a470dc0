"""A comparison with so few tasks that no result can show a difference.

## Why
With fewer than 6 tasks, chance alone too often lets one side win all of them. In 2 of 32 comparisons of equal agents, all
of 5 tasks go to the same side. `waza-lsp compare` then says *cannot be shown with this many*. More trials do not
help, because the trials of a task count as one pair. See [How sure is this?](../how-sure-is-this.md).

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 5
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
baseline: true
tasks: ["tasks/*.yaml"]
```

```yaml file=tasks/first.yaml
id: first
name: First task
inputs:
  prompt: Take notes of this meeting.
graders:
  - type: text
    name: has-decisions
    config:
      contains: [Decisions]
```

## Instead
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 5
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
baseline: true
tasks_from: prompts.csv
graders:
  - type: text
    name: has-decisions
    config:
      contains: [Decisions]
```

```text file=prompts.csv
prompt
Take notes of the first meeting.
Take notes of the second meeting.
Take notes of the third meeting.
Take notes of the fourth meeting.
Take notes of the fifth meeting.
Take notes of the sixth meeting.
```
"""

from collections.abc import Iterator

from waza_engine.lib.plurals import counted
from waza_engine.model.findings import Finding, Rule, Severity
from waza_engine.project.document import Document
from waza_engine.recognition.sample import Sample

TOO_FEW_TASKS = Rule("too-few-tasks", "comparison with too few tasks to show a difference", Severity.HINT)
APPLIES = frozenset(["eval", "experiment"])


def check(document: Document) -> Iterator[Finding]:
    sample = document.sample
    if sample is not None and cannot_compare(sample):
        # Imported late, here and below: most evals compare nothing.
        from waza_engine.statistics.power import fewest_tasks

        message = (
            f"With {counted(sample.tasks, 'task')}, no result of this comparison can show a difference, however many trials each "
            f"has. It takes at least {fewest_tasks()} tasks"
        )
        yield TOO_FEW_TASKS.at(sample.comparison, message, on="key")


def cannot_compare(sample: Sample) -> bool:
    """Whether the file compares runs of so few tasks that the verdict is known before."""
    if not sample.comparison:
        return False
    from waza_engine.statistics.power import fewest_tasks

    return 0 < sample.tasks < fewest_tasks()
