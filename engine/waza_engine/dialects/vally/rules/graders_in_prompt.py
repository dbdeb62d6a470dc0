"""Graders that are part of the prompt.

## Why
Without the line `graders:`, the list below a block text belongs to the text: the agent gets it as part of its prompt, and
nothing is checked.

## Example
```yaml
name: notes
stimuli:
  - name: explains-the-script
    prompt: |
      Explain what deploy.sh does.
      - type: output-contains
        config: {substring: rolls out}
scoring:
  threshold: 1
```

## Instead
```yaml
name: notes
stimuli:
  - name: explains-the-script
    prompt: |
      Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
scoring:
  threshold: 1
```
"""

from collections.abc import Iterator

from waza_engine.dialects.vally.checks.prompt_graders import line_of_graders
from waza_engine.model.findings import HERE, Finding, Fix, Rule, Severity, SplitText
from waza_engine.project.document import Document

GRADERS_IN_PROMPT = Rule(
    "graders-in-prompt", "graders that are part of the prompt", Severity.WARNING, needs=frozenset([HERE])
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    for pointer, stimulus in document.tasks():
        place = (*pointer, "prompt")
        line = line_of_graders(document.text(*place), document.dialect)
        if line and not stimulus.get("graders"):
            message = "The agent gets these graders as part of its prompt. Write 'graders:' above them"
            fix = Fix("Insert 'graders:'", (SplitText(place, line, "graders"),), preferred=True)
            yield GRADERS_IN_PROMPT.at(place, message, fixes=[fix] if "graders" not in stimulus else [])
