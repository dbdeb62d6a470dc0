"""Finds the YAML files and skills of a folder that neither git nor the project's settings exclude."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.lib.paths import real_path
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.project.settings import SETTINGS_FILES, Projects, ProjectSettings
from waza_engine.project.store_location import FOLDER as STORE_FOLDER

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_SUFFIXES = (".yaml", ".yml")
_NEVER = frozenset([".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__", STORE_FOLDER])
_IGNORE_FILE = ".gitignore"
_LOCK = ".#"
_MAX_IGNORE_BYTES = 256_000
"""A larger ignore file is no one's; its patterns would take hundreds of megabytes."""
"""Prefix of the dangling links by which Emacs marks a file as being edited."""

_Ignored = list[tuple[Path, "GitIgnoreSpec"]]


def eval_files(start: Path, projects: Projects) -> Iterator[Path]:
    """Yield the file itself, or all YAML files below a folder in a stable order.

    Below a folder, `.gitignore` files and the `exclude` of settings files apply; a file that is named itself is always
    included. Links to folders are not followed. A folder that cannot be listed counts as empty.
    """
    if not start.is_dir():
        yield start
        return
    yield from _all_below(start, projects, _SUFFIXES)


def skill_files(start: Path, projects: Projects) -> Iterator[Path]:
    """Yield the file itself, or all SKILL.md files below a folder, as `eval_files` does with YAML files."""
    if not start.is_dir():
        yield start
        return
    yield from (it for it in _all_below(start, projects, (SKILL_FILE,)) if it.name == SKILL_FILE)


def workspace_files(start: Path, projects: Projects) -> Iterator[Path]:
    """Yield all files below a folder, as `eval_files` does with YAML files."""
    yield from _all_below(start, projects, ("",))


def _all_below(start: Path, projects: Projects, ends: tuple[str, ...]) -> Iterator[Path]:
    folder = real_path(start)
    if folder == start:
        start = folder  # One object: then each path below is made once.
    return _Walk(projects, ends).below(start, folder, [*_ignored_above(folder)], projects.of(folder))


@dataclass(frozen=True, slots=True)
class _Walk:
    """Finds the files whose names end so."""

    projects: Projects
    ends: tuple[str, ...]

    def below(
        self, shown: Path, folder: Path, ignored: _Ignored, settings: ProjectSettings
    ) -> Iterator[Path]:
        """Yield the files of a folder. `shown` is its path as the user named it, `folder` the absolute one.

        `settings` are those of the folder above, or its own.
        """
        entries = _entries(folder)
        names = {it.name for it in entries}
        # Both are looked for only where they are: most folders have none.
        if _IGNORE_FILE in names:
            ignored = [*ignored, *_spec(folder)]
        if not names.isdisjoint(SETTINGS_FILES):
            settings = self.projects.of(folder)
        for entry in entries:
            if entry.name.startswith(_LOCK):
                continue
            is_folder = _is_folder(entry)
            if is_folder and (entry.name in _NEVER or entry.is_symlink()):
                continue
            if not is_folder and not (
                entry.name.endswith(self.ends) and (entry.is_symlink() or entry.is_file())
            ):
                continue  # For example a named pipe, which would never end.
            path = folder / entry.name
            if _is_ignored(path, ignored, "/" if is_folder else "") or settings.excludes(
                path, folder=is_folder
            ):
                continue
            named = path if shown is folder else shown / entry.name
            if is_folder:
                yield from self.below(named, path, ignored, settings)
            else:
                yield named


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda it: it.name)
    except OSError:
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder; a link in a circle, or through a file, is not."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _ignored_above(folder: Path) -> "Iterator[tuple[Path, GitIgnoreSpec]]":
    """Yield the ignore files from the repository's root down to the folder's parent."""
    parents: list[Path] = []
    while not (folder / ".git").exists():
        if folder == folder.parent:
            return
        folder = folder.parent
        parents.append(folder)
    for it in reversed(parents):
        yield from _spec(it)


def _spec(folder: Path) -> _Ignored:
    try:
        lines = (
            regular_bytes(folder / _IGNORE_FILE, _MAX_IGNORE_BYTES)
            .decode("utf-8", errors="replace")
            .splitlines()
        )
    except OSError:
        return []
    # Imported late: a file that is named itself needs no patterns.
    from waza_engine.lib.files.gitignore import ignore_spec

    return [(folder, ignore_spec(lines))]


def _is_ignored(path: Path, ignored: _Ignored, end: str) -> bool:
    verdict = False
    for folder, spec in ignored:
        result = spec.check_file(path.relative_to(folder).as_posix() + end)
        if result.include is not None:
            verdict = result.include
    return verdict
