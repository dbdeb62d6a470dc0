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
from dataclasses import replace
from pathlib import PurePosixPath

from waza_engine.checking.document import Document
from waza_engine.checking.stimuli import environments
from waza_engine.findings import Finding, Fix, Pointer, Rule, SetValue, Severity
from waza_engine.formats.waza.paths import fixture_refusal, input_refusal
from waza_engine.lib.go.paths import leads_out
from waza_engine.paths import escape_reason
from waza_engine.placeholders import has_placeholder

ESCAPING_PATH = Rule("escaping-path", "path outside of the workspace")
APPLIES = {"vally": {"eval"}, "waza": {"eval", "task"}}


def check(document: Document) -> Iterator[Finding]:
    if document.dialect == "vally":
        yield from _staged(document)
        return
    for task, _ in document.tasks():
        yield from _of_task(document, task)
    if document.kind == "eval":
        yield from _instructions(document, ("config",))


def _of_task(document: Document, task: Pointer) -> Iterator[Finding]:
    inputs = (*task, "inputs")
    workdir = document.text(*inputs, "workdir")
    if leads_out(workdir):
        yield _outside(f"'{workdir}' leads out of the workspace", workdir, (*inputs, "workdir"))
    for place, repository in document.mappings(*inputs, "repos"):
        dest = repository.get("dest")
        if isinstance(dest, str) and (leads_out(dest) or PurePosixPath(dest) == PurePosixPath()):
            yield _outside(f"'{dest}' is no place inside the workspace", dest, (*place, "dest"))
    context = document.mapping(*inputs, "context")
    if "fixture" in context and (reason := fixture_refusal(context["fixture"])):
        path = document.text(*inputs, "context", "fixture")
        yield _outside(f"The fixture {reason}", path, (*inputs, "context", "fixture"))
    yield from _instructions(document, task)


def _instructions(document: Document, base: Pointer) -> Iterator[Finding]:
    for place, name in document.texts(*base, "instruction_files"):
        if not name or (reason := input_refusal(name)):
            yield _outside(f"'{name}' {reason if name else 'is no path'}", name, place)


def _outside(problem: str, path: str, pointer: Pointer) -> Finding:
    return ESCAPING_PATH.at(pointer, f"{problem}: the task ends with an error", fixes=_inside(path, pointer))


def _inside(path: str, pointer: Pointer) -> list[Fix]:
    inside = "/".join(it for it in path.replace("\\", "/").split("/") if it not in {"", ".", ".."})
    return [Fix(f"Change to '{inside}'", (SetValue(pointer, inside),))] if inside else []


def _staged(document: Document) -> Iterator[Finding]:
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
        message = f"{reason}: {outcome}. Name a path inside the workspace"
        yield ESCAPING_PATH.at(pointer, message, fixes=_inside(path, pointer))
