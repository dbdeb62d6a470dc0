"""Checks of one grader that cannot all pass.

## Why
The grader fails whatever the agent does: one option requires what another forbids, or a lower limit is above the upper
one. waza notices only some of these mistakes, and only after the agent has run.

## Example
```yaml
type: tool_calls
name: some-calls
config:
  required_tools: [bash]
  forbidden_tools: [bash]
```

## Instead
```yaml
type: tool_calls
name: some-calls
config:
  required_tools: [bash]
```
"""

from collections.abc import Callable, Iterator, Sequence

from waza_engine.model.findings import Finding, Fix, RemoveKey, Rule, Severity

CONTRADICTORY_CHECKS = Rule("contradictory-checks", "checks that cannot all pass")


def required_and_forbidden(
    required: str,
    required_items: Sequence[str],
    forbidden: str,
    forbidden_items: Sequence[str],
    key: Callable[[str], str] = str,
) -> Iterator[Finding]:
    """Report each item of the option `forbidden` that the option `required` lists, too.

    Two items are the same if their `key` is the same.
    """
    keys = [key(it) for it in required_items]
    for index, item in enumerate(forbidden_items):
        if key(item) in keys:
            place = (required, keys.index(key(item)))
            yield CONTRADICTORY_CHECKS.at(
                (forbidden, index),
                f"'{item}' is also in '{required}', so this grader always fails",
                severity=Severity.WARNING,
                related=[(place, "required here")],
                fixes=[Fix(f"Remove '{item}' from '{forbidden}'", (RemoveKey((forbidden, index)),))],
            )
