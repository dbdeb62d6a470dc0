"""A grader's file that does not exist.

## Why
waza reads the file only after the agent has run. The run then ends with an error, or the check fails whatever the
agent did. A file without which the run ends with an error is an error, others are warnings. These paths are relative
to the directory you run waza from. A program that is not on this machine is information.

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

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from waza_engine.dialects.waza.checks.mocks import command_responses
from waza_engine.dialects.waza.checks.run_paths import PathStatus, may_be_read, run_path, suite_folder
from waza_engine.dialects.waza.generations.meanings import newest_meaning
from waza_engine.graders.base import Grader
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Change, Finding, Fix, InsertKey, Rule, SetValue, Severity
from waza_engine.project.document import Document
from waza_engine.project.missing_paths import path_advice, path_fixes

MISSING_FILE = Rule("missing-file", "grader's file that does not exist", Severity.WARNING, fixable=True)
APPLIES = frozenset(["eval", "task"])


def check(document: Document) -> Iterator[Finding]:
    for pointer, text in _command_fixtures(document):
        message = f"'{text}' not found in the eval's folder, so the run cannot start"
        yield MISSING_FILE.at(pointer, message, severity=Severity.ERROR)


def check_grader(entry: Document, document: Document) -> Iterator[Finding]:
    for place, text, kind in files_of(entry):
        resolved = run_path(document, text)
        if resolved.status is PathStatus.MISSING:
            message = kind.missing_file_message(text) + path_advice(text)
            severity = Severity.ERROR if kind.requires_files else None
            yield MISSING_FILE.at(
                place, message, fixes=_similar_files(document, place, text, kind.new_file), severity=severity
            )
        elif resolved.path is not None and (reader := kind.file_reader()) is not None:
            is_readable = may_be_read(document, resolved.path)
            problem = document.files.read_as(resolved.path, reader) if is_readable else ""
            if problem:
                yield MISSING_FILE.at(place, f"{problem}: {kind.without_file}", severity=Severity.ERROR)
    program = _program_of(entry)
    if program is not None and not _can_start(document, program.command):
        yield _missing_program(entry, program)


def files_of(entry: Document) -> list[tuple[Pointer, str, type[Grader]]]:
    """Return the files that a grader reads at run time: the place of each, its path, and the grader's class."""
    kind, config = newest_meaning(entry.value("type")), entry.value("config")
    if kind is None or not isinstance(config, Mapping):
        return []
    return [(("config", *place), text, kind) for place, text in kind.run_files(config)]


class _Program(NamedTuple):
    """A program that a grader starts: its option, its value, and the option with the arguments."""

    option: str
    command: str
    arguments_option: str


def _program_of(entry: Document) -> _Program | None:
    kind, config = newest_meaning(entry.value("type")), entry.value("config")
    if kind is None or kind.program_options is None or not isinstance(config, Mapping):
        return None
    option, arguments_option = kind.program_options
    command = config.get(option)
    return (
        _Program(option, command, arguments_option) if isinstance(command, str) and command.strip() else None
    )


def _missing_program(entry: Document, program: _Program) -> Finding:
    option, command, arguments_option = program
    place, rest = ("config", option), ("config", arguments_option)
    name, *arguments = command.split()
    if arguments:
        all_arguments = [*arguments, *(it for _, it in entry.texts(*rest))]
        changes: tuple[Change, ...] = (
            SetValue(place, name),
            SetValue(rest, all_arguments)
            if entry.value(*rest) is not None
            else InsertKey(("config",), arguments_option, all_arguments),
        )
        message = f"No program is called '{command}'. Put its arguments under '{arguments_option}'"
        fix = Fix(f"Move the arguments to '{arguments_option}'", changes, preferred=True)
        return MISSING_FILE.at(place, message, fixes=[fix])
    # The program may be on the machine where the eval runs; a path is part of the project.
    severity = None if "/" in command else Severity.INFORMATION
    message = f"Program '{command}' not found on this machine, so the grader will fail"
    return MISSING_FILE.at(place, message, severity=severity)


def _can_start(document: Document, command: str) -> bool:
    """Whether the program exists, as far as this can be known."""
    if "/" in command and " " not in command:
        return run_path(document, command).status is not PathStatus.MISSING
    return document.once(("finds program", command), lambda: document.files.has_program(command))


def _command_fixtures(document: Document) -> Iterator[tuple[Pointer, str]]:
    folder = suite_folder(document)
    for response in command_responses(document):
        text = document.text(*response, "fixture")
        if not text or folder is None or text.startswith("/") or ".." in text:
            continue
        if not document.files.is_file(folder / text):
            yield (*response, "fixture"), text


def _similar_files(document: Document, place: Pointer, text: str, new: str | None) -> Iterator[Fix]:
    """Change to an existing file, or create one, in the directory where runs start."""
    start, slashes = document.process_dir, text.replace("\\", "/")
    resolved = run_path(document, slashes) if slashes != text else None
    if resolved is not None and resolved.status is not PathStatus.MISSING:
        better = resolved.better or slashes
        yield Fix(f"Change to '{better}'", (SetValue(place, better),), preferred=True, safe=better == slashes)
    elif start is not None and not text.startswith("/"):
        yield from path_fixes(document, start, place, text, new=new)
