"""The folder an agent works in: created for every attempt, captured after the run, then deleted.

Destinations of input files must not leave it (docs/reference/waza-formats.md, section 5.1). Captured files have
`/`-separated relative paths. Links that lead out of the folder, and files that are not regular, are skipped.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from waza_engine.lib.files.safe_read import is_regular, regular_bytes
from waza_engine.lib.files.safe_write import open_own, require_inside
from waza_engine.lib.files.temporary import make_folder, remove_folder
from waza_engine.lib.paths import real_path
from waza_engine.model.suite import InputFile

_MAX_FILE_BYTES = 1 << 20
_MAX_TOTAL_BYTES = 32 << 20
_UNCAPTURED_FOLDERS = frozenset([".git"])
_DEPENDENCY_FOLDERS = frozenset(["vendor", "node_modules"])


class WorkspaceError(Exception):
    """The workspace cannot be prepared; the message names the file and says what is wrong."""


@dataclass(frozen=True, slots=True)
class CapturedFiles:
    """The files in a workspace after the run: `contents` for graders, `texts` for the recording."""

    contents: Mapping[str, bytes]
    texts: Mapping[str, str]
    removed: tuple[str, ...]
    uncaptured: tuple[str, ...]


def make_workspace(files: Iterable[InputFile]) -> Path:
    """Create a temporary folder with the input files.

    Raises:
        WorkspaceError: the folder cannot be created, or a file cannot be written.

    """
    try:
        workspace = make_folder()
    except OSError as error:
        where = tempfile.tempdir or "the temporary folder"
        raise WorkspaceError(
            f"Cannot create a workspace in {where}: {error.strerror}. "
            "Free some space, or set the environment variable TMPDIR to another folder"
        ) from error
    try:
        write_inputs(workspace, files)
    except BaseException:
        remove_workspace(workspace)
        raise
    return workspace


def write_inputs(workspace: Path, files: Iterable[InputFile]) -> None:
    """Write input files into the workspace and keep their executable bit.

    Raises:
        WorkspaceError: a path leads out of the workspace, or cannot be written.

    """
    for it in files:
        write_files(workspace, [(it.target, it.content)])
        if it.is_executable:
            path = workspace / it.target
            path.chmod(path.stat().st_mode | 0o111)


def write_files(workspace: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write `files` (relative path, content) into the workspace.

    Raises:
        WorkspaceError: a path leads out of the workspace, or cannot be written.

    """
    for target, content in files:
        path = _path_inside(workspace, target)
        try:
            # A repository in the workspace may bring links.
            require_inside(path, workspace)
            path.parent.mkdir(parents=True, exist_ok=True)
            with open_own(real_path(path)) as file:
                file.write(content)
        except OSError as error:
            raise WorkspaceError(
                f"Cannot write the file '{target}' into the workspace: {error.strerror or error}"
            ) from error


def make_workdir(workspace: Path, workdir: str) -> None:
    """Create the directory in which the agent starts, unless a file or repository has already done so.

    Raises:
        WorkspaceError: it leads out of the workspace, or cannot be created.

    """
    if not workdir:
        return
    path = Path(workdir)
    if "\0" in workdir or path.is_absolute() or ".." in path.parts:
        raise WorkspaceError(f"inputs.workdir must be a relative path without '..', not '{workdir}'")
    if not real_path(workspace / path).is_relative_to(real_path(workspace)):
        raise WorkspaceError(f"inputs.workdir: '{workdir}' is a link out of the workspace")
    try:
        (workspace / path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkspaceError(
            f"inputs.workdir: cannot create the directory '{workdir}': {error.strerror}"
        ) from error


def delete_files(workspace: Path, targets: Iterable[str]) -> None:
    """Delete the files that the recorded agent deleted.

    Raises:
        WorkspaceError: a path leads out of the workspace.

    """
    for target in targets:
        path = _path_inside(workspace, target)
        if path.is_file() and real_path(path.parent).is_relative_to(real_path(workspace)):
            path.unlink()


def remove_workspace(workspace: Path) -> None:
    """Delete the workspace. Files that cannot be deleted stay in the temporary folder."""
    remove_folder(workspace)


def capture(workspace: Path, inputs: Iterable[InputFile]) -> CapturedFiles:
    """Read the files that the agent left. Large files and files that are not UTF-8 are only listed by name."""
    contents: dict[str, bytes] = {}
    texts: dict[str, str] = {}
    uncaptured: list[str] = []
    total = 0
    for name, path in _plain_files(workspace):
        content = _content_up_to(path, min(_MAX_FILE_BYTES, _MAX_TOTAL_BYTES - total))
        if content is None:
            uncaptured.append(name)
            continue
        total += len(content)
        contents[name] = content
        try:
            texts[name] = content.decode("utf-8")
        except UnicodeDecodeError:
            uncaptured.append(name)
    present = contents.keys() | set(uncaptured)
    removed = tuple(it for it in (_normalised(file.target) for file in inputs) if it not in present)
    return CapturedFiles(contents, texts, removed, tuple(uncaptured))


def _path_inside(workspace: Path, target: str) -> Path:
    path = Path(os.path.normpath(workspace / target)) if "\0" not in target else workspace
    if path == workspace or not path.is_relative_to(workspace) or Path(target).is_absolute():
        raise WorkspaceError(
            f"The file '{target}' is outside the workspace. Use a relative path without '..'"
        )
    return path


def _normalised(target: str) -> str:
    return Path(os.path.normpath(target)).as_posix()


def _plain_files(workspace: Path) -> Iterator[tuple[str, Path]]:
    for folder, subfolders, names in os.walk(workspace):
        subfolders[:] = sorted(it for it in subfolders if it not in _UNCAPTURED_FOLDERS)
        for name in sorted(names):
            path = Path(folder, name)
            if _is_plain_file_inside(path, workspace):
                yield path.relative_to(workspace).as_posix(), path


def _is_plain_file_inside(path: Path, workspace: Path) -> bool:
    try:
        # Reading a pipe or device could block forever. A link may lead to the user's own files.
        return is_regular(path) and real_path(path).is_relative_to(workspace)
    except (OSError, ValueError):
        return False


def _content_up_to(path: Path, limit: int) -> bytes | None:
    try:
        return regular_bytes(path, limit, anywhere=True)  # `_plain_files` has followed its links
    except OSError:
        return None


def small_files(root: Path) -> Iterator[InputFile]:
    """Yield the user's files below `root`, by name, that can belong to a test.

    Leaves out dependencies, links, hidden folders, large and unreadable files. waza copies these files around a trigger
    prompt since v0.25 (docs/reference/waza-formats.md, section 6).
    """
    if "\0" in os.fspath(root):
        return
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(it for it in folders if not it.startswith(".") and it not in _DEPENDENCY_FOLDERS)
        for name in sorted(names):
            path = Path(folder, name)
            try:
                if not path.is_symlink():
                    content = regular_bytes(path, _MAX_FILE_BYTES)
                    yield InputFile(path.relative_to(root).as_posix(), content)
            except OSError:
                continue
