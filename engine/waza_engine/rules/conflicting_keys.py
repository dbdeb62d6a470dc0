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

from collections.abc import Iterator

from waza_engine.checking.document import Document
from waza_engine.checking.mocks import command_responses
from waza_engine.findings import Finding, Fix, Pointer, RemoveKey, Rule

CONFLICTING_KEYS = Rule("conflicting-keys", "keys of which only one may be given")
APPLIES = {"waza": {"task", "eval"}, "vally": {"eval"}}


def check(document: Document) -> Iterator[Finding]:
    if document.dialect == "vally":
        yield from _both(document, (), "config", "defaults")
        return
    for task, _ in document.tasks():
        yield from _both(document, (*task, "inputs"), "prompt", "prompt_file")
        yield from _both(document, (*task, "inputs"), "follow_up_prompts", "responder")
    for response in command_responses(document):
        given = {key for key, value in document.mapping(*response).items() if value is not None}
        if {"args", "args_regex"} <= given:
            yield _conflict(response, "args", "args_regex")
        # An empty path is none, whereas an empty text is what the command prints.
        if "stdout" in given and document.has(*response, "fixture"):
            yield _conflict(response, "stdout", "fixture")


def _both(document: Document, base: Pointer, first: str, second: str) -> Iterator[Finding]:
    if document.has(*base, first) and document.has(*base, second):
        yield _conflict(base, first, second)


def _conflict(base: Pointer, first: str, second: str) -> Finding:
    fixes = [Fix(f"Remove '{it}'", (RemoveKey((*base, it)),)) for it in (first, second)]
    return CONFLICTING_KEYS.at(
        (*base, second),
        f"Give either '{first}' or '{second}', not both",
        on="key",
        fixes=fixes,
        related=[((*base, first), "given, too")],
    )
