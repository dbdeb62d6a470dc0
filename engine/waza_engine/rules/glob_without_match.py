"""A task glob that matches no file, or that waza cannot read.

## Why
waza notices only when all globs together match nothing; then the run ends before any task. One empty glob among
others means that its tasks silently never run.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
tasks: ["no-such-folder/*.yaml"]
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
tasks: ["tasks/*.yaml"]
```
"""

from collections.abc import Iterator

from waza_engine.checking.document import Document
from waza_engine.findings import Finding, Rule
from waza_engine.goglob import BadPattern, match

GLOB_WITHOUT_MATCH = Rule("glob-without-match", "task glob that matches no file")
APPLIES = {"waza": {"eval"}}


def check(document: Document) -> Iterator[Finding]:
    if document.path is None or not document.files.is_directory(document.path.parent):
        return
    for pointer, pattern in document.texts("tasks"):
        try:
            match(pattern, "")
        except BadPattern:
            yield GLOB_WITHOUT_MATCH.at(pointer, f"'{pattern}' is no pattern that waza can read; close its bracket")
            continue
        if pattern and not document.files.matching(pattern, document.path.parent):
            yield GLOB_WITHOUT_MATCH.at(pointer, f"No file matches '{pattern}' in {document.path.parent.name}/")
