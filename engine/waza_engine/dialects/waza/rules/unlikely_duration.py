"""A duration that is probably in the wrong unit.

## Why
The name of a limit ends in its unit: `timeout_seconds` is in seconds, `max_duration_ms` in milliseconds. A limit of
300000 seconds is three and a half days, which is no limit; a limit of 30 milliseconds fails every run.

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

UNLIKELY_DURATION = Rule("unlikely-duration", "duration that is probably in the wrong unit", Severity.WARNING)
APPLIES = frozenset(["eval", "task", "project"])
_IN_SECONDS: tuple[Pointer, ...] = (
    ("config", "timeout_seconds"),
    ("timeout_seconds",),
    ("defaults", "timeout"),
    ("graders", "programTimeout"),
)
_LONGEST = 36_000
"""Ten hours, in seconds: longer than anyone waits for one turn."""
_SHORTEST = 1_000
"""One second, in milliseconds: no agent answers faster."""


def check(document: Document) -> Iterator[Finding]:
    for place in _IN_SECONDS:
        yield from long_duration_findings(_number(document, place), place)
    if document.executor != "mock":
        for task, _ in document.tasks_with("expected/behavior"):
            place = (*task, "expected", "behavior", "max_response_time_ms")
            yield from short_duration_findings(_number(document, place), place)


def long_duration_findings(seconds: int, pointer: Pointer) -> Iterator[Finding]:
    """Report a limit in seconds that was probably meant in milliseconds."""
    if seconds > _LONGEST and seconds % 1000 == 0:
        yield _finding(pointer, f"{seconds} seconds are {seconds // 3600} hours", seconds // 1000)


def short_duration_findings(milliseconds: int, pointer: Pointer) -> Iterator[Finding]:
    """Report a limit in milliseconds on an agent that was probably meant in seconds."""
    if 0 < milliseconds < _SHORTEST:
        yield _finding(
            pointer, f"{milliseconds} milliseconds is less than any agent needs", milliseconds * 1000
        )


def _number(document: Document, place: Pointer) -> int:
    value = plain(document.value(*place))
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _finding(pointer: Pointer, problem: str, suggestion: int) -> Finding:
    fix = Fix(f"Change to {suggestion}", (SetValue(pointer, suggestion),), preferred=True)
    return UNLIKELY_DURATION.at(pointer, f"{problem}. Did you mean {suggestion}?", fixes=[fix])
