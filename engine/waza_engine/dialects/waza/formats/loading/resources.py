"""What is put into a task's workspace: input files, instruction files, the fixture.

See docs/reference/waza-formats.md, section 5.1.

Input files that cannot be had are passed over with a warning; an instruction file or fixture that cannot be had
blocks the task.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from waza_engine.dialects.waza.formats.inputs import InputFile as FileEntry
from waza_engine.dialects.waza.formats.inputs import Inputs
from waza_engine.dialects.waza.formats.paths import fixture_refusal, input_refusal
from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.lib.go.paths import cleaned
from waza_engine.lib.paths import is_inside
from waza_engine.model.suite import InputFile


@dataclass
class Resources:
    """The files gathered for one task, what was passed over, and what makes the task impossible."""

    files: list[InputFile] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    blocked: str = ""

    def block(self, reason: str) -> None:
        """Say why the task cannot be performed; the first reason stays."""
        self.blocked = self.blocked or reason


def gather(inputs: Inputs, instructions: Sequence[str], fixtures: Path, eval_dir: Path) -> Resources:
    """All files for the workspace of one task, in waza's order."""
    found = Resources()
    for index, entry in enumerate(inputs.files):
        _input_file(entry, f"inputs.files[{index}]", fixtures, found)
    for name in instructions:
        _instruction_file(name, fixtures, found)
    if "fixture" in inputs.context.model_fields_set:
        _fixture(inputs.context.fixture, eval_dir, found)
    if not found.files and not inputs.repos and ("./" in inputs.prompt):
        found.block(
            "The prompt names a relative path, but nothing is put into the workspace. "
            "List the files under 'inputs.files'"
        )
    return found


def _input_file(entry: FileEntry, place: str, fixtures: Path, found: Resources) -> None:
    if entry.content:
        if entry.path:
            found.files.append(InputFile(entry.path, entry.content.encode("utf-8", "replace")))
        else:
            found.warnings.append(f"{place} has content but no path, so the file is left out; add 'path'")
        return
    if not entry.path:
        return
    if reason := input_refusal(entry.path):
        found.warnings.append(f"{place}: '{entry.path}' {reason}, so the file is left out")
        return
    path = fixtures / cleaned(entry.path)
    if not is_inside(path, fixtures):
        found.warnings.append(f"{place}: '{entry.path}' leads out of {fixtures}, so the file is left out")
        return
    try:
        found.files.append(InputFile(cleaned(entry.path), regular_bytes(path)))
    except (OSError, ValueError) as error:
        cause = error.strerror if isinstance(error, OSError) else error
        found.warnings.append(
            f"{place}: '{entry.path}' cannot be read from {fixtures}: {cause}. The agent works without it"
        )


def _instruction_file(name: str, fixtures: Path, found: Resources) -> None:
    if not name or input_refusal(name) or not is_inside(fixtures / cleaned(name), fixtures):
        found.block(f"The instruction file '{name}' must be a relative path inside {fixtures}")
        return
    try:
        found.files.append(InputFile(cleaned(name), regular_bytes(fixtures / cleaned(name))))
    except (OSError, ValueError) as error:
        found.block(f"The instruction file '{name}' cannot be read from {fixtures}: {error}")


def _fixture(value: object, eval_dir: Path, found: Resources) -> None:
    if reason := fixture_refusal(value):
        found.block(f"'inputs.context.fixture' {reason}")
        return
    path = eval_dir / str(value)
    if not is_inside(path, eval_dir):
        found.block(f"'inputs.context.fixture': '{value}' leads out of the eval's directory")
        return
    if not path.exists():
        found.block(f"'inputs.context.fixture': there is no '{value}' in {eval_dir}")
        return
    try:
        found.files += _files_of(path)
    except OSError as error:
        found.block(f"'inputs.context.fixture': {error.filename} cannot be read: {error.strerror}")


def _files_of(path: Path) -> list[InputFile]:
    """One file under its own name, or all files of a directory; links in it are passed over."""
    if path.is_file():
        return [InputFile(path.name, path.read_bytes())]
    found: list[InputFile] = []
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            file = Path(folder, name)
            if file.is_file() and not file.is_symlink():
                found.append(InputFile(file.relative_to(path).as_posix(), file.read_bytes()))
    return found
