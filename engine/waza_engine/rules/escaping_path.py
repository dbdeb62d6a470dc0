"""A path that does not lie strictly inside the workspace.

## Why
`file` and `diff` take paths relative to the agent's workspace. waza ends the whole run with an error, without
any result, when a path is absolute, leaves the workspace, or is the workspace itself.

## Example
```yaml
type: file
name: report
config:
  must_exist: [../report.md]
```

## Instead
```yaml
type: file
name: report
config:
  must_exist: [report.md]
```
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from waza_engine.checking.document import Document
from waza_engine.checking.stimuli import environments
from waza_engine.findings import Finding, Fix, Pointer, Rule, SetValue, Severity
from waza_engine.paths import escape_reason
from waza_engine.placeholders import has_placeholder

ESCAPING_PATH = Rule("escaping-path", "path outside of the workspace")
APPLIES = {"vally": {"eval"}}


def check(document: Document) -> Iterator[Finding]:
    """Where staged files go. What vally does with such a path is not known."""
    for environment in environments(document):
        for place, _ in document.mappings(*environment, "files"):
            path = document.text(*place, "dest")
            # The workspace itself is a fine place to put files into.
            if path and PurePosixPath(path) != PurePosixPath() and not has_placeholder(path):
                found = escaping_path(path, (*place, "dest"), outcome="the file may land anywhere")
                yield from (replace(it, severity=Severity.WARNING) for it in found)


def escaping_path(
    path: str, pointer: Pointer, *, outcome: str = "the run ends with an error"
) -> Iterator[Finding]:
    """The finding for `path` at `pointer`, if it is no path inside the workspace."""
    if reason := escape_reason(path):
        inside = "/".join(it for it in path.replace("\\", "/").split("/") if it not in {"", ".", ".."})
        fixes = [Fix(f"Change to '{inside}'", (SetValue(pointer, inside),))] if inside else []
        message = f"{reason}: {outcome}. Name a path inside the workspace"
        yield ESCAPING_PATH.at(pointer, message, fixes=fixes)
