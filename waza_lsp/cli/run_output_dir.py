"""The folder that a run puts its results into: `--output-dir`, or the folder that its project names."""

from datetime import UTC, datetime
from pathlib import Path

from waza_engine.formats import resolved
from waza_engine.project.load_suite import dialect_of_file
from waza_engine.suite import LoadError


def folder_of_now(directory: Path) -> Path:
    """A folder in it for what is run now (waza-formats.md, section 15.2)."""
    now = datetime.now(UTC)
    return directory / f"{now:%Y-%m-%dT%H%M%S}.{now.microsecond // 1000:03}"


def configured_directory(eval_file: Path) -> Path | None:
    """Where the project wants the results of an eval: None without a wish, or with one that its dialect passes over."""
    try:
        folder = dialect_of_file(eval_file.absolute()).results_folder
    except LoadError:
        return None
    wanted: Path | None = resolved(folder)(Path.cwd()) if folder else None
    return wanted
