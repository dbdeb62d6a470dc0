"""A shared grader that waza cannot load.

## Why
The `ref` of a grader names a grader of another repository: `host/owner/repo[/path][#export]@version`. `waza get` pins it in
a `waza.lock` next to the eval. Without this file, or with a `ref` of another form, waza stops before the run.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
graders:
  - ref: ./graders/tone.yaml
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
graders:
  - name: says-where
    type: text
    config: {contains: [notes.txt]}
tasks: ["tasks/*.yaml"]
```
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.model.findings import Finding, Rule
from waza_engine.project.document import Document

SHARED_GRADER = Rule("shared-grader", "shared grader that waza cannot load", needs=frozenset(["graders"]))
APPLIES = frozenset(["eval"])
_MIN_PARTS = 3
_LOCK = "waza.lock"


def check(document: Document) -> Iterator[Finding]:
    folder = document.folder
    for index, _, reference in document.entry_results("graders", _reference):
        pointer = ("graders", index)
        if not _is_reference(reference):
            message = f"'{reference}' is not a shared grader: waza expects 'host/owner/repo@version', optionally with '/path' and '#export' before the '@'"
            yield SHARED_GRADER.at((*pointer, "ref"), message)
        elif folder is not None and not document.files.is_file(folder / _LOCK):
            message = f"No {_LOCK} next to this file, so waza stops before the run. Run 'waza get' to pin the shared grader"
            yield SHARED_GRADER.at((*pointer, "ref"), message)


def _reference(_: Document, grader: Mapping[str, Any]) -> str:
    reference = grader.get("ref")
    return reference if isinstance(reference, str) else ""


def _is_reference(text: str) -> bool:
    """Whether a text has the form `host/owner/repo[/path][#export]@version`."""
    place, _, version = text.partition("@")
    parts = place.partition("#")[0].split("/")
    return bool(version) and len(parts) >= _MIN_PARTS and parts[0] not in {"", ".", ".."} and all(parts)
