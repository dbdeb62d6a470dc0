"""Find and read the `.vally.yaml` of a spec (docs/reference/vally.md, section 8)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from waza_engine.dialects.vally.formats.environment import Environment
from waza_engine.dialects.vally.formats.project import ProjectFile
from waza_engine.model.suite import LoadError
from waza_engine.project.reading import build, read_mapping

NAME = ".vally.yaml"


@dataclass(frozen=True, slots=True)
class Project:
    """The project settings of a spec; `path` is None without a file."""

    settings: ProjectFile
    path: Path | None = None
    warning: str = ""

    @property
    def environments(self) -> Mapping[str, Environment]:
        return self.settings.environments


def find_project(eval_dir: Path) -> Project:
    """Return the settings in the nearest `.vally.yaml` above a spec; an invalid file is ignored with a warning."""
    start = eval_dir.absolute()
    path = next((it / NAME for it in (start, *start.parents) if (it / NAME).is_file()), None)
    if path is None:
        return Project(ProjectFile())
    try:
        return Project(build(ProjectFile, read_mapping(path), path), path)
    except LoadError as error:
        return Project(ProjectFile(), None, f"{error}. The whole file is ignored")
