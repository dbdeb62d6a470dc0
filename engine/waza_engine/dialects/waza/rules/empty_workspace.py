"""A prompt that names relative paths although the workspace is empty.

## Why
Since 0.34, waza stops such a run with an error before the agent starts: the prompt contains `./` or `../`, but nothing
is put into the workspace. waza does not copy the whole fixtures folder.

## Example
```yaml
id: first
name: First
inputs:
  prompt: Summarize ./notes.txt in one sentence.
```

## Instead
```yaml
id: first
name: First
inputs:
  prompt: Summarize ./notes.txt in one sentence.
  files:
    - path: notes.txt
      content: "budget: 4200"
```
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.dialects.waza.checks.resources import has_workspace_files
from waza_engine.model.findings import HERE, Finding, Rule, Severity
from waza_engine.project.document import Document

EMPTY_WORKSPACE = Rule(
    "empty-workspace", "prompt with paths into an empty workspace", Severity.WARNING, needs=frozenset([HERE])
)
RELATIVE_PATH_IN_PROMPT = (
    "The prompt names a relative path, but the workspace is empty. List the files in 'inputs.files'"
)
"""The finding's message, which the loader also gives as the reason for not running the task."""
APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, _, _ in document.task_results(_has_relative_path):
        if not has_workspace_files(document, task):
            yield EMPTY_WORKSPACE.at((*task, "inputs", "prompt"), RELATIVE_PATH_IN_PROMPT)


def _has_relative_path(document: Document, task: Mapping[str, Any]) -> bool:
    # "../" ends with "./" as well.
    return "./" in document.entry(task).text("inputs", "prompt")
