"""An empty string or list where a value is required.

## Why
An empty list counts as missing, so the run cannot start with such a grader.

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
from typing import TYPE_CHECKING, Any

from waza_engine.model.findings import HERE, Finding, Rule
from waza_engine.project.document import Document
from waza_engine.recognition.recognise import dialect

if TYPE_CHECKING:
    from waza_engine.graders.base import Grader

EMPTY_VALUE = Rule("empty-value", "empty string or list where a value is required", needs=frozenset([HERE]))
APPLIES = frozenset(["eval", "task"])


def check_grader(entry: Document, document: Document) -> Iterator[Finding]:
    # Imported late: the rule's constant is used where pydantic must not be loaded.
    from waza_engine.graders.registry import current_grader

    kind = current_grader(document.dialect, entry.text("type"))
    if kind is None:
        return
    if kind.name_required and entry.value("name") == "":
        message = f"A grader of type '{kind.type_name}' needs a name"
        yield EMPTY_VALUE.at(("name",), message, refused=True)
    config = entry.mapping("config")
    if dialect(document.dialect).drops_nulls:  # Otherwise the empty item itself is refused.
        config = {key: without_empty_items(it) for key, it in config.items()}
    yield from _empty_options(kind, config)


def _empty_options(kind: "type[Grader]", config: Mapping[str, Any]) -> Iterator[Finding]:
    """Report a config that needs one of several options, but only has empty ones."""
    present = [it for it in kind.at_least_one if it in config]
    if not present:
        return
    defaults = {info.alias or name: info.default for name, info in kind.model_fields.items()}
    is_any_set = any(config[it] is not None and config[it] != defaults.get(it) for it in present)
    # Unknown options are reported by another rule, or belong to an older version.
    if not is_any_set and all(it in defaults for it in config):
        options = ", ".join(f"'{it}'" for it in kind.at_least_one)
        message = f"'{present[0]}' is empty, so the grader is refused. It needs at least one of {options}"
        yield EMPTY_VALUE.at(("config", present[0]), message, on="key", refused=True)


def without_empty_items(value: Any) -> Any:
    """Return a list without its empty items, anything else unchanged."""
    return [it for it in value if it is not None] if isinstance(value, list) else value
