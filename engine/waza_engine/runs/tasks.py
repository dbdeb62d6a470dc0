"""Run the tasks of a run, sequentially or in parallel (docs/reference/waza-formats.md, section 13.5).

The trials of one task always run one after another. `fail_fast` applies only to sequential runs: the first task that
does not pass ends the run, and the remaining tasks are missing from its results.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from waza_engine.lib.plurals import counted
from waza_engine.model.results.records import TaskRecord, TrialRecord
from waza_engine.model.results.scores import TrialTotals
from waza_engine.model.suite import Task
from waza_engine.runs.events import TaskFinished, TaskStarted, TrialFinished, TrialProgress, TrialStarted
from waza_engine.runs.hooks import run_hooks
from waza_engine.runs.live import LiveRun
from waza_engine.runs.store.record import StoredTrials
from waza_engine.runs.totals import seeded_random, task_record, trial_totals


async def run_tasks(live: LiveRun) -> None:
    """Run all tasks of the plan and put their records into `live.tasks`, even when cancelled midway."""
    if live.plan.settings.parallel:
        await _run_in_parallel(live)
    else:
        await _run_in_order(live)


async def _run_in_order(live: LiveRun) -> None:
    for index in range(len(live.plan.tasks)):
        await _run_task(live, index)
        left = len(live.plan.tasks) - index - 1
        if live.plan.settings.fail_fast and left and _is_bad(live, index):
            live.warn(f"fail_fast: {counted(left, 'task')} skipped after the first one that did not pass")
            return


def _is_bad(live: LiveRun, index: int) -> bool:
    """Whether a task ended the run's hope. Without trials there is no record, and in quarantine it does not count."""
    record = live.tasks.get(index)
    return record is not None and record.status != "passed" and not live.plan.tasks[index].quarantine


async def _run_in_parallel(live: LiveRun) -> None:
    left = iter(range(len(live.plan.tasks)))

    async def worker() -> None:
        for index in left:
            await _run_task(live, index)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(live.plan.workers):
                group.create_task(worker())
    except ExceptionGroup as problems:
        # The first problem cancelled the other workers. The caller handles it as in a sequential run.
        raise problems.exceptions[0] from problems


async def _run_task(live: LiveRun, index: int) -> None:
    task = live.plan.tasks[index]
    live.emit(TaskStarted(live.run_id, task.id, task.name, task.path, task.pointer))
    done = TaskTrials(live, index)
    error = ""
    try:
        numbers = range(1, live.plan.settings.trials + 1)
        to_do = any((index, it) not in live.finished for it in numbers)
        error = await run_before_hooks(live) if to_do else ""
        if not error:
            for number in numbers:
                done.add(number, *await run_or_read_trial(live, index, number))
            if to_do:
                await run_after_hooks(live)
    finally:
        record = done.record(error)
        if done.totals or error:
            live.tasks[index] = record
        live.emit(task_finished(live, task, record))


@dataclass(slots=True)
class TaskTrials:
    """The trials of a task so far. Records are kept in memory only if they could not be stored."""

    live: LiveRun
    index: int
    numbers: list[int] = field(default_factory=list)
    totals: list[TrialTotals] = field(default_factory=list)
    unstored: dict[int, TrialRecord] = field(default_factory=dict)

    def add(self, number: int, record: TrialRecord, is_stored: bool) -> None:
        self.numbers.append(number)
        self.totals.append(trial_totals(record))
        if not is_stored:
            self.unstored[number] = record

    def record(self, error: str) -> TaskRecord:
        live, numbers = self.live, tuple(self.numbers)
        trials: Sequence[TrialRecord] = tuple(self.unstored[it] for it in numbers if it in self.unstored)
        if len(trials) < len(numbers) and live.store is not None:
            trials = StoredTrials(live.store, live.run_id, self.index, numbers, self.unstored)
        return task_record(
            live.frame.tasks[self.index], trials, error, seeded_random(live.run_id, self.index), self.totals
        )


async def run_before_hooks(live: LiveRun) -> str:
    """Run the `before_task` hooks. Return the error that stops the task, or ""."""
    outcome = await run_hooks("before_task", live.plan.suite.hooks, live.bench.process_dir)
    for it in outcome.warnings:
        live.warn(it)
    return live.redactor.text(outcome.error)


async def run_after_hooks(live: LiveRun) -> None:
    """Run the `after_task` hooks. Their problems are warnings."""
    outcome = await run_hooks("after_task", live.plan.suite.hooks, live.bench.process_dir)
    for it in (*outcome.warnings, outcome.error):
        if it:
            live.warn(it)


async def run_or_read_trial(live: LiveRun, index: int, number: int) -> tuple[TrialRecord, bool]:
    """Run a trial, or read it if it has finished earlier. Return its record and whether it is stored."""
    task = live.plan.tasks[index]
    live.emit(TrialStarted(live.run_id, task.id, number))
    if (index, number) in live.finished and live.store is not None:
        record = live.store.trial(live.run_id, index, number)
        live.emit(_trial_finished(live, record))
        return record, True
    try:
        record = await live.perform(
            live.bench,
            index,
            number,
            lambda text: live.emit(TrialProgress(live.run_id, task.id, number, text)),
        )
    except asyncio.CancelledError:
        live.emit(
            TrialFinished(
                live.run_id, task.id, number, "skipped", 0.0, 0.0, 0, 0, "The run was cancelled", ()
            )
        )
        raise
    record = live.redactor.data(record)
    if record.trajectory.prompt not in {"", task.prompt, live.redactor.text(task.prompt)}:
        live.warn(f"{task.id}: the task's prompt has changed since trial {number} was recorded")
    is_stored = live.save(lambda store: store.save_trial(live.run_id, record))
    live.emit(_trial_finished(live, record))
    return record, is_stored


def _trial_finished(live: LiveRun, record: TrialRecord) -> TrialFinished:
    return TrialFinished(
        run_id=live.run_id,
        task=record.task,
        trial=record.trial,
        status=record.status,
        score=record.score,
        weighted_score=record.weighted_score,
        attempts=record.attempts,
        duration_ms=record.trajectory.duration_ms,
        error=record.error,
        graders=record.graders,
        infrastructure=record.infrastructure,
    )


def task_finished(live: LiveRun, task: Task, record: TaskRecord) -> TaskFinished:
    """Return the event about a task that has its verdict."""
    score, weighted = (
        (record.stats.avg_score, record.stats.avg_weighted_score) if record.stats else (0.0, 0.0)
    )
    return TaskFinished(
        live.run_id, task.id, record.status, score, weighted, record.error, record.status == "error"
    )
