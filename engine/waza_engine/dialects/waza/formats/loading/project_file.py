"""Find `.waza.yaml` and read its settings for runs (docs/reference/waza-formats.md, section 7)."""

import os
from dataclasses import dataclass
from pathlib import Path

from waza_engine.dialects.waza.formats.project import Paths, ProjectFile
from waza_engine.model.file_names import SKILL_FILE, WAZA_PROJECT
from waza_engine.model.suite import LoadError
from waza_engine.project.reading import build, read_mapping

_LEVELS = 10


@dataclass(frozen=True, slots=True)
class Project:
    """The project settings for a directory; `directory` is None without a file."""

    settings: ProjectFile
    directory: Path | None = None
    warning: str = ""

    def skill_directories(self) -> tuple[str, ...]:
        """Return the skills in `paths.skills`, which evals without `skill_directories` use."""
        if self.directory is None:
            return ()
        root = self.directory / self.settings.paths.skills
        try:
            folders = sorted(root.iterdir())
        except OSError:
            return ()
        return tuple(str(it) for it in folders if (it / SKILL_FILE).is_file())


def find_project(process_dir: Path) -> Project:
    """Return the project of `process_dir`: the nearest `.waza.yaml`, at most ten levels up.

    As in waza, a file with an error is ignored, but with a warning.
    """
    start = process_dir.absolute()
    for folder in [start, *start.parents][:_LEVELS]:
        path = folder / WAZA_PROJECT
        if not path.is_file():
            continue
        try:
            return Project(build(ProjectFile, read_mapping(path), path), folder)
        except LoadError as error:
            return Project(ProjectFile(), None, f"{error}. The whole file is ignored")
    return Project(ProjectFile())


def program_timeout(process_dir: Path) -> int:
    """Return the default time limit of `program` graders in seconds (docs/reference/waza-graders.md, section 5.10)."""
    seconds = find_project(process_dir).settings.graders.program_timeout
    return seconds if seconds > 0 else 30


def results_folder(directory: Path) -> Path | None:
    """Return the project's folder for results; None if it has the default or waza ignores it.

    See docs/reference/waza-formats.md, section 7.
    """
    folder = os.path.normpath(find_project(directory).settings.paths.results)
    if folder == os.path.normpath(Paths().results) or Path(folder).is_absolute() or folder.startswith(".."):
        return None
    return Path(folder)
