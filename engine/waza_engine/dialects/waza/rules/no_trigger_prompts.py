"""Trigger tests without a prompt.

## Why
waza needs at least one prompt in the two lists together. It notices only after all tasks have run, and then ends
without writing results.

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
    given = [it for it in LISTS if it in document.mapping()]
    if given and all(document.value(it) in (None, []) for it in given):
        message = "There is no prompt in either list; waza refuses the file after all tasks have run"
        fix = Fix("Add a prompt", (AppendItem((given[0],), {"prompt": _PROMPT}),))
        if document.value(given[0]) is None:
            fix = Fix("Add a prompt", (SetValue((given[0],), [{"prompt": _PROMPT}]),))
        yield NO_TRIGGER_PROMPTS.at((given[0],), message, on="key", fixes=[fix])
    for key in LISTS:
        for pointer, entry in document.mappings(key):
            prompt = entry.get("prompt")
            if isinstance(prompt, str) and prompt and not prompt.strip():
                yield EMPTY_VALUE.at((*pointer, "prompt"), "The prompt is blank")
