"""Trigger tests without a prompt.

## Why
The two lists together need at least one prompt. waza notices only after it has run all tasks, and then exits without
writing results.

## Example
```yaml
skill: notes
should_trigger_prompts: []
```

## Instead
```yaml
skill: notes
should_trigger_prompts:
  - prompt: Take notes of this meeting
```
"""

from collections.abc import Iterator

from waza_engine.model.findings import AppendItem, Finding, Fix, Rule, SetValue
from waza_engine.project.document import Document
from waza_engine.rules.empty_value import EMPTY_VALUE

NO_TRIGGER_PROMPTS = Rule(
    "no-trigger-prompts",
    "trigger tests without a prompt",
    needs=frozenset(["should_trigger_prompts", "should_not_trigger_prompts"]),
)
APPLIES = frozenset(["triggers"])
_PROMPT = "Take notes of this meeting"
LISTS = ("should_trigger_prompts", "should_not_trigger_prompts")


def check(document: Document) -> Iterator[Finding]:
    keys = [it for it in LISTS if it in document.mapping()]
    if keys and all(document.value(it) in (None, []) for it in keys):
        message = "This file has no prompts, so waza will refuse it after it has run all tasks"
        fix = Fix("Add a prompt", (AppendItem((keys[0],), {"prompt": _PROMPT}),))
        if document.value(keys[0]) is None:
            fix = Fix("Add a prompt", (SetValue((keys[0],), [{"prompt": _PROMPT}]),))
        yield NO_TRIGGER_PROMPTS.at((keys[0],), message, on="key", fixes=[fix])
    for key in LISTS:
        for pointer, entry in document.mappings(key):
            prompt = entry.get("prompt")
            if isinstance(prompt, str) and prompt and not prompt.strip():
                yield EMPTY_VALUE.at((*pointer, "prompt"), "The prompt is blank")
