"""A single check that looks for text from the prompt.

## Why
An agent that only repeats the question passes. Look for something that only an answer contains, or add another check.

## Example
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: deploy.sh}
```

## Instead
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
```
"""

from collections.abc import Iterator

from waza_engine.graders.registry import current_grader
from waza_engine.model.findings import Finding, Rule, Severity
from waza_engine.project.document import Document

ECHOED_TEXT = Rule("echoed-text", "check that the prompt itself passes", Severity.HINT)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    for stimulus, data in document.tasks():
        own, prompt = list(document.mappings(*stimulus, "graders")), data.get("prompt")
        if len(own) != 1 or not isinstance(prompt, str) or document.has("graders"):
            continue
        place, grader = own[0]
        kind, config = current_grader(document.dialect, str(grader.get("type"))), grader.get("config")
        for pointer in kind.echoed_checks(config, prompt) if kind and isinstance(config, dict) else ():
            message = (
                "The prompt contains this text and nothing else is checked, so an echo of the prompt passes"
            )
            yield ECHOED_TEXT.at((*place, "config", *pointer), message)
