"""An entry under `inputs.files` that waza leaves out.

## Why
waza passes over it, at most with a warning, and the run goes on without the file: a path that is absolute or has two
dots anywhere (also inside a name), or an empty `content`, which counts as none.

## Example
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
  files:
    - path: ../shared/notes.txt
```

## Instead
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
  files:
    - path: shared/notes.txt
      content: "budget: 4200"
```
"""

from collections.abc import Iterator

from waza_engine.checking.document import Document
from waza_engine.checking.resources import input_files, refusal
from waza_engine.findings import Finding, Rule, Severity

DROPPED_INPUT_FILE = Rule("dropped-input-file", "input file that waza leaves out")
APPLIES = {"waza": {"task", "eval"}}


def check(document: Document) -> Iterator[Finding]:
    for task, _ in document.tasks():
        for it in input_files(document, task):
            if reason := refusal(it.text):
                end = "the run ends with an error" if it.has_content else "the file is left out"
                message = f"'{it.text}' {reason}: {end}. Name a path inside the fixtures folder"
                yield DROPPED_INPUT_FILE.at(it.pointer, message)
        for pointer, entry in document.mappings(*task, "inputs", "files"):
            if entry.get("content") == "" and entry.get("path"):
                message = "An empty content counts as none: the file is looked for in the fixtures folder"
                yield DROPPED_INPUT_FILE.at((*pointer, "content"), message, severity=Severity.WARNING)
