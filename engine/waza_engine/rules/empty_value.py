"""An empty text or list where something must stand.

## Why
An empty list counts as missing: no run can start with such a grader.

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

EMPTY_VALUE = Rule("empty-value", "empty text or list where something must stand", needs=frozenset([HERE]))
APPLIES = frozenset(["eval", "task"])


def check_grader(entry: Document, document: Document) -> Iterator[Finding]:
    # Imported late: this finding's name is used where pydantic is not wanted.
    from waza_engine.graders.registry import graders

    kind = graders(document.dialect).get(entry.text("type"))
    if kind is None:
        return
    if kind.name_required and entry.value("name") == "":
        message = f"A grader of type '{kind.type_name}' needs a name"
        yield EMPTY_VALUE.at(("name",), message, refused=True)
    config = entry.mapping("config")
    if dialect(document.dialect).drops_nulls:  # Otherwise an empty item is refused itself.
        config = {key: without_empty_items(it) for key, it in config.items()}
    yield from _nothing_configured(kind, config)


def _nothing_configured(kind: "type[Grader]", config: Mapping[str, Any]) -> Iterator[Finding]:
    """Of the options of which one must be given, some are written, but each as good as absent."""
    given = [it for it in kind.at_least_one if it in config]
    if not given:
        return
    defaults = {info.alias or name: info.default for name, info in kind.model_fields.items()}
    is_any_set = any(config[it] is not None and config[it] != defaults.get(it) for it in given)
    # An unknown option is a finding of its own, or an option of an older version.
    if not is_any_set and all(it in defaults for it in config):
        listed = ", ".join(f"'{it}'" for it in kind.at_least_one)
        message = f"This counts as nothing: the grader is refused. Give at least one of {listed}"
        yield EMPTY_VALUE.at(("config", given[0]), message, on="key", refused=True)


def without_empty_items(value: Any) -> Any:
    """A list without its empty items; anything else as it is."""
    return [it for it in value if it is not None] if isinstance(value, list) else value
