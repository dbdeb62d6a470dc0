"""A stimulus that nothing checks.

## Why
Without graders and constraints, every answer of the agent passes.

## Example
```yaml
name: notes
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
scoring:
  threshold: 1
```

## Instead
```yaml
name: notes
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
scoring:
  threshold: 1
```
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.dialects.vally.checks.prompt_graders import line_of_graders
from waza_engine.dialects.vally.checks.stimuli import whole_spec
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.spelling import nearest
from waza_engine.model.findings import HERE, Finding, Fix, InsertKey, Rule, Severity
from waza_engine.project.document import Document

UNCHECKED_STIMULUS = Rule(
    "unchecked-stimulus",
    "stimulus that nothing checks",
    Severity.WARNING,
    needs=frozenset(["graders", "defaults", "config", HERE]),
)
APPLIES = frozenset(["eval"])
_CHECKS = ("graders", "constraints")
_PLACES = ("graders", "name", "prompt", "turns")
_PLACEHOLDER = [{"type": "output-contains", "config": {"substring": "the words to look for"}}]


def check(document: Document) -> Iterator[Finding]:
    # With 0 runs the spec is only linted.
    if document.value("graders") or 0 in {document.value(it, "runs") for it in ("defaults", "config")}:
        return
    if whole_spec(document) is not None:
        return  # The graders may be those of the whole spec.
    for pointer, stimulus in document.tasks():
        if not (_is_checked(stimulus) or _has_graders_in_prompt(document, pointer)):
            place = next((it for it in _PLACES if it in stimulus), None)
            at = (*pointer, place) if place is not None else pointer
            fixes = [] if "graders" in stimulus else [_fix(pointer)]
            message = "Nothing checks this stimulus, so every answer passes. Add graders"
            yield UNCHECKED_STIMULUS.at(at, message, on="key", fixes=fixes)


def _has_graders_in_prompt(document: Document, pointer: Pointer) -> bool:
    return bool(line_of_graders(document.text(*pointer, "prompt"), document.dialect))


def _fix(pointer: Pointer) -> Fix:
    return Fix("Add words that the output must contain", (InsertKey(pointer, "graders", _PLACEHOLDER),))


def _is_checked(stimulus: Mapping[str, Any]) -> bool:
    """Whether a stimulus has checks, or a misspelt key that should hold them."""
    if any(stimulus.get(it) for it in _CHECKS):
        return True
    return any(it not in _CHECKS and nearest(str(it), _CHECKS) for it in stimulus) or "expected" in stimulus
