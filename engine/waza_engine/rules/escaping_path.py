"""A path that does not lie strictly inside the workspace.

## Why
`file` and `diff` take paths relative to the agent's workspace. waza ends the whole run with an error, without
any result, when a path is absolute, leaves the workspace, or is the workspace itself. It does the same with the
`workdir`, the `repos`, the `context.fixture` and the `instruction_files` of a task, whose folders are others.

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

from waza_engine.lib.paths import escape_reason
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, Rule, SetValue

ESCAPING_PATH = Rule("escaping-path", "path outside of the workspace")


def escaping_path(
    path: str, pointer: Pointer, *, outcome: str = "the run ends with an error"
) -> Iterator[Finding]:
    """The finding for `path` at `pointer`, if it is no path inside the workspace."""
    if reason := escape_reason(path):
        message = f"{reason}: {outcome}. Name a path inside the workspace"
        yield ESCAPING_PATH.at(pointer, message, fixes=_inside(path, pointer))


def outside(problem: str, path: str, pointer: Pointer) -> Finding:
    """The finding for a `path` at `pointer` that makes a task end with an error."""
    return ESCAPING_PATH.at(pointer, f"{problem}: the task ends with an error", fixes=_inside(path, pointer))


def _inside(path: str, pointer: Pointer) -> list[Fix]:
    inside = "/".join(it for it in path.replace("\\", "/").split("/") if it not in {"", ".", ".."})
    return [Fix(f"Change to '{inside}'", (SetValue(pointer, inside),))] if inside else []
