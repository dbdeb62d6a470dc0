"""A variable that is not replaced.

## Why
waza does not replace environment variables in its files, so the run gets `${MODEL}` literally. vally replaces
`${MODEL}`, but not `$MODEL`.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: ${MODEL}
tasks: ["tasks/*.yaml"]
```

## Instead
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.yaml"]
```
"""

from collections.abc import Iterator

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import HERE, Finding, Fix, Rule, SetValue, Severity
from waza_engine.model.placeholders import has_placeholder
from waza_engine.project.document import Document
from waza_engine.recognition.recognise import dialect

UNREPLACED_VARIABLE = Rule(
    "unreplaced-variable",
    "variable that is not replaced",
    Severity.WARNING,
    needs=frozenset(["inputs", HERE]),
)
APPLIES = frozenset(["eval"])
_KEYS = ("model", "judge_model", "executor")


def check(document: Document) -> Iterator[Finding]:
    for section in ("config", "defaults"):
        for key in _KEYS:
            yield from _finding(document, (section, key), document.dialect)


def check_grader(entry: Document, document: Document) -> Iterator[Finding]:
    yield from _finding(entry, ("config", "model"), document.dialect)


def _finding(document: Document, place: Pointer, runner: str) -> Iterator[Finding]:
    text = document.text(*place)
    name = text.removeprefix("$")
    is_bare = text != name and name.isidentifier()
    if dialect(runner).replaces_variables:
        if not is_bare:
            return
        variable = f"${{{name}}}"
        fix = Fix(f"Change to {variable}", (SetValue(place, variable),), preferred=True)
        yield UNREPLACED_VARIABLE.at(place, f"{runner} replaces {variable}, not {text}", fixes=[fix])
    elif is_bare or has_placeholder(text):
        message = f"{runner} does not replace variables, so the run gets '{text}'. Pass the value on the command line"
        yield UNREPLACED_VARIABLE.at(place, message)
