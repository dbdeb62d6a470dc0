"""Compare the evals of the working tree with those of an earlier commit, by the fingerprints of their tasks.

A task has changed if a part of its fingerprint has (`model/results/records.py`, `TaskParts`): its text, the eval's settings, its
graders, its skills, its input files. Where files are does not matter, so an eval that only moved has not changed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from waza_engine.lib.files.temporary import temporary_folder
from waza_engine.lib.paths import real_path
from waza_engine.lib.plurals import counted
from waza_engine.model.results.records import TaskParts
from waza_engine.model.suite import LoadError
from waza_engine.project.discovery import skill_files
from waza_engine.project.eval_sets import ChosenEval, evals_in
from waza_engine.project.load_suite import load_suite
from waza_engine.project.settings import Projects
from waza_engine.project.store_location import RECORDINGS_FOLDER
from waza_engine.runs.changed.tree import Base, TreeError, copy_tree, find_base
from waza_engine.runs.past.changes import PARTS
from waza_engine.runs.planning.fingerprint import folder_digests, task_prints, value_digest
from waza_engine.runs.planning.plan import Overrides, Plan, PlanError, make_plan

_NEW_EVAL, _NEW_TASK = "new eval", "new task"


@dataclass(frozen=True, slots=True)
class ChangedEval:
    """An eval to run. `task_ids` None means all of its tasks. `reasons` are the words for what has changed."""

    path: Path
    task_ids: tuple[str, ...] | None
    tasks: int
    reasons: tuple[str, ...]

    @property
    def run_count(self) -> int:
        """How many tasks run."""
        return self.tasks if self.task_ids is None else min(self.tasks, len(self.task_ids))


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs from the commit `base`. `evals` counts all evals; `removed` are paths that are no longer evals.

    `skills` are the folders of the skills that were added, edited or removed, relative to the repository.
    """

    base: Base
    changed: tuple[ChangedEval, ...]
    evals: int
    skills: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def summary(self, done: str = "run") -> str:
        """Return the numbers of skills and evals, as in `2 skills changed, 3 of 41 evals run`."""
        skills = f"{counted(len(self.skills), 'skill')} changed, " if self.skills else ""
        return f"{skills}{len(self.changed)} of {counted(self.evals, 'eval')} {done}"


@dataclass(frozen=True, slots=True)
class _Eval:
    """What a change of an eval shows in: the parts of each task, and `whole`, of which each part concerns all tasks."""

    name: str
    tasks: Mapping[str, TaskParts]
    whole: Mapping[str, str]

    def shared_tasks(self, other: "_Eval") -> int:
        return sum(other.tasks.get(task) == parts for task, parts in self.tasks.items())


def changed_since(ref: str, chosen: Sequence[ChosenEval], process_dir: Path) -> Changes:
    """Return which of the evals have changed since the merge base with `ref`, and which of their tasks.

    `process_dir` is where a run starts.

    Raises:
        TreeError: the commit cannot be read.

    """
    base = find_base(process_dir, ref)
    try:
        with temporary_folder() as folder:
            copy_tree(base, folder)
            return _compare(base, folder, chosen, process_dir.absolute())
    except OSError as error:
        raise TreeError(f"The files of {base} cannot be copied: {error.strerror or error}") from error


def _compare(base: Base, before: Path, chosen: Sequence[ChosenEval], process_dir: Path) -> Changes:
    inside = process_dir.relative_to(base.root)
    pairs = [(it, _relative(it.path, base)) for it in chosen]
    then = before / inside
    gone = {it: read for it in _gone(before, base.root) if (read := _read(before / it, before, then))}
    changed: list[ChangedEval] = []
    for it, path in pairs:
        now = _read(base.root / path, base.root, process_dir)
        was = _read(before / path, before, then) if (before / path).is_file() else None
        if was is None and now is not None and (moved := _moved_from(now, gone)) is not None:
            was = gone.pop(moved)
        if (found := _changed_eval(it, was, now)) is not None:
            changed.append(found)
    skills = _changed_skills(base.root, before)
    return Changes(base, tuple(changed), len(chosen), skills, tuple(it.as_posix() for it in gone))


