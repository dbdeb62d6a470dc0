"""Compare the findings of the editor with the result of a run of the same files."""

from pathlib import Path

from tests.behaviour.rules_harness import findings_at
from waza_engine.model.suite import LoadError
from waza_engine.project.load_suite import load_suite
from waza_engine.runs.planning.preflight import refuse_unreadable_graders


def errors(folder: Path, name: str) -> list[str]:
    """Return the texts that the editor marks as errors in one of the files."""
    return [it.underlined for it in findings_at(folder / name, folder) if it.severity == "error"]


def is_refused(folder: Path) -> bool:
    """Whether the folder's eval is refused by a run."""
    try:
        refuse_unreadable_graders(load_suite(folder / "eval.yaml", process_dir=folder))
    except LoadError:
        return True
    return False
