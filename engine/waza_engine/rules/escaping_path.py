"""A path that is not inside the workspace.

## Why
`file` and `diff` take paths relative to the agent's workspace. If a path is absolute, leaves the workspace, or is the
workspace itself, waza stops the whole run with an error and writes no results. The same applies to a task's `workdir`,
`repos`, `context.fixture` and `instruction_files`, each relative to its own folder.

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


def escaping_path(path: str, pointer: Pointer, *, outcome: str = "the run will fail") -> Iterator[Finding]:
    """Report `path` at `pointer` if it is not inside the workspace."""
    if reason := escape_reason(path):
        message = f"{reason}, so {outcome}. Use a path inside the workspace"
        yield ESCAPING_PATH.at(pointer, message, fixes=inside_fixes(path, pointer))


def outside_finding(problem: str, path: str, pointer: Pointer) -> Finding:
    """Return the finding for a `path` at `pointer` that makes the task fail."""
    return ESCAPING_PATH.at(pointer, f"{problem}, so the task will fail", fixes=inside_fixes(path, pointer))


def inside_fixes(path: str, pointer: Pointer) -> list[Fix]:
    """Return the fix that removes what leads out of the workspace; none if nothing is left."""
    inside = "/".join(it for it in path.replace("\\", "/").split("/") if it not in {"", ".", ".."})
    return [Fix(f"Change to '{inside}'", (SetValue(pointer, inside),))] if inside else []
