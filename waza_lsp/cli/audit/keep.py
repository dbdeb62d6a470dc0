"""`waza-lsp audit --keep TASK:MUTANT`: keep broken work as a recording that must fail."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from waza_engine.audit.counter_examples import CounterExampleError, keep_counter_example
from waza_engine.audit.other_trials import first_trials, other_trials
from waza_engine.audit.run import AuditOptions, skill_text, task_grading, work_to_keep
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.recordings.find import Recording
from waza_engine.runs.trial.workspace import WorkspaceError


class Wanted(NamedTuple):
    """Broken work to keep: of the task with this id, the one with this key."""

    task: str
    key: str

    @classmethod
    def parse(cls, text: str) -> "Wanted | None":
        """Read `TASK:MUTANT`; None if it is something else. A task's id may have colons."""
        task, _, key = text.rpartition(":")
        return cls(task, key) if task and key else None


class Kept(NamedTuple):
    """A file with broken work, and what is broken in it; or, without a file, the problem."""

    path: Path | None
    text: str


def keep(
    plan: Plan,
    recordings: Mapping[str, Sequence[Recording]],
    process_dir: Path,
    wanted: Wanted,
    options: AuditOptions,
) -> Kept:
    """Write a piece of broken work of a task of the plan into a new file of its counter examples."""
    task = next(it for it in plan.tasks if it.id == wanted.task)
    others = other_trials(first_trials(recordings), task)
    try:
        with task_grading(plan, task, process_dir, options) as grading:
            own = recordings.get(task.id, ())
            found = work_to_keep(grading, own, wanted.key, others=others, skill=skill_text(plan.suite))
        if found is None:
            return Kept(None, f"Task '{task.id}' has no mutant '{wanted.key}'. The audit shows their names")
        return Kept(keep_counter_example(plan.suite.path, task.id, found.trajectory), found.attempt.change)
    except (WorkspaceError, CounterExampleError) as error:
        return Kept(None, str(error))
