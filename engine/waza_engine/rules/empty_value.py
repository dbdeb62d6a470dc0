"""An empty text or list where something must stand.

## Why
An empty list counts as missing: waza refuses the grader.

## Example
```yaml
type: code
name: is-short
config:
  assertions: []
```

## Instead
```yaml
type: code
name: is-short
config:
  assertions: ["len(output) < 500"]
```
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from waza_engine.checking.document import Document
from waza_engine.findings import Finding, Rule

EMPTY_VALUE = Rule("empty-value", "empty text or list where something must stand")
APPLIES = {"waza": {"eval", "task"}}


def check_grader(entry: Document, _executor: str) -> Iterator[Finding]:
    yield from _nothing_configured(entry.value("type"), entry.mapping("config"))
    for file, value in entry.mappings("config", "expected_files"):
        if "contains" in value and not value.get("contains") and not value.get("snapshot"):
            message = "An empty list counts as missing: give a 'snapshot', or texts under 'contains'"
            yield EMPTY_VALUE.at((*file, "contains"), message, refused=True)
    for file, value in entry.mappings("config", "content_patterns"):
        if value.get("path") == "":
            yield EMPTY_VALUE.at((*file, "path"), "The path is empty: the run ends with an error")


def _nothing_configured(kind: Any, config: Mapping[str, Any]) -> Iterator[Finding]:
    """Of the options of which one must be given, some are written, but each as good as absent."""
    group, defaults = _options(kind) if isinstance(kind, str) else ((), {})
    given = [it for it in group if it in config]
    is_any_set = any(config[it] is not None and config[it] != defaults.get(it) for it in given)
    # An unknown option is a finding of its own, or an option of an older version.
    if given and not is_any_set and all(it in defaults for it in config):
        listed = ", ".join(f"'{it}'" for it in group)
        message = f"This counts as nothing: waza refuses the grader. Give at least one of {listed}"
        yield EMPTY_VALUE.at(("config", given[0]), message, on="key", refused=True)


@cache
def _options(kind: str) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The options of a grader type of which one must be given, and the defaults of all its options."""
    # Imported late: the grader types lean on the rules.
    from waza_engine.graders.registry import graders

    grader = graders("waza").get(kind)
    if grader is None:
        return (), {}
    return grader.at_least_one, {
        info.alias or name: info.default for name, info in grader.model_fields.items()
    }
