"""Grading recorded trials again, with the graders as they are now: no agent, no tokens.

Each recording's files are put into a fresh workspace; what they look like is all that graders see of it. What the
agent's executor could not know is still unknown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from waza_engine.recordings import Recording
from waza_engine.replayed import replayed
from waza_engine.reviews import Review
from waza_engine.runs.checkpoints import with_checkpoints_again
from waza_engine.runs.frames import frame_of
from waza_engine.runs.grade import Bench, unusable_grader, verdict_on
from waza_engine.runs.judging import judge_for
from waza_engine.runs.plan import Overrides, Plan, PlanError, make_plan, plan_without_skills
from waza_engine.runs.records import RunRecord, TrialRecord
from waza_engine.runs.reviewed import read_reviews, with_reviews
from waza_engine.runs.store import RunStore
from waza_engine.runs.store_rows import StoredRun
from waza_engine.runs.stored_replay import StoredReplay
from waza_engine.runs.totals import Ending, run_record, seeded, task_record
from waza_engine.runs.workspace import WorkspaceError
from waza_engine.suite import Suite, Task

_Trials = Mapping[int, Sequence[TrialRecord]]
"""The trials of a run by the index that their task has in it."""


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
    Without `judge_model` that of the eval is asked: `.waza.yaml` has no say here
    (docs/reference/waza-graders.md, section 5.6.1).

    Raises:
        PlanError: nothing was performed, no task is left, or a pattern is malformed.
        StoreError: the store cannot be read.

    """
    trials = _trials(store, run)
    if not trials:
        why = f": {run.end.error}" if run.end.error else ""
        raise PlanError(f"Run {run.run_id} performed no task{why}. There is nothing to grade")
    asked = suite.settings.own_judge_model if judge_model is None else judge_model
    plan, indices = _plan(run, suite, Overrides(tasks=tasks, judge_model=asked), trials)
    judge = judge_for(plan, environment)
    second = store.baseline_of(run.run_id)
    without = _trials(store, second) if second else {}
    baseline = None
    if second and without:
        bench = Bench(plan_without_skills(plan), StoredReplay(store, second), process_dir, judge)
        baseline = _record(bench, second, indices, without)
    bench = Bench(plan, StoredReplay(store, run), process_dir, judge)
    return _record(bench, run, indices, trials, baseline, read_reviews(store.directory))


def _trials(store: RunStore, run: StoredRun) -> _Trials:
    found: dict[int, list[TrialRecord]] = {}
    for it in store.trials(run.run_id):
        found.setdefault(it.record.task_index, []).append(it.record)
    return found


def _plan(
    run: StoredRun, suite: Suite, overrides: Overrides, trials: _Trials
) -> tuple[Plan, tuple[int, ...]]:
    """The plan for the tasks that were performed, and the index that each of them has in the run."""
    performed = {index: found[0].task for index, found in trials.items()}
    known = tuple(it for it in suite.tasks if it.id in performed.values())
    if suite.tasks and not known:
        gone = ", ".join(dict.fromkeys(performed.values()))
        raise PlanError(f"Run {run.run_id} performed none of the tasks that {suite.path} has now, but {gone}")
    # A verdict in a run with a baseline follows a rule of its own.
    overrides = replace(overrides, executor=run.executor, baseline=run.frame.overrides.baseline)
    plan = make_plan(replace(suite, tasks=known, triggers=None), overrides)
    names = {index: it.name for index, it in enumerate(run.frame.tasks)}
    places = _places(plan.tasks, {index: (task, names.get(index, "")) for index, task in performed.items()})
    chosen = tuple(task for task, place in zip(plan.tasks, places, strict=True) if place is not None)
    settings = replace(plan.settings, trials=run.frame.trials)
    return replace(plan, tasks=chosen, settings=settings), tuple(it for it in places if it is not None)


def _places(tasks: Sequence[Task], performed: Mapping[int, tuple[str, str]]) -> list[int | None]:
    """Which of the performed tasks, by id and name, each task is: of several with its id, that with its name."""
    left = dict(performed)
    places: list[int | None] = [None] * len(tasks)
    for by_name in (True, False):
        for position, it in enumerate(tasks):
            fits = (i for i, (id_, name) in left.items() if id_ == it.id and (not by_name or name == it.name))
            if places[position] is None and (index := next(fits, None)) is not None:
                places[position] = index
                del left[index]
    return places


def _record(
    bench: Bench,
    run: StoredRun,
    indices: Sequence[int],
    trials: _Trials,
    baseline: RunRecord | None = None,
    said: Sequence[Review] = (),
) -> RunRecord:
    frame = replace(frame_of(bench.plan, bench.process_dir), executor=run.executor, model=run.model)
    records = [
        task_record(
            frame.tasks[position],
            [
                with_reviews(run.run_id, _graded(bench, task, position, it), said)
                for it in trials.get(index, ())
            ],
            "",
            seeded(run.run_id, position),
        )
        for position, (task, index) in enumerate(zip(bench.plan.tasks, indices, strict=True))
    ]
    return run_record(
        frame,
        run_id=run.run_id,
        started_at=run.started_at,
        duration_ms=run.end.duration_ms,
        tasks=records,
        triggers=run.end.triggers,
        ending=Ending(),
        baseline=baseline,
    )


def _graded(bench: Bench, task: Task, index: int, was: TrialRecord) -> TrialRecord:
    kept = {"trial": was.trial, "task_index": index, "attempts": was.attempts, "started_at": was.started_at}
    if was.trajectory.session is None and was.error:
        return replace(was, task_index=index)  # it was never performed: there is nothing to grade
    if was.trajectory.error and bench.plan.suite.scoring is None:
        # What the agent itself got wrong stays an error without results (docs/reference/waza-graders.md,
        # section 2.6).
        return replace(was, task_index=index, status="error", score=0.0, weighted_score=0.0, graders=())
    if failure := unusable_grader(bench, task):
        return replace(failure, trajectory=was.trajectory, **kept)  # type: ignore[arg-type]  # the values fit their keys
    recording = Recording(task.id, was.trial, was.trajectory, bench.plan.settings.executor)
    try:
        with replayed(task, recording) as trial:
            record = verdict_on(bench, task, was.trajectory, trial.workspace, trial.captured)
            record = with_checkpoints_again(
                bench, task, record, was.checkpoints, was.trajectory, trial.workspace
            )
    except WorkspaceError as error:
        return replace(was, task_index=index, status="error", error=str(error), graders=())
    return replace(record, **kept)  # type: ignore[arg-type]  # the values fit their keys
