"""A task glob with syntax that waza does not support.

## Why
In waza, `**` means the same as `*`: exactly one folder, neither none nor two. waza takes `{a,b}` literally, `[!a]` does
not negate (`[^a]` does), and an absolute path is resolved below the eval's folder. Such globs match fewer files than
you expect, or none.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.{yaml,yml}"]
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

from collections.abc import Iterator, Sequence

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import AppendItem, Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document
from waza_engine.project.suite_files import as_glob, globs_of

UNSUPPORTED_GLOB = Rule("unsupported-glob", "glob with syntax that waza does not support", Severity.WARNING)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    for index, pattern in globs_of(document.mapping()):
        if reason := _reason(pattern):
            fixes = list(_fixes(document, index, pattern))
            yield UNSUPPORTED_GLOB.at(("tasks", index), f"'{pattern}': {reason}", fixes=fixes)


def has_foreign_syntax(pattern: str) -> bool:
    """Whether other tools read the pattern differently from waza."""
    return bool(_reason(pattern))


def _reason(pattern: str) -> str:
    if pattern.startswith("/"):
        return "waza resolves an absolute path below the eval's folder"
    if "**" in pattern:
        return "'**' matches exactly one folder, like '*'"
    if _alternatives(pattern):
        return "waza takes '{a,b}' literally"
    return "'[!' does not negate. Use '[^'" if "[!" in pattern else ""


def _alternatives(pattern: str) -> list[str]:
    """Return the patterns that the first `{a,b}` stands for; none if there is none."""
    before, brace, rest = pattern.partition("{")
    inner, end, after = rest.partition("}")
    if not (brace and end and "," in inner):
        return []
    return [f"{before}{it.strip()}{after}" for it in inner.split(",")]


def _fixes(document: Document, index: int, pattern: str) -> Iterator[Fix]:
    place = ("tasks", index)
    if alternatives := _alternatives(pattern):
        yield _replacement(place, _with_files(document, alternatives), preferred=True)
    elif "[!" in pattern:
        yield Fix("Change '[!' to '[^'", (SetValue(place, pattern.replace("[!", "[^")),), preferred=True)
    elif "**/" in pattern:
        levels = [pattern.replace("**/", ""), pattern.replace("**/", "*/")]
        yield _replacement(place, _with_files(document, levels))


def _replacement(place: Pointer, patterns: Sequence[str], *, preferred: bool = False) -> Fix:
    more = [AppendItem(("tasks",), it) for it in patterns[1:]]
    title = f"Change to {' and '.join(patterns)}"
    return Fix(title, (SetValue(place, patterns[0]), *more), preferred=preferred)


def _with_files(document: Document, patterns: Sequence[str]) -> Sequence[str]:
    """Return the patterns that match files, or all of them if none does."""
    folder = document.folder
    matching = [it for it in patterns if folder is not None and document.files.glob(as_glob(it), folder)]
    return matching or patterns
