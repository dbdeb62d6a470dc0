"""Two keys that exclude each other.

## Why
waza refuses to load the file.

## Example
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
  follow_up_prompts: [And goodbye.]
  responder:
    instructions: Say yes.
    max_followups: 2
```

## Instead
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
  follow_up_prompts: [And goodbye.]
```
"""

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Rule, removal
from waza_engine.project.document import Document

CONFLICTING_KEYS = Rule("conflicting-keys", "keys that exclude each other", fixable=True)


def conflicts(document: Document, base: Pointer, first: str, second: str) -> list[Finding]:
    """Return the finding about two keys of the mapping at `base`, if both have a value."""
    both = document.has(*base, first) and document.has(*base, second)
    return [conflict(base, first, second)] if both else []


def conflict(base: Pointer, first: str, second: str) -> Finding:
    """Return the finding about two keys of the mapping at `base`."""
    fixes = [removal((*base, it)) for it in (first, second)]
    return CONFLICTING_KEYS.at(
        (*base, second),
        f"'{first}' and '{second}' exclude each other. Remove one",
        on="key",
        fixes=fixes,
        related=[((*base, first), "the other key")],
    )
