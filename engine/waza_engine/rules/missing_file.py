"""A file of a grader that is not there.

## Why
The grader needs it when the agent has already run: the run then ends with an error, or the check fails whatever the
agent did. These paths start where the run is started.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.yaml"]
graders:
  - type: json_schema
    name: report
    config:
      schema_file: schemas/raport.json
```

```text file=schemas/report.json
{"type": "object"}
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
graders:
  - type: json_schema
    name: report
    config:
      schema_file: schemas/report.json
```

```text file=../schemas/report.json
{"type": "object"}
```
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.checking.document import Document
from waza_engine.checking.mocks import command_responses
from waza_engine.checking.run_paths import RunPath, Standing, run_path, suite_folder
from waza_engine.findings import Finding, Fix, Pointer, Rule, SetValue, Severity

MISSING_FILE = Rule("missing-file", "file of a grader that is not there", Severity.WARNING)
APPLIES = {"waza": {"eval", "task"}}
_OPTIONS = {"json_schema": "schema_file", "trigger": "skill_path", "script": "script"}
_CONSEQUENCES = {
    "json_schema": "the run ends with an error",
    "trigger": "the run ends with an error",
    "diff": "the check fails",
    "script": "the grader fails",
}


def check(document: Document) -> Iterator[Finding]:
    for place, text, kind in grader_paths(document):
        standing = run_path(document, text)
        if standing.standing is Standing.MISSING:
            message = (
                f"There is no '{text}' where runs are started, nor beside the eval: {_CONSEQUENCES[kind]}"
            )
            yield MISSING_FILE.at(place, message)
        elif kind == "json_schema":
            yield from _unreadable_schema(document, place, standing)
    for pointer, grader in document.graders():
        if grader.get("type") == "program":
            yield from _program(document, pointer)
    for pointer, text in _command_fixtures(document):
        message = f"There is no '{text}' in the folder of the eval: the mock has no output"
        yield MISSING_FILE.at(pointer, message)


def grader_paths(document: Document) -> Iterator[tuple[Pointer, str, str]]:
    """Paths in graders that start where the run is started, with the type of their grader."""
    for pointer, grader in document.graders():
        kind, config = grader.get("type"), grader.get("config")
        if not isinstance(config, Mapping) or not isinstance(kind, str):
            continue
        option = _OPTIONS.get(kind)
        if (
            option is not None
            and isinstance(config.get(option), str)
            and config[option]
            and "schema" not in config
        ):
            yield (*pointer, "config", option), config[option], kind
        elif kind == "diff" and config.get("update_snapshots") is not True:
            yield from _snapshots(document, pointer, config)


def _snapshots(
    document: Document, pointer: Pointer, config: Mapping[str, Any]
) -> Iterator[tuple[Pointer, str, str]]:
    base = config.get("context_dir")
    for place, entry in document.mappings(*pointer, "config", "expected_files"):
        snapshot = entry.get("snapshot")
        if isinstance(snapshot, str) and snapshot:
            inside = isinstance(base, str) and base and not snapshot.startswith("/")
            yield (*place, "snapshot"), f"{base}/{snapshot}" if inside else snapshot, "diff"


def _unreadable_schema(document: Document, place: Pointer, found: RunPath) -> Iterator[Finding]:
    problem = document.files.made(found.path, _json_problem) if found.path is not None else None
    if problem:
        message = f"This file is no JSON Schema ({problem}): the run ends with an error"
        yield MISSING_FILE.at(place, message, severity=Severity.ERROR)


def _json_problem(text: str) -> str:
    try:
        schema = json.loads(text)
    except ValueError as error:
        return f"it is no JSON: {error}"
    return "" if isinstance(schema, dict) else "its top level is no object"


def _program(document: Document, pointer: Pointer) -> Iterator[Finding]:
    place = (*pointer, "config", "command")
    command = document.text(*place)
    name, *arguments = command.split() or [""]
    if not name or _can_start(document, command):
        return
    if arguments:
        given = document.value(*pointer, "config", "args")
        more = [it for it in given if isinstance(it, str)] if isinstance(given, list) else []
        changes = (SetValue(place, name), SetValue((*pointer, "config", "args"), [*arguments, *more]))
        message = f"There is no program called '{command}': arguments belong under 'args'"
        yield MISSING_FILE.at(
            place, message, fixes=[Fix("Move the arguments to 'args'", changes, preferred=True)]
        )
    else:
        yield MISSING_FILE.at(place, f"There is no program '{command}' on this machine: the grader fails")


def _can_start(document: Document, command: str) -> bool:
    """Whether there is such a program, as far as can be known."""
    if "/" in command and " " not in command:
        return run_path(document, command).standing is not Standing.MISSING
    return shutil.which(command) is not None


def _command_fixtures(document: Document) -> Iterator[tuple[Pointer, str]]:
    folder = suite_folder(document)
    for response in command_responses(document):
        text = document.text(*response, "fixture")
        if not text or folder is None or text.startswith("/") or ".." in text:
            continue
        if not document.files.is_file(folder / text):
            yield (*response, "fixture"), text
