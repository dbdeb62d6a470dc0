"""A value that runs accept but `waza check` reports.

## Why
`waza run` and `waza check` read files differently: `waza check` uses a JSON Schema, which rejects some values that runs
accept. If you use both, write values that both accept.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
  parallel: yes
tasks: ["tasks/*.yaml"]
```

## Instead
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
  parallel: true
tasks: ["tasks/*.yaml"]
```
"""

from collections.abc import Iterator

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import FALSE_WORDS, TRUE_WORDS
from waza_engine.model.findings import Finding, Fix, QuoteValue, Rule, SetValue, Severity
from waza_engine.project.document import Document

REFUSED_BY_CHECK = Rule(
    "refused-by-check", "value that runs accept but `waza check` reports", Severity.HINT, fixable=True
)
APPLIES = frozenset(["eval", "task"])
_FLAGS: tuple[Pointer, ...] = (
    ("baseline",),
    ("enabled",),
    ("golden",),
    ("config", "parallel"),
    ("config", "fail_fast"),
    ("config", "inject_skill_body"),
    ("config", "trigger_skill_routing"),
)
_TEXTS: tuple[Pointer, ...] = (("version",), ("schemaVersion",), ("id",), ("name",), ("skill",))


def check(document: Document) -> Iterator[Finding]:
    for place in _FLAGS:
        value = document.value(*place)
        if isinstance(value, str) and value in TRUE_WORDS | FALSE_WORDS:
            flag = value in TRUE_WORDS
            word = str(flag).lower()
            fix = Fix(f"Change to {word}", (SetValue(place, flag),), preferred=True, safe=True)
            yield REFUSED_BY_CHECK.at(
                place,
                f"Runs read '{value}' as {word}, but `waza check` reports it. Write {word}",
                fixes=[fix],
            )
    for place in _TEXTS:
        value = document.value(*place)
        if isinstance(value, bool | int | float):
            message = f"Runs read '{place[-1]}' as a string, but `waza check` reports it. Add quotes"
            fix = Fix("Add quotes", (QuoteValue(place),), preferred=True)
            yield REFUSED_BY_CHECK.at(place, message, fixes=[fix])
