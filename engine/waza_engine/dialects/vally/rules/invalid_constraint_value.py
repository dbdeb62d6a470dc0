"""A tool or skill that a run must use and must not use.

## Why
No run can satisfy both, so vally refuses the spec (`invalid-constraint-value`).

## Example
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    constraints: {expect_tools: [bash], reject_tools: [bash, edit]}
    graders:
      - type: output-contains
        config: {substring: rolls out}
```

## Instead
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    constraints: {expect_tools: [bash], reject_tools: [edit]}
    graders:
      - type: output-contains
        config: {substring: rolls out}
```
"""

from collections.abc import Iterator

from waza_engine.model.findings import Finding, Fix, RemoveKey, Rule
from waza_engine.project.document import Document

INVALID_CONSTRAINT_VALUE = Rule("invalid-constraint-value", "constraints that no run can satisfy")
APPLIES = frozenset(["eval"])
_PAIRS = (("expect_tools", "reject_tools"), ("expect_skills", "reject_skills"))


def check(document: Document) -> Iterator[Finding]:
    for stimulus, _ in document.tasks():
        for expect, reject in _PAIRS:
            expected = {text: place for place, text in document.texts(*stimulus, "constraints", expect)}
            for place, text in document.texts(*stimulus, "constraints", reject):
                if text in expected or (text == "*" and expected):
                    related = [(expected.get(text) or next(iter(expected.values())), "expected here")]
                    fix = Fix(f"Remove '{text}' from '{reject}'", (RemoveKey(place),))
                    message = f"'{reject}' forbids '{text}', but '{expect}' requires it, so every run fails"
                    yield INVALID_CONSTRAINT_VALUE.at(place, message, related=related, fixes=[fix])
