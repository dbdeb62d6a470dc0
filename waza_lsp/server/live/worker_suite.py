"""Load the grader that a question is about as a run would load it. Used by the worker process.

The texts are those of the editor. If another part of the suite cannot be loaded, the entry is loaded without it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waza_engine.graders.entry import Level
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.queries.disk import disk
from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.suite import GraderEntry, LoadError
from waza_engine.project.reading import loading_few, reading_through
from waza_engine.project.suite_files import eval_of
from waza_engine.runs.planning.plan import Plan, PlanError
from waza_engine.runs.recordings.regrade import plan_for_grading, plan_without_suite
from waza_engine.runs.trial.checkpoints import last_turn

Question = Mapping[str, Any]
_TEXTS: dict[Path, str] = {}
_FILES = Files(_TEXTS.get)
"""A question is about one file of a suite; the others are as they were."""


class NothingError(Exception):
    """There is nothing to grade. The message says why."""


class BrokenError(NothingError):
    """The suite cannot be loaded with its current texts."""


@dataclass(frozen=True, slots=True)
class Suite:
    """The suite of a file. `problem` says why only its settings could be loaded; "" if all of it was."""

    eval_path: Path
    plan: Plan
    process_dir: Path
    problem: str = ""


@dataclass(frozen=True, slots=True)
class RecordedEntry:
    """A grader's entry and the tasks that it grades. A checkpoint's grader grades the state after the last turn."""

    suite: Suite
    entry: GraderEntry
    level: Level
    tasks: Sequence[str]
    is_checkpoint: bool = False


def suite_of(question: Question, *, few: int | None = None) -> Suite:
    """Load the suite of the file `path`. `eval` is its eval if the server knows it already.

    With `few`, of the task files only that file is loaded, and others up to so many tasks.

    Raises:
        NothingError: No eval lists the file.

    """
    known = question["eval"]
    eval_path = Path(known) if known else eval_of(Path(question["path"]))
    if eval_path is None:
        raise NothingError("no eval lists this file")
    process_dir = Path(question["processDir"])
    path = Path(question["path"])
    _TEXTS.clear()
    _TEXTS.update(texts_of(question))
    disk.look()
    with reading_through(_FILES):
        try:
            if few is not None and path != eval_path:
                with loading_few(path, few):
                    plan = plan_for_grading(eval_path, process_dir)
                if any(it.path == path for it in plan.tasks):
                    return Suite(eval_path, plan, process_dir)
            return Suite(eval_path, plan_for_grading(eval_path, process_dir), process_dir)
        except (LoadError, PlanError) as error:
            return Suite(eval_path, plan_without_suite(eval_path), process_dir, str(error))


def recorded_entry(question: Question) -> RecordedEntry:
    """Load the grader at `pointer` of the file `path`.

    Raises:
        NothingError: There is no grader.
        BrokenError: The suite cannot be loaded, so the entry cannot be found.

    """
    # One task is enough to plan with.
    suite = suite_of(question, few=1)
    path, pointer = Path(question["path"]), tuple(question["pointer"])
    found = _entry(suite.plan, path, pointer)
    if found is None and not suite.plan.tasks:
        found = _entry_alone(texts_of(question)[path], path, pointer, question)
    if found is None and suite.problem:
        raise BrokenError(f"its suite cannot be loaded: {suite.problem}")
    if found is None:
        raise NothingError("there is no grader")
    return RecordedEntry(suite, *found)


_Found = tuple[GraderEntry, Level, Sequence[str], bool]


def texts_of(question: Question) -> dict[Path, str]:
    """Return the unsaved texts of the editor by path."""
    return {Path(it): text for it, text in question["texts"].items()}


def _entry(plan: Plan, path: Path, pointer: Pointer) -> _Found | None:
    def is_meant(entries: Iterable[GraderEntry]) -> GraderEntry | None:
        return next((it for it in entries if (it.path, it.pointer) == (path, pointer)), None)

    if (own := is_meant(plan.suite.graders)) is not None:
        return own, "eval", [task.id for task in plan.tasks], False
    for task in plan.tasks:
        if (own := is_meant(task.graders)) is not None:
            return own, "task", [task.id], False
        for checkpoint in task.checkpoints:
            if (own := is_meant(checkpoint.graders)) is not None:
                if checkpoint.after_turn != last_turn(task):
                    raise NothingError("the state after an earlier turn is not recorded")
                return own, "task", [task.id], True
    return None


def _entry_alone(text: str, path: Path, pointer: Pointer, question: Question) -> _Found | None:
    """Load an entry without its suite. The task is the one that the editor has found."""
    # Without the suite it is unknown whether a checkpoint is after the last turn.
    if "checkpoints" in pointer:
        return None
    try:
        value: Any = read_yaml(text)
        for part in pointer:
            value = value[part]
    except (YamlError, LookupError, TypeError):
        return None
    if not isinstance(value, Mapping) or not question.get("task"):
        return None
    extras = {key: it for key, it in value.items() if key not in {"type", "name", "weight", "config"}}
    kind, name = (str(plain(value.get(it)) or "") for it in ("type", "name"))
    entry = GraderEntry(
        kind, name, 1.0, value.get("config"), extras, path, pointer, dialect=question["dialect"]
    )
    return entry, "task", [question["task"]], False
