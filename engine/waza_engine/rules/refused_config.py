"""A config that its grader type refuses.

## Why
Each key and value is valid, but their combination is not. A run with such a grader cannot start.

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


def is_explained(refusal: Finding, others: Iterable[Finding]) -> bool:
    """Whether another finding explains the refusal: an error or an older form in the same entry."""
    *entry, _ = refusal.pointer
    entry = entry[: entry.index("config")] if "config" in entry else entry
    return any(
        (it.severity is Severity.ERROR or it.rule.outdated) and [*it.pointer[: len(entry)]] == entry
        for it in others
    )
