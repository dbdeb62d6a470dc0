"""Grading recorded trials again, with the graders as they are now: no agent, no tokens.

Each recording's files are put into a fresh workspace; what they look like is all that graders see of it. What the
agent's executor could not know is still unknown.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from waza_engine.recordings import Recording
from waza_engine.replayed import replayed
from waza_engine.runs.frames import frame_of
from waza_engine.runs.grade import Bench, unusable_grader, verdict_on
from waza_engine.runs.judging import judge_for
from waza_engine.runs.plan import Overrides, make_plan
from waza_engine.runs.records import RunRecord, TrialRecord
from waza_engine.runs.store import RunStore
from waza_engine.runs.store_rows import StoredRun
from waza_engine.runs.stored_replay import StoredReplay
from waza_engine.runs.totals import Ending, run_record, seeded, task_record
from waza_engine.runs.workspace import WorkspaceError
from waza_engine.suite import Suite, Task


def regrade(
    store: RunStore,
    run: StoredRun,
    suite: Suite,
    *,
    tasks: tuple[str, ...] = (),
    process_dir: Path,
    environment: Mapping[str, str],
    judge_model: str | None = None,
) -> RunRecord:
    """The record of the run as it would be with the suite's graders of now. Nothing is stored.

    `tasks` are patterns for names and ids; tasks of the suite that the run did not perform are left out.

    Raises:
        PlanError: no task is left, or a pattern is malformed.
        StoreError: the store cannot be read.

    """
    found: dict[str, list[TrialRecord]] = {}
    for it in store.trials(run.run_id):
        found.setdefault(it.record.task, []).append(it.record)
    known = replace(suite, tasks=tuple(it for it in suite.tasks if it.id in found), triggers=None)
    plan = make_plan(known, Overrides(tasks=tasks, executor=run.executor, judge_model=judge_model))
    plan = replace(plan, settings=replace(plan.settings, baseline=False, trials=run.frame.trials))
    bench = Bench(plan, StoredReplay(store, run), process_dir, judge_for(plan, environment))
    frame = replace(frame_of(plan, process_dir), executor=run.executor, model=run.model)
    records = [
        task_record(
            frame.tasks[index],
            [_graded(bench, task, index, it) for it in found[task.id]],
            "",
            seeded(run.run_id, index),
        )
        for index, task in enumerate(plan.tasks)
    ]
    return run_record(
        frame,
        run_id=run.run_id,
        started_at=run.started_at,
        duration_ms=run.end.duration_ms,
        tasks=records,
        triggers=run.end.triggers,
        ending=Ending(),
    )


def _graded(bench: Bench, task: Task, index: int, was: TrialRecord) -> TrialRecord:
    kept = {"trial": was.trial, "task_index": index, "attempts": was.attempts, "started_at": was.started_at}
    if was.trajectory.session is None and was.error:
        return replace(was, task_index=index)  # it was never performed: there is nothing to grade
    if failure := unusable_grader(bench, task):
        return replace(failure, trajectory=was.trajectory, **kept)  # type: ignore[arg-type]  # the values fit their keys
    recording = Recording(task.id, was.trial, was.trajectory, bench.plan.settings.executor)
    try:
        with replayed(task, recording) as trial:
            record = verdict_on(bench, task, was.trajectory, trial.workspace, trial.captured)
    except WorkspaceError as error:
        return replace(was, task_index=index, status="error", error=str(error), graders=())
    return replace(record, **kept)  # type: ignore[arg-type]  # the values fit their keys
