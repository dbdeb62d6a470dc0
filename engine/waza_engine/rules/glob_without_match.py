"""A task glob that matches no file, or that waza cannot read.

## Why
waza notices only when all globs together match nothing; then the run ends before any task. One empty glob among
others means that its tasks silently never run. A glob that names a folder is no better: waza then tries to read the
folder as a task.

## Example
With a task in `tasks/first.yaml`:

```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["task/*.yaml"]
```

```yaml file=tasks/first.yaml
id: first
name: First
inputs:
  prompt: Say hello.
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
tasks: ["tasks/*.yaml"]
```
"""

from collections.abc import Iterator

from waza_engine.checking.document import Document
from waza_engine.checking.suite_files import as_glob, globs_of
from waza_engine.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.goglob import BadPattern, match
from waza_engine.rules.unsupported_glob import has_foreign_syntax

GLOB_WITHOUT_MATCH = Rule("glob-without-match", "task glob that matches no file")
APPLIES = {"waza": {"eval"}}
_MOST_FOLDERS = 40


def check(document: Document) -> Iterator[Finding]:
    folder = document.folder
    if folder is None or document.has("tasks_from"):
        return
    empty: list[tuple[int, str]] = []
    for index, pattern in globs_of(document.mapping()):
        if (reason := _malformed(pattern)) is not None:
            message = f"'{pattern}' is no pattern that waza can read: {reason}"
            yield GLOB_WITHOUT_MATCH.at(("tasks", index), message)
            continue
        found = document.files.matching(as_glob(pattern), folder)
        if not found and not has_foreign_syntax(pattern) and not pattern.startswith("include:"):
            empty.append((index, pattern))
        yield from _folders(document, index, pattern)
    severity = _severity(document) if empty else Severity.WARNING
    for index, pattern in empty:
        message = f"No file matches '{pattern}' in {folder.name}/"
        yield GLOB_WITHOUT_MATCH.at(
            ("tasks", index), message, severity=severity, fixes=_instead(document, index)
        )


def _malformed(pattern: str) -> str | None:
    try:
        match(pattern, "")
    except BadPattern as error:
        return str(error)
    return None


def _folders(document: Document, index: int, pattern: str) -> Iterator[Finding]:
    for path in document.files.matching(as_glob(pattern), document.folder) if document.folder else ():
        if document.files.is_directory(path):
            fix = Fix("Name the files in it", (SetValue(("tasks", index), f"{pattern.rstrip('/')}/*.yaml"),))
            message = f"'{pattern}' matches the folder {path.name}/, which waza would read as a task"
            yield GLOB_WITHOUT_MATCH.at(
                ("tasks", index), message, fixes=[fix] if path.name in pattern else []
            )
            return


def _severity(document: Document) -> Severity:
    """An error when the run could not start, and the tasks are not simply somewhere else."""
    suite = document.suite
    if suite is None or suite.tasks or _folders_with_tasks(document) == []:
        return Severity.WARNING
    return Severity.ERROR


def _folders_with_tasks(document: Document) -> list[str]:
    """The folders beside the eval that hold YAML files: what stands there was probably meant."""
    folder = document.folder
    if folder is None:
        return []
    names = [it for it in document.files.names(folder) if not it.startswith(".")][:_MOST_FOLDERS]
    return [
        it for it in names if any(x.endswith((".yaml", ".yml")) for x in document.files.names(folder / it))
    ]


def _instead(document: Document, index: int) -> Iterator[Fix]:
    taken = {pattern for _, pattern in globs_of(document.mapping())}
    for name in _folders_with_tasks(document)[:3]:
        for suffix in ("yaml", "yml"):
            pattern = f"{name}/*.{suffix}"
            if document.folder and pattern not in taken and document.files.matching(pattern, document.folder):
                yield Fix(f"Change to '{pattern}'", (SetValue(("tasks", index), pattern),))
