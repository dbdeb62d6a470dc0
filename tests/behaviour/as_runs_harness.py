"""What the editor and a run say of the same files."""

from pathlib import Path

from tests.behaviour.rules_harness import found_at
from waza_engine.model.suite import LoadError
from waza_engine.project.load_suite import load_suite
from waza_engine.runs.planning.preflight import refuse_unreadable_graders


def errors(folder: Path, name: str) -> list[str]:
    """What the editor underlines as an error in one of the files."""
    return [it.underlined for it in found_at(folder / name, folder) if it.severity == "error"]


def is_refused(folder: Path) -> bool:
    """Whether no run of the folder's eval can start."""
    try:
        refuse_unreadable_graders(load_suite(folder / "eval.yaml", process_dir=folder))
    except LoadError:
        return True
    return False
