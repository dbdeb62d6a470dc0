"""A `schemaVersion` that waza does not accept.

## Why
waza refuses the file. A version is two numbers separated by a dot. waza accepts any 1.x; it accepts 2.0 only together
with `scenario`, and `scenario` only with 2.0.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
schemaVersion: "2.0"
tasks: ["tasks/*.yaml"]
```

## Instead
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
schemaVersion: "1.4"
tasks: ["tasks/*.yaml"]
```
"""

from collections.abc import Iterator

from waza_engine.dialects.waza.formats.loading.conditions import parse_version
from waza_engine.model.findings import Finding, Fix, InsertKey, Rule, SetValue
from waza_engine.project.document import Document
from waza_engine.project.suite_files import text_of

BAD_SCHEMA_VERSION = Rule("bad-schema-version", "format version that waza does not accept")
APPLIES = frozenset(["eval"])
_AT = ("schemaVersion",)


def check(document: Document) -> Iterator[Finding]:
    text, is_scenario = text_of(document.value(*_AT)), bool(document.text("scenario").strip())
    if is_scenario and text != "2.0":
        change = SetValue(_AT, "2.0") if text else InsertKey((), "schemaVersion", "2.0")
        fix = Fix("Set schemaVersion to 2.0", (change,), preferred=True)
        place = _AT if text else ("scenario",)
        yield BAD_SCHEMA_VERSION.at(place, "'scenario' needs 'schemaVersion: \"2.0\"'", fixes=[fix])
    elif not is_scenario and (version := parse_version(text)) is not None and version[0] != 1:
        reason = "is only for evals with 'scenario'" if text == "2.0" else "is unknown to waza"
        fix = Fix("Change to 1.4", (SetValue(_AT, "1.4"),))
        yield BAD_SCHEMA_VERSION.at(_AT, f"schemaVersion {text} {reason}. Use any 1.x", fixes=[fix])
