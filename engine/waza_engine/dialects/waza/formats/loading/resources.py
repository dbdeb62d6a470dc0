"""Gathers the files for a task's workspace: input files, instruction files, the fixture.

An input file that cannot be read is skipped with a warning; an instruction file or fixture that cannot be read blocks
the task. See docs/reference/waza-formats.md, section 5.1.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from waza_engine.dialects.waza.formats.inputs import InputFile as FileEntry
from waza_engine.dialects.waza.formats.inputs import Inputs
from waza_engine.dialects.waza.formats.paths import fixture_refusal, input_refusal
from waza_engine.dialects.waza.rules.empty_workspace import RELATIVE_PATH_IN_PROMPT
from waza_engine.lib.files.safe_read import MAX_BYTES, regular_bytes
from waza_engine.lib.go.paths import cleaned
from waza_engine.lib.paths import is_inside
from waza_engine.model.suite import InputFile, Task


@dataclass
class Resources:
    """The files gathered for one task, warnings about skipped ones, and why the task is blocked, if it is."""

    files: list[InputFile] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    blocked: str = ""

    def block(self, reason: str) -> None:
        """Block the task. Only the first reason counts."""
        self.blocked = self.blocked or reason


def gather(inputs: Inputs, instructions: Sequence[str], fixtures: Path, eval_dir: Path) -> Resources:
    """Return all files for the workspace of one task, in waza's order."""
    found = Resources()
    for index, entry in enumerate(inputs.files):
        _input_file(entry, f"inputs.files[{index}]", fixtures, found)
    for name in instructions:
        _instruction_file(name, fixtures, found)
    if "fixture" in inputs.context.model_fields_set:
        _fixture(inputs.context.fixture, eval_dir, found)
    if not found.files and not inputs.repos and (reason := refusal_without_files(inputs.prompt)):
        found.block(reason)
    return found


def task_refusal(task: Task) -> str:
    """Return why waza refuses to run a task that was loaded, or ""."""
    return "" if task.files or task.repos else refusal_without_files(task.prompt)


def refusal_without_files(prompt: str) -> str:
    """Return why waza (0.34 and later) refuses a prompt if nothing is in its workspace, or ""."""
    return RELATIVE_PATH_IN_PROMPT if "./" in prompt else ""


def _input_file(entry: FileEntry, place: str, fixtures: Path, found: Resources) -> None:
    if entry.content:
        if entry.path:
            found.files.append(InputFile(entry.path, entry.content.encode("utf-8", "replace")))
        else:
            found.warnings.append(f"{place} has content but no path, so the file is skipped. Add 'path'")
        return
    if not entry.path:
        return
    if reason := input_refusal(entry.path):
        found.warnings.append(f"{place}: '{entry.path}' {reason}, so the file is skipped")
        return
    path = fixtures / cleaned(entry.path)
    if not is_inside(path, fixtures):
        found.warnings.append(f"{place}: '{entry.path}' is outside {fixtures}, so the file is skipped")
        return
    try:
        found.files.append(InputFile(cleaned(entry.path), regular_bytes(path, inside=fixtures)))
    except (OSError, ValueError) as error:
        cause = error.strerror if isinstance(error, OSError) else error
        found.warnings.append(
            f"{place}: '{entry.path}' cannot be read from {fixtures}: {cause}. The agent will run without it"
        )


def _instruction_file(name: str, fixtures: Path, found: Resources) -> None:
    if not name or input_refusal(name) or not is_inside(fixtures / cleaned(name), fixtures):
        found.block(f"The instruction file '{name}' must be a relative path inside {fixtures}")
        return
    try:
        found.files.append(InputFile(cleaned(name), regular_bytes(fixtures / cleaned(name), inside=fixtures)))
    except (OSError, ValueError) as error:
        found.block(f"The instruction file '{name}' cannot be read from {fixtures}: {error}")


def _fixture(value: object, eval_dir: Path, found: Resources) -> None:
    if reason := fixture_refusal(value):
        found.block(f"'inputs.context.fixture' {reason}")
        return
    path = eval_dir / str(value)
    if not is_inside(path, eval_dir):
        found.block(f"'inputs.context.fixture': '{value}' is outside the eval's directory")
        return
    if not path.exists():
        found.block(f"'inputs.context.fixture': there is no '{value}' in {eval_dir}")
        return
    try:
        found.files += _files_of(path)
    except OSError as error:
        found.block(f"'inputs.context.fixture': {error.filename} cannot be read: {error.strerror}")


def _files_of(path: Path) -> list[InputFile]:
    """Return one file under its own name, or all files of a directory, without links."""
    if not path.is_dir():
        return [InputFile(path.name, regular_bytes(path))]
    found: list[InputFile] = []
    left = MAX_BYTES
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            file = Path(folder, name)
            if file.is_file() and not file.is_symlink():
                content = regular_bytes(file, left)
                left -= len(content)
                found.append(InputFile(file.relative_to(path).as_posix(), content))
    return found
