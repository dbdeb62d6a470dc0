"""The directory that one line of the batch is graded in: workspace, process directory and what lies around them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waza_engine.grading_input import InputError
from waza_engine.paths import PathError, in_workspace


@dataclass(frozen=True, slots=True)
class Folders:
    """The workspace and the process directory."""

    workspace: Path
    process: Path


def lay_out(request: Mapping[str, Any], directory: Path) -> Folders:
    """Make `ws` and `ctx` in `directory` and write what the line describes into them.

    Raises:
        InputError: a member has the wrong shape, or a path cannot be made.

    """
    folders = Folders(directory / "ws", directory / "ctx")
    try:
        folders.workspace.mkdir()
        folders.process.mkdir()
        for name in _members(request, "workspace_dirs", list):
            _place(folders.workspace, name).mkdir(parents=True, exist_ok=True)
        _write(folders.workspace, _members(request, "workspace_files", dict))
        for name, target in _members(request, "workspace_symlinks", dict).items():
            link = _place(folders.workspace, name)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(str(target))
        _write(folders.process, _members(request, "cwd_files", dict))
        _write(directory, _members(request, "outside_files", dict))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot lay out the files of the line: {error}") from error
    return folders


def _members(request: Mapping[str, Any], name: str, kind: type) -> Any:
    value = request.get(name)
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise InputError(f"'{name}' must be {'a list' if kind is list else 'an object'}")
    return value


def _write(root: Path, files: Mapping[str, Any]) -> None:
    for name, text in files.items():
        if not isinstance(text, str):
            raise InputError(f"the content of '{name}' must be a text")
        place = _place(root, name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())


def _place(root: Path, name: Any) -> Path:
    if not isinstance(name, str):
        raise InputError(f"{name!r} is no path")
    try:
        return Path(os.fspath(in_workspace(root, name)))
    except PathError as error:
        raise InputError(str(error)) from error
