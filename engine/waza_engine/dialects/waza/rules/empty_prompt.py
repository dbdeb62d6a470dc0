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

from collections.abc import Iterator

from waza_engine.model.findings import HERE, Finding, Rule, Severity
from waza_engine.project.document import Document

EMPTY_PROMPT = Rule("empty-prompt", "empty prompt", Severity.HINT, needs=frozenset([HERE]))
APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, _ in document.tasks():
        inputs = document.mapping(*task, "inputs")
        prompt = inputs.get("prompt")
        # A prompt without a value counts as missing, which is reported already.
        is_blank = isinstance(prompt, str) and not prompt.strip()
        if is_blank and not inputs.get("prompt_file"):
            yield EMPTY_PROMPT.at(
                (*task, "inputs", "prompt"), "The prompt is empty, so the agent gets nothing to do"
            )
