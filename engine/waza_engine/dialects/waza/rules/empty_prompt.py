"""An empty prompt.

## Why
The agent gets nothing to do, but waza runs the task anyway.

## Example
```yaml
id: first
name: First
inputs:
  prompt: ""
```

## Instead
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
```
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.model.findings import HERE, Finding, Rule, Severity
from waza_engine.project.document import Document

EMPTY_PROMPT = Rule("empty-prompt", "empty prompt", Severity.HINT, needs=frozenset([HERE]))
APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, _, _ in document.task_results(_has_blank_prompt):
        yield EMPTY_PROMPT.at(
            (*task, "inputs", "prompt"), "The prompt is empty, so the agent gets nothing to do"
        )


def _has_blank_prompt(document: Document, task: Mapping[str, Any]) -> bool:
    inputs = document.entry(task).mapping("inputs")
    prompt = inputs.get("prompt")
    # A prompt without a value counts as missing, which is reported already.
    return isinstance(prompt, str) and not prompt.strip() and not inputs.get("prompt_file")
