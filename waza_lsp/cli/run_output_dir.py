"""The folder that a run puts its results into: `--output-dir`, or `paths.results` of `.waza.yaml`."""

import os
from datetime import UTC, datetime
from pathlib import Path

from waza_engine.formats.choose import dialect_of_file
from waza_engine.formats.waza.project import Paths
from waza_engine.formats.waza.project_file import find_project
from waza_engine.suite import LoadError


def folder_of_now(directory: Path) -> Path:
    """A folder in it for what is run now (docs/reference/waza-formats.md, section 15.2)."""
    now = datetime.now(UTC)
    return directory / f"{now:%Y-%m-%dT%H%M%S}.{now.microsecond // 1000:03}"


def configured_directory(eval_file: Path) -> Path | None:
    """Where the project wants the results of an eval: None without a wish, or with one that waza passes over.

    See docs/reference/waza-formats.md, section 7.
    """
    wanted = os.path.normpath(find_project(Path.cwd()).settings.paths.results)
    if wanted == os.path.normpath(Paths().results) or Path(wanted).is_absolute() or wanted.startswith(".."):
        return None
    try:
        is_of_waza = dialect_of_file(eval_file.absolute()).name == "waza"
    except LoadError:
        return None
    return Path(wanted) if is_of_waza else None
