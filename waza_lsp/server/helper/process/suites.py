"""Load the suite, and the grader, that a question is about as a run would load them.

The texts are those of the editor. If another part of the suite cannot be loaded, the entry is loaded without it. What
is made of unchanged files, and of unchanged parts of an open file, is taken again (`documents.FILES`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from waza_engine.graders.entry import Level
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.suite import GraderEntry, LoadError
from waza_engine.project.reading import loading_few, reading_through
from waza_engine.project.suite_files import eval_of
from waza_engine.runs.planning.plan import Plan, PlanError
from waza_engine.runs.recordings.regrade import plan_for_grading, plan_without_suite
from waza_engine.runs.trial.checkpoints import last_turn
from waza_lsp.server.helper.process.documents import FILES, state
from waza_lsp.server.helper.questions import About


class NothingError(Exception):
    """There is nothing to grade. The message says why."""


class BrokenError(NothingError):
    """The suite cannot be loaded with its current texts."""


class WaitsError(NothingError):
    """The entry executes something, which the question does not allow."""


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


class _Loaded:
    """The suites that the questions about one state of texts and files have needed so far."""

    state: object = None
    suites: ClassVar[dict[tuple[About, int | None], Suite]] = {}


def suite_of(about: About, *, few: int | None = None) -> Suite:
    """Return the suite of a file, which is loaded once as long as no text and no file changes.

    With `few`, of the task files only that file is loaded, and others up to so many tasks.

    Raises:
        NothingError: No eval lists the file.

    """
    if _Loaded.state != (now := state()):
        _Loaded.state = now
        _Loaded.suites.clear()
    key = about, few if about.path != about.eval else None
    known = _Loaded.suites.get(key)
    if known is None:
        known = _Loaded.suites[key] = _load(about, few)
    return known


def _load(about: About, few: int | None) -> Suite:
    path, process_dir = Path(about.path), Path(about.process_dir)
    with reading_through(FILES):
        eval_path = Path(about.eval) if about.eval else eval_of(path)
        if eval_path is None:
            raise NothingError("no eval lists this file")
        try:
            if few is not None and path != eval_path:
                with loading_few(path, few):
                    plan = plan_for_grading(eval_path, process_dir)
                if any(it.path == path for it in plan.tasks):
                    return Suite(eval_path, plan, process_dir)
            return Suite(eval_path, plan_for_grading(eval_path, process_dir), process_dir)
        except (LoadError, PlanError) as error:
            return Suite(eval_path, plan_without_suite(eval_path), process_dir, str(error))


def whole_suite_of(about: About, *, few: int | None = None) -> Suite:
    """Load the suite of a file, like `suite_of`.

    Raises:
        NothingError: No eval lists the file.
        BrokenError: The suite cannot be loaded.

    """
    suite = suite_of(about, few=few)
    if suite.problem:
        raise BrokenError(suite.problem)
    return suite


def recorded_entry(about: About, pointer: Pointer, task: str) -> RecordedEntry:
    """Load the grader at `pointer` of a file. `task` is the one that the editor has found for it.

    Raises:
        NothingError: There is no grader.
        BrokenError: The suite cannot be loaded, so the entry cannot be found.

    """
    # One task is enough to plan with.
    suite, path = suite_of(about, few=1), Path(about.path)
    found = _entry(suite.plan, path, pointer)
    if found is None and not suite.plan.tasks:
        found = _entry_alone(about, pointer, task)
    if found is None and suite.problem:
        raise BrokenError(f"its suite cannot be loaded: {suite.problem}")
    if found is None:
        raise NothingError("there is no grader")
    return RecordedEntry(suite, *found)


_Found = tuple[GraderEntry, Level, Sequence[str], bool]


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


def _entry_alone(about: About, pointer: Pointer, task: str) -> _Found | None:
    """Load an entry without its suite."""
    # Without the suite it is unknown whether a checkpoint is after the last turn.
    if "checkpoints" in pointer or not task:
        return None
    path = Path(about.path)
    try:
        value: Any = read_yaml(FILES.text(path) or "")
        for part in pointer:
            value = value[part]
    except (YamlError, LookupError, TypeError):
        return None
    if not isinstance(value, Mapping):
        return None
    extras = {key: it for key, it in value.items() if key not in {"type", "name", "weight", "config"}}
    kind, name = (str(plain(value.get(it)) or "") for it in ("type", "name"))
    entry = GraderEntry(kind, name, 1.0, value.get("config"), extras, path, pointer, dialect=about.dialect)
    return entry, "task", [task], False
