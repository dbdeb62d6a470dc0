"""A config that its grader type refuses.

## Why
Each key and value is of the kind that it has to be, and together they mean nothing: no run can start with such a grader.

## Example
```yaml
type: tool_calls
name: commits
config:
  expect:
    - tool: bash
      args:
        command:
          regex:
```

## Instead
```yaml
type: tool_calls
name: commits
config:
  expect:
    - tool: bash
      args:
        command:
          regex: ^git commit
```
"""

from collections.abc import Iterable

from waza_engine.model.findings import Finding, Rule, Severity

REFUSED_CONFIG = Rule("refused-config", "config that its grader type refuses")


def is_told(refusal: Finding, others: Iterable[Finding]) -> bool:
    """Whether others know better what is wrong with the same entry: they have an error in it, or an older form."""
    *entry, _ = refusal.pointer
    entry = entry[: entry.index("config")] if "config" in entry else entry
    return any(
        (it.severity is Severity.ERROR or it.rule.outdated) and [*it.pointer[: len(entry)]] == entry
        for it in others
    )
