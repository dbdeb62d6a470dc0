"""A rubric of a legacy grader: the path of a file from where the run is started if there is one, else the text itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any


def rubric_text(rubric: str, process_dir: Path) -> str:
    """What the judge is told."""
    try:
        path = process_dir / rubric
        return path.read_text("utf-8") if path.is_file() else rubric
    except (OSError, ValueError):  # too long for a name, or no UTF-8: then it is the rubric itself
        return rubric


def rubric_files(rubric: Any, process_dir: Path) -> Iterator[Path]:
    """The file that grading reads if it is there."""
    if isinstance(rubric, str):  # Perhaps the rubric itself: then no file has that name.
        yield process_dir / rubric