def _relative(path: Path, base: Base) -> Path:
    for one, root in ((path.absolute(), base.root), (real_path(path), real_path(base.root))):
        if one.is_relative_to(root):
            return one.relative_to(root)
    raise TreeError(f"{path} is not in the repository {base.root}, so nothing tells whether it has changed")


def _gone(before: Path, root: Path) -> list[Path]:
    """Return the evals of the commit that the working tree no longer has, relative to the repository."""
    try:
        found = [it.path.relative_to(before) for it in evals_in(before)]
    except LoadError:
        return []
    return [it for it in found if not (root / it).is_file()]


def _read(path: Path, root: Path, process_dir: Path) -> _Eval | None:
    """Return what the changes of an eval show in, or None if it cannot be loaded."""
    try:
        suite = load_suite(path, process_dir=process_dir)
        plan = make_plan(suite, Overrides())
        prints = [it.parts for it in task_prints(plan, process_dir, root)]
    except (LoadError, PlanError, OSError):
        return None
    tasks = {it.id: parts for it, parts in zip(plan.tasks, prints, strict=True)}
    return _Eval(suite.name, tasks, dict(_whole(plan, root)))


def _whole(plan: Plan, root: Path) -> Iterator[tuple[str, str]]:
    """Yield what concerns all tasks and is in no part of a task, each with its word."""
    suite, settings = plan.suite, plan.settings
    yield "executor", settings.executor
    yield "model", settings.model
    yield "judge model", settings.judge_model
    triggers = replace(suite.triggers, path=None) if suite.triggers is not None else None
    yield "trigger tests", value_digest(triggers, root)
    yield "thresholds", value_digest((suite.metrics, suite.scoring), root)
    yield "recordings", value_digest(folder_digests(suite.directory / RECORDINGS_FOLDER))


def _moved_from(now: _Eval, gone: Mapping[Path, _Eval]) -> Path | None:
    """Return the removed eval that has most of the tasks, if any: it was moved or renamed."""
    counts = {path: now.shared_tasks(it) for path, it in gone.items()}
    best = max(counts, key=lambda it: (counts[it], gone[it].name == now.name), default=None)
    return best if best is not None and counts[best] else None


def _changed_eval(chosen: ChosenEval, was: _Eval | None, now: _Eval | None) -> ChangedEval | None:
    """Return what of an eval has to run, or None for nothing. What cannot be loaded runs, so that the run says why."""
    if now is None:
        return ChangedEval(chosen.path, chosen.task_ids, 0, ("cannot be read",))
    ids = [it for it in now.tasks if chosen.task_ids is None or it in chosen.task_ids]
    if was is None:
        return ChangedEval(chosen.path, chosen.task_ids, len(ids), (_NEW_EVAL,)) if ids else None
    whole = [word for word, value in now.whole.items() if was.whole.get(word) != value]
    by_task = {it: words for it in ids if (words := [*_reasons(was.tasks.get(it), now.tasks[it])])}
    if whole and ids:
        return ChangedEval(chosen.path, chosen.task_ids, len(ids), _unique(whole, *by_task.values()))
    if not by_task:
        return None
    task_ids = chosen.task_ids if len(by_task) == len(now.tasks) else tuple(by_task)
    return ChangedEval(chosen.path, task_ids, len(ids), _unique(*by_task.values()))


def _reasons(was: TaskParts | None, now: TaskParts) -> Iterator[str]:
    if was is None:
        yield _NEW_TASK
        return
    for it in fields(TaskParts):
        if getattr(was, it.name) != getattr(now, it.name):
            yield PARTS[it.name]


def _unique(*words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(it for some in words for it in some))


def _changed_skills(root: Path, before: Path) -> tuple[str, ...]:
    was, now = _skills(before), _skills(root)
    return tuple(it for it in sorted({*was, *now}) if was.get(it) != now.get(it))


def _skills(root: Path) -> dict[str, object]:
    found = (it.parent for it in skill_files(root, Projects()))
    return {it.relative_to(root).as_posix(): folder_digests(it) for it in found}
