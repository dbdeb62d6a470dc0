"""A trigger prompt that is listed twice.

## Why
If the prompt is in both lists, one of the two results is wrong whatever the agent does. If it is twice in one list, it
counts twice.

## Example
```yaml
skill: notes
should_trigger_prompts:
  - prompt: Take notes of this meeting
should_not_trigger_prompts:
  - prompt: Take notes of this meeting
```

## Instead
```yaml
skill: notes
should_trigger_prompts:
  - prompt: Take notes of this meeting
should_not_trigger_prompts:
  - prompt: What is the weather today?
```
"""

from collections.abc import Iterator

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, RemoveKey, Rule, Severity
from waza_engine.project.document import Document

PROMPT_IN_BOTH_LISTS = Rule("prompt-in-both-lists", "trigger prompt that is listed twice", Severity.WARNING)
APPLIES = frozenset(["triggers"])


def check(document: Document) -> Iterator[Finding]:
    seen: dict[str, Pointer] = {}
    for key in ("should_trigger_prompts", "should_not_trigger_prompts"):
        for pointer, entry in document.mappings(key):
            prompt = entry.get("prompt")
            if not isinstance(prompt, str) or not prompt.strip():
                continue
            folded = " ".join(prompt.split()).casefold()
            if folded in seen:
                first_list = seen[folded][0]
                where = (
                    f"twice in '{key}'"
                    if first_list == key
                    else f"also in '{first_list}', so one of the two must fail"
                )
                yield PROMPT_IN_BOTH_LISTS.at(
                    (*pointer, "prompt"),
                    f"This prompt is {where}",
                    related=[((*seen[folded], "prompt"), "the same prompt")],
                    fixes=[Fix("Remove this prompt", (RemoveKey(pointer),))],
                )
            seen.setdefault(folded, pointer)
