"""A grader name that vally refuses.

## Why
Since 0.16, vally refuses names that are not kebab-case (`names-the-group`), are longer than 60 characters, or occur
twice in one stimulus. Older versions accept any name. See docs/reference/vally-newest.md, section 2.5.

## Example
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        name: Names the group
        config: {substring: deploy-group}
```

## Instead
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        name: names-the-group
        config: {substring: deploy-group}
```
"""

import re
from collections.abc import Iterator

from waza_engine.dialects.vally.grader_names import MAX_LENGTH, SLUG, slug_of
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Change, Finding, Fix, RenameKey, Rule, SetValue, Severity
from waza_engine.model.placeholders import has_placeholder
from waza_engine.project.document import Document

BAD_GRADER_NAME = Rule("bad-grader-name", "grader name that vally refuses", fixable=True)
APPLIES = frozenset(["eval"])

_WEIGHTS = ("scoring", "weights")
_DOUBTFUL = re.compile(r"[^\W_A-Z]([^\W_A-Z]|-)*")
"""The exact pattern is not documented: whether hyphens may be doubled or last, and which letters count."""


def check(document: Document) -> Iterator[Finding]:
    lists: list[Pointer] = [("graders",), *((*stimulus, "graders") for stimulus, _ in document.tasks())]
    for way in lists:
        names = [
            (place, str(it["name"])) for place, it in document.mappings(*way) if _is_name(it.get("name"))
        ]
        taken = {name for _, name in names}
        seen: set[str] = set()
        for place, name in names:
            if problem := _problem(name, seen):
                message, severity = problem
                slug = slug_of(name, taken)
                taken.add(slug)
                # The name is a label of the verdict, so a new one changes no verdict.
                changes = (SetValue((*place, "name"), slug), *_renamed_weight(document, name, slug))
                fix = Fix(f"Change to '{slug}'", changes, preferred=True, safe=True)
                yield BAD_GRADER_NAME.at((*place, "name"), message, fixes=[fix], severity=severity)
            seen.add(name)


def _renamed_weight(document: Document, name: str, slug: str) -> Iterator[Change]:
    """Yield the change of a weight with the grader's name. Weights are for types, but some authors write names."""
    weights = document.mapping(*_WEIGHTS)
    if name in weights and slug not in weights:
        yield RenameKey((*_WEIGHTS, name), slug)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value != "" and not has_placeholder(value)


def _problem(name: str, seen: set[str]) -> tuple[str, Severity | None] | None:
    """Return what is wrong with a name, and a severity if it is not sure that vally refuses it."""
    if name in seen:
        return (
            f"Another grader of this stimulus has the name '{name}'. Names must be unique since vally 0.16",
            None,
        )
    if len(name) > MAX_LENGTH:
        text = f"The name has {len(name)} characters. vally allows at most {MAX_LENGTH} since 0.16"
        return text, None
    if not SLUG.fullmatch(name):
        text = f"'{name}' is not kebab-case: since 0.16, vally allows only lower-case letters, digits and hyphens"
        return text, Severity.WARNING if _DOUBTFUL.fullmatch(name) else None
    return None
