"""A hook command that needs a shell.

## Why
waza splits the command at blanks and starts it directly, without a shell. Quotes, pipes, `&&`, `>`, `$NAME` and `*`
reach the program as plain text, and `NAME=value` in front of a program is taken as the program's name. `bash -c "..."`
does not help, because waza splits the quoted part, too. Put such commands into a script file.

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
hooks:
  before_run:
    - command: cd fixtures && make
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
hooks:
  before_run:
    - command: make -C fixtures
```
"""

from collections.abc import Iterator
from pathlib import Path

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import CreateFile, Finding, Fix, Rule, SetValue, Severity
from waza_engine.model.suite import HOOKS
from waza_engine.project.document import Document
from waza_engine.project.names import free_name

SHELL_SYNTAX_IN_HOOK = Rule("shell-syntax-in-hook", "hook command that needs a shell")
APPLIES = frozenset(["eval"])
_OPERATORS = frozenset(["&&", "||", "|", ";", ">", ">>", "<", "<<", "2>", "2>&1", "&", "&>"])
_BUILT_IN = frozenset(["cd", "export", "source", "set", "alias", "unset"])
_HARMLESS = frozenset(["echo", "printf"])


def check(document: Document) -> Iterator[Finding]:
    for moment in HOOKS:
        for pointer, _ in document.mappings("hooks", moment):
            command = document.text(*pointer, "command")
            if syntax := _shell_syntax(command):
                message = (
                    f"Hooks run without a shell: {syntax}. Move the command to a script file and run that"
                )
                words = command.split()
                # `echo` prints something odd, but nothing breaks.
                is_harmless = words[0] in _HARMLESS and not _OPERATORS & set(words)
                severity = Severity.WARNING if is_harmless else None
                place = (*pointer, "command")
                fixes = _as_script(document, place, moment, command)
                yield SHELL_SYNTAX_IN_HOOK.at(place, message, severity=severity, fixes=fixes)


def _shell_syntax(command: str) -> str:
    """Return a phrase about what only a shell would understand in the command; empty if nothing."""
    words = command.split()
    if not words:
        return ""
    if words[0] in _BUILT_IN:
        return f"'{words[0]}' is not a program"
    if "=" in words[0] and words[0].partition("=")[0].isidentifier():
        return f"'{words[0]}' is taken as the program's name"
    for it in words:
        if it in _OPERATORS or it.endswith(";"):
            return f"'{it if it in _OPERATORS else ';'}' is passed on as text"
        if it == "#":
            return "'#' does not start a comment"
        if "$" in it or "`" in it:
            return f"'{it}' is not expanded"
    if any(it[0] in "'\"" or it[-1] in "'\"" for it in words):
        return "quotes are passed on as text, and the quoted text is split at blanks"
    if any("*" in it for it in words):
        return "'*' is not expanded to file names"
    return "'~' is not expanded to the home folder" if any(it.startswith("~") for it in words) else ""


def _as_script(document: Document, place: Pointer, moment: str, command: str) -> Iterator[Fix]:
    """Move the command to a script next to the eval. Hooks start in the run's directory, not in the eval's folder."""
    folder, start = document.folder, document.process_dir
    if folder is None or start is None or document.has(*place[:-1], "working_directory"):
        return
    name = free_name(moment.replace("_", "-"), {Path(it).stem for it in document.files.names(folder)})
    script = folder / f"{name}.sh"
    if not script.is_relative_to(start):
        return
    create = CreateFile(script, f"#!/usr/bin/env bash\nset -euo pipefail\n{command}\n")
    command_line = f"bash {script.relative_to(start).as_posix()}"
    if " " not in command_line.removeprefix("bash "):
        yield Fix(f"Move to {script.name}", (create, SetValue(place, command_line)), preferred=True)
