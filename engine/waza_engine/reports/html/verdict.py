"""Prepare the first screen of the HTML report: the verdict, and why the worst tasks failed.

At 1280x800, it has room for a number of lines, which the failed tasks share.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from waza_engine.model.results.records import RunRecord, TaskRecord
from waza_engine.reports.evidence import Evidence, Sources
from waza_engine.reports.html.checks import Check, trial_checks
from waza_engine.reports.reasons import verdict as run_verdict

_MOST_TASKS = 10
_LINES = 28
"""The lines of the first screen below the verdict."""
_WIDTH = 120
"""The characters of a line of the verdict."""
_MOST_LINES = 4
"""A check has at most so many lines."""
FINE = frozenset(["passed", "skipped"])
"""The statuses of trials that need no look."""
_STATUSES = ("passed", "failed", "error", "skipped")


@dataclass(frozen=True, slots=True)
class FailedTask:
    """A task that did not pass: its failed checks, and how many more it has. `index` is its place in the run."""

    record: TaskRecord
    index: int
    checks: list[Check]
    more: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The first screen. `error` is that of the run if `text` does not have it. `counts` are the numbers of tasks by status; a check has `lines` lines."""

    text: str
    error: str
    wrong_triggers: int
    counts: list[tuple[str, int]]
    tasks: list[FailedTask]
    more: int
    lines: int


def worst_first(tasks: Sequence[TaskRecord]) -> list[tuple[int, TaskRecord]]:
    """Return the tasks with their index, those that need a look first; the rest in the order of the run."""
    return sorted(enumerate(tasks), key=lambda it: _badness(it[1]))


def needs_a_look(task: TaskRecord) -> bool:
    """Whether the task neither passed nor was skipped."""
    return task.status in {"failed", "error"}


def _badness(task: TaskRecord) -> tuple[int, float, float]:
    if not needs_a_look(task):
        return 3, 0.0, 0.0
    if task.quarantine:
        return 2, 0.0, 0.0
    if task.stats is None:
        return (0 if task.status == "failed" else 1), 0.0, 0.0
    return (0 if task.status == "failed" else 1), task.stats.pass_rate, task.stats.avg_score


def verdict(record: RunRecord, ordered: Sequence[tuple[int, TaskRecord]], sources: Sources) -> Verdict:
    """Return the first screen. `ordered` are the tasks with their index, the worst first."""
    _, reason = run_verdict(record)
    bad = [it for it in ordered if needs_a_look(it[1])]
    error = "" if record.error in reason else record.error
    room = max(_MOST_TASKS, _LINES - len(reason + error) // _WIDTH)
    tasks = list(_failed_tasks(bad[:_MOST_TASKS], room, sources))
    lines = room - len(tasks)
    counts = [(it, sum(task.status == it for task in record.tasks)) for it in _STATUSES]
    return Verdict(
        reason,
        error,
        sum(bool(it.error) or it.did_trigger != it.should_trigger for it in record.triggers),
        [it for it in counts if it[1]],
        tasks,
        len(bad) - len(tasks),
        max(1, min(_MOST_LINES, lines // (sum(len(it.checks) for it in tasks) or 1))),
    )


def _failed_tasks(
    bad: Sequence[tuple[int, TaskRecord]], lines: int, sources: Sources
) -> Iterator[FailedTask]:
    """Yield the tasks. Each has its share of the lines: one for its name, the others for its checks."""
    for place, (index, task) in enumerate(bad):
        checks = _checks(index, task, sources)
        share = max(1, math.ceil(lines / (len(bad) - place)) - 1)
        yield FailedTask(task, index, checks[:share], max(0, len(checks) - share))
        lines -= 1 + min(share, len(checks))


def _checks(index: int, task: TaskRecord, sources: Sources) -> list[Check]:
    """Why a task failed: each cause once, from the first trial that has it. One check of each grader comes first."""
    found: dict[object, Check] = {}
    if task.error:
        found[""] = Check(Evidence("error", task.error), f"task-{index}", "task", 0, 0)
    for trial in task.trials:
        if trial.status not in FINE:
            for key, check in trial_checks(index, trial, sources).items():
                found.setdefault(key, check)
    seen: Counter[str] = Counter()
    ranks: list[tuple[int, Check]] = []
    for check in found.values():
        ranks.append((seen[check.title], check))
        seen[check.title] += 1
    return [it for _, it in sorted(ranks, key=lambda it: it[0])]
