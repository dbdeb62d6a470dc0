"""Keys of which only one may be given.

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
from waza_engine.model.findings import Finding, Fix, RemoveKey, Rule
from waza_engine.project.document import Document

CONFLICTING_KEYS = Rule("conflicting-keys", "keys of which only one may be given")


def both_given(document: Document, base: Pointer, first: str, second: str) -> list[Finding]:
    """The finding about two keys of the mapping at `base`, if something stands under both."""
    both = document.has(*base, first) and document.has(*base, second)
    return [conflict(base, first, second)] if both else []


def conflict(base: Pointer, first: str, second: str) -> Finding:
    """The finding about two keys of the mapping at `base`."""
    fixes = [Fix(f"Remove '{it}'", (RemoveKey((*base, it)),)) for it in (first, second)]
    return CONFLICTING_KEYS.at(
        (*base, second),
        f"Give either '{first}' or '{second}', not both",
        on="key",
        fixes=fixes,
        related=[((*base, first), "given, too")],
    )
