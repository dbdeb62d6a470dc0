"""Find the evals that a folder or a named suite of a project stands for."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from waza_engine.model.suite import LoadError
from waza_engine.project.discovery import eval_files
from waza_engine.project.reading import read_filled_mapping
from waza_engine.project.settings import Projects
from waza_engine.recognition.recognise import Dialect, dialects, load_object, recognise


@dataclass(frozen=True, slots=True)
class ChosenEval:
    """An eval, and the ids of its tasks to run; None means all tasks."""

    path: Path
    task_ids: tuple[str, ...] | None = None


def evals_in(folder: Path) -> list[ChosenEval]:
    """Return all evals below a folder, as `waza-lsp check` finds them, in order of their paths.

    Raises:
        LoadError: there is none.

    """
    found = [ChosenEval(it) for it in eval_files(folder, Projects()) if _is_eval(it)]
    if not found:
        raise LoadError(folder, "No eval file in this folder")
    return found


def _is_eval(path: Path) -> bool:
    try:
        data = read_filled_mapping(path)
    except LoadError:
        # A broken file that has the name of an eval is not skipped in silence: whoever loads it reports it.
        data = {}
    found = recognise(data, path)
    return found is not None and found[1].runnable == "eval"


def evals_of_suite(folder: Path, name: str) -> list[ChosenEval]:
    """Return the evals of the suite `name` in the project file of `folder` or the nearest folder above it.

    Raises:
        LoadError: there is no project file with suites, no such suite, or nothing in it.

    """
    for project_dir in (folder, *folder.parents):
        for dialect in _with_suites():
            if (project_dir / dialect.project_file).is_file():
                found: list[ChosenEval] = load_object(dialect.evals_of_suite)(project_dir, name)
                return found
    files = ", ".join(it.project_file for it in _with_suites())
    raise LoadError(folder, f"No {files} in this folder or above it, so there is no suite '{name}'")


def _with_suites() -> Iterator[Dialect]:
    return (it for it in dialects() if it.evals_of_suite)
