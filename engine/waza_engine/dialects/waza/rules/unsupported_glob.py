"""A task glob in a syntax that waza does not have.

## Why
In waza `**` is the same as `*`: exactly one folder, neither none nor two. There are no `{a,b}`, `[!a]` does not negate
(`[^a]` does), and an absolute path is looked for below the eval's folder. Such globs match less than they seem to, or
nothing.

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

UNSUPPORTED_GLOB = Rule("unsupported-glob", "glob in a syntax that waza does not have", Severity.WARNING)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    for index, pattern in globs_of(document.mapping()):
        if reason := _reason(pattern):
            fixes = list(_fixes(document, index, pattern))
            yield UNSUPPORTED_GLOB.at(("tasks", index), f"{reason} in '{pattern}'", fixes=fixes)


def has_foreign_syntax(pattern: str) -> bool:
    """Whether the pattern means something else elsewhere than it does in waza."""
    return bool(_reason(pattern))


def _reason(pattern: str) -> str:
    if pattern.startswith("/"):
        return "An absolute path is looked for below the eval's folder"
    if "**" in pattern:
        return "'**' is the same as '*' (exactly one folder)"
    if _alternatives(pattern):
        return "waza has no {a,b}: the braces are taken literally"
    return "'[!' does not negate ('[^' does)" if "[!" in pattern else ""


def _alternatives(pattern: str) -> list[str]:
    """The patterns that the first `{a,b}` stands for; none without one."""
    before, brace, rest = pattern.partition("{")
    inner, end, after = rest.partition("}")
    if not (brace and end and "," in inner):
        return []
    return [f"{before}{it.strip()}{after}" for it in inner.split(",")]


def _fixes(document: Document, index: int, pattern: str) -> Iterator[Fix]:
    place = ("tasks", index)
    if several := _alternatives(pattern):
        yield _instead(place, _with_files(document, several), preferred=True)
    elif "[!" in pattern:
        yield Fix("Change '[!' to '[^'", (SetValue(place, pattern.replace("[!", "[^")),), preferred=True)
    elif "**/" in pattern:
        levels = [pattern.replace("**/", ""), pattern.replace("**/", "*/")]
        yield _instead(place, _with_files(document, levels))


def _instead(place: Pointer, patterns: Sequence[str], *, preferred: bool = False) -> Fix:
    more = [AppendItem(("tasks",), it) for it in patterns[1:]]
    title = f"Change to {' and '.join(patterns)}"
    return Fix(title, (SetValue(place, patterns[0]), *more), preferred=preferred)


def _with_files(document: Document, patterns: Sequence[str]) -> Sequence[str]:
    """Those that name files; all of them when none does."""
    folder = document.folder
    found = [it for it in patterns if folder is not None and document.files.glob(as_glob(it), folder)]
    return found or patterns
