"""A duration that is probably meant in another unit.

## Why
Limits end in their unit: `timeout_seconds` counts seconds, `max_duration_ms` thousandths of them. A limit of 300000
seconds is none at all, for three and a half days; one of 30 milliseconds fails every run.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 300000
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.yaml"]
```

## Instead
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 300
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.yaml"]
```
"""

from collections.abc import Iterator

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document

UNLIKELY_DURATION = Rule(
    "unlikely-duration", "duration that is probably meant in another unit", Severity.WARNING
)
APPLIES = frozenset(["eval", "task", "project"])
_IN_SECONDS: tuple[Pointer, ...] = (
    ("config", "timeout_seconds"),
    ("timeout_seconds",),
    ("defaults", "timeout"),
    ("graders", "programTimeout"),
)
_LONGEST = 36_000
"""Ten hours, in seconds: longer than anybody waits for one turn."""
_SHORTEST = 1_000
"""One second, in milliseconds: no agent answers sooner."""


def check(document: Document) -> Iterator[Finding]:
    for place in _IN_SECONDS:
        yield from too_long(_number(document, place), place)
    if document.executor != "mock":
        for task, _ in document.tasks():
            place = (*task, "expected", "behavior", "max_response_time_ms")
            yield from too_short(_number(document, place), place)


def too_long(seconds: int, pointer: Pointer) -> Iterator[Finding]:
    """What is said of a limit in seconds that was probably meant in milliseconds."""
    if seconds > _LONGEST and seconds % 1000 == 0:
        yield _finding(pointer, f"{seconds} seconds are {seconds // 3600} hours", seconds // 1000)


def too_short(milliseconds: int, pointer: Pointer) -> Iterator[Finding]:
    """What is said of a limit in milliseconds, on an agent, that was probably meant in seconds."""
    if 0 < milliseconds < _SHORTEST:
        yield _finding(pointer, f"{milliseconds} milliseconds are over at once", milliseconds * 1000)


def _number(document: Document, place: Pointer) -> int:
    value = plain(document.value(*place))
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _finding(pointer: Pointer, said: str, meant: int) -> Finding:
    fix = Fix(f"Change to {meant}", (SetValue(pointer, meant),), preferred=True)
    return UNLIKELY_DURATION.at(pointer, f"{said}: was {meant} meant?", fixes=[fix])
