"""Checks of one grader that cannot all pass.

## Why
Whatever the agent does, the grader fails: one option demands what another forbids, or a lower limit is above the
upper one. waza notices only some of these, and those only after the agent has run.

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


def in_both(
    wanted: str,
    wanted_items: Sequence[str],
    unwanted: str,
    unwanted_items: Sequence[str],
    alike: Callable[[str], str] = str,
) -> Iterator[Finding]:
    """A finding for each item of the option `unwanted` that the option `wanted` demands.

    Items are the same when what `alike` makes of them is.
    """
    demanded = [alike(it) for it in wanted_items]
    for index, item in enumerate(unwanted_items):
        if alike(item) in demanded:
            place = (wanted, demanded.index(alike(item)))
            yield CONTRADICTORY_CHECKS.at(
                (unwanted, index),
                f"'{item}' is also in '{wanted}': this grader always fails",
                severity=Severity.WARNING,
                related=[(place, "demanded here")],
                fixes=[Fix(f"Remove '{item}' from '{unwanted}'", (RemoveKey((unwanted, index)),))],
            )
