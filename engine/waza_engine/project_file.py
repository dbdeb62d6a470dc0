"""The `.waza.yaml` that applies to a directory (waza-formats.md, section 7; waza-graders.md, section 5.10)."""

from pathlib import Path

from pydantic import ValidationError

from waza_engine.formats.waza.project import ProjectFile
from waza_engine.yaml_reader import YamlError, read_yaml

_LEVELS = 10


def project_settings(directory: Path) -> ProjectFile:
    """The settings of the nearest `.waza.yaml` in `directory` and its parents, ten directories in all.

    As in waza, a file that cannot be read, or with anything wrong in it, counts as an empty one.
    """
    start = directory.absolute()
    for folder in (start, *start.parents)[:_LEVELS]:
        path = folder / ".waza.yaml"
        if path.is_file():
            return _read(path)
    return ProjectFile()


def program_timeout(directory: Path) -> int:
    """The time limit in seconds of `program` graders that set none."""
    seconds = project_settings(directory).graders.program_timeout
    return seconds if seconds > 0 else 30


def _read(path: Path) -> ProjectFile:
    try:
        return ProjectFile.model_validate(read_yaml(path.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, YamlError, ValidationError):
        return ProjectFile()
