"""Grading recorded trials again, with the graders as they are now: no agent, no tokens.

Each recording's files are put into a fresh workspace; what they look like is all that graders see of it. What the
agent's executor could not know is still unknown.

Grading a recorded trial again: no agent, no cost; the workspace is put together from the recording.

A recorded trial graded with the suite's graders as they are now: no agent, no cost.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from waza_engine.executors.base import Executor, ExecutorOptions, UnavailableError
from waza_engine.executors.registry import make_executor
from waza_engine.executors.replay import ReplayExecutor
from waza_engine.graders.entry import Level
from waza_engine.graders.result import GraderFailure, RunVerdict
from waza_engine.grading.grade import grade_entry
from waza_engine.model.records import GraderOutcome, RunRecord, TrialRecord
from waza_engine.model.suite import GraderEntry, RunSettings, Suite, Task
from waza_engine.project.load_suite import load_suite
from waza_engine.runs.planning.participants import judge_for
from waza_engine.runs.planning.plan import Overrides, Plan, PlanError, make_plan, plan_without_skills
from waza_engine.runs.recordings.find import Recording
from waza_engine.runs.recordings.stored_replay import StoredReplay
from waza_engine.runs.reviews import Review, apply_reviews, read_reviews
from waza_engine.runs.run_header import frame_of
from waza_engine.runs.store.rows import StoredRun
from waza_engine.runs.store.store import RunStore
from waza_engine.runs.totals import Ending, run_record, seeded_random, task_record
from waza_engine.runs.trial.checkpoints import regrade_checkpoints
from waza_engine.runs.trial.grade import (
    Bench,
    grade_trial,
    grader_outcomes,
    grading_context,
    unusable_grader_record,
)
from waza_engine.runs.trial.workspace import (
    CapturedFiles,
    WorkspaceError,
    capture,
    delete_files,
    make_workspace,
    remove_workspace,
    write_files,
)


@dataclass(frozen=True, slots=True)
class ReplayedTrial:
    """A recorded trial that can be graded: its workspace is there as the agent left it."""

    recording: Recording
    task: Task
    workspace: Path
    captured: CapturedFiles


def plan_for_grading(eval_path: Path, process_dir: Path) -> Plan:
    """The plan of a suite whose recordings are graded.

    Raises:
        LoadError: the suite cannot be loaded.
        PlanError: it has no tasks.

    """
    return make_plan(load_suite(eval_path, process_dir=process_dir), Overrides())


def plan_without_suite(eval_path: Path) -> Plan:
    """A plan for grading single entries while the suite itself cannot be loaded."""
    suite = Suite("", eval_path, eval_path.parent, "", "", RunSettings())
    return Plan(suite, (), suite.settings, 1)


def bench_for(plan: Plan, recording: Recording, process_dir: Path) -> Bench:
    """A bench that knows what the executor of a recording could not know."""
    executor: Executor
    options = ExecutorOptions(plan.suite.directory, plan.settings.model)
    try:
        executor = make_executor(recording.executor, options)
    except UnavailableError:
        executor = ReplayExecutor(options)
    return Bench(plan, executor, process_dir)


def task_of_recording(plan: Plan, recording: Recording) -> Task:
    """The task of a recording as it is now; of a task that is no more, what the recording says of it."""
    known = next((it for it in plan.tasks if it.id == recording.task), None)
    return known or Task(recording.task, recording.task, recording.trajectory.prompt)


@contextmanager
def replayed(task: Task, recording: Recording) -> Iterator[ReplayedTrial]:
    """The recorded trial with its workspace, which is deleted afterwards.

    Raises:
        WorkspaceError: the workspace cannot be made.

    """
    made = lay_out_recording(task, recording)
    try:
        yield made
    finally:
        remove_workspace(made.workspace)


def lay_out_recording(task: Task, recording: Recording) -> ReplayedTrial:
    """As `replayed`, for those who keep the workspace and delete it themselves.

    Raises:
        WorkspaceError: the workspace cannot be made.

    """
    trajectory = recording.trajectory
    workspace = make_workspace(task.files)
    try:
        write_files(workspace, ((name, text.encode()) for name, text in trajectory.files.items()))
        delete_files(workspace, trajectory.removed)
        return ReplayedTrial(recording, task, workspace, capture(workspace, task.files))
    except BaseException:
        remove_workspace(workspace)
        raise


def regrade_trial(bench: Bench, trial: ReplayedTrial) -> TrialRecord:
    """The verdict of all graders, those of checkpoints too, as a run would give it."""
    recording = trial.recording
    record = unusable_grader_record(bench, trial.task)
    if record is None:
        done = recording.trajectory
        record = grade_trial(bench, trial.task, done, trial.workspace, trial.captured)
        if not done.error:  # What the agent itself got wrong stays an error, whatever a checkpoint says.
            record = regrade_checkpoints(
                bench, trial.task, record, recording.checkpoints, done, trial.workspace
            )
    return replace(record, trial=recording.trial, trajectory=recording.trajectory)


def grade_single_entry(bench: Bench, trial: ReplayedTrial, entry: GraderEntry, level: Level) -> GraderOutcome:
    """What a single entry says about the trial. One that cannot be built or cannot grade has the status `error`."""
    context = grading_context(bench, trial.task, trial.recording.trajectory, trial.workspace, trial.captured)
    graded = grade_entry(entry, context, entry.dialect, level)
    verdict = (
        RunVerdict("error", error=graded)
        if isinstance(graded, GraderFailure)
        else RunVerdict("passed", results={graded.name: graded})
    )
    [outcome] = grader_outcomes(verdict, (entry,))
    return outcome


def grade_recording(
    eval_path: Path,
    recording: Recording,
    *,
    process_dir: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> TrialRecord:
    """What all graders of an eval say about one recorded trial of one of its tasks, as a run would give it.

    The files of the recording are laid out in a workspace, which is deleted afterwards. Graders that execute something
    do so: grade only suites that you would run. A judge is made from `environment` (by default that of the process)
    when a grader needs one. `process_dir` is where the run would have been started, by default the current directory.
    A grader that cannot work makes the record's `status` `error`; that is no exception.

    Raises:
        LoadError: the suite cannot be loaded.
        PlanError: it has no tasks.
        WorkspaceError: the workspace cannot be made.

    """
    start = process_dir or Path.cwd()
    plan = plan_for_grading(eval_path.absolute(), start)
    judge = judge_for(plan, os.environ if environment is None else environment)
    bench = replace(bench_for(plan, recording, start), judge=judge)
    with replayed(task_of_recording(plan, recording), recording) as trial:
        return regrade_trial(bench, trial)


_TrialsByIndex = Mapping[int, Sequence[TrialRecord]]
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
    trials = _trials_by_index(store, run)
    if not trials:
        why = f": {run.end.error}" if run.end.error else ""
        raise PlanError(f"Run {run.run_id} performed no task{why}. There is nothing to grade")
    asked = suite.settings.own_judge_model if judge_model is None else judge_model
    plan, indices = _regrade_plan(run, suite, Overrides(tasks=tasks, judge_model=asked), trials)
    judge = judge_for(plan, environment)
    second = store.baseline_of(run.run_id)
    without = _trials_by_index(store, second) if second else {}
    baseline = None
    if second and without:
        bench = Bench(plan_without_skills(plan), StoredReplay(store, second), process_dir, judge)
        baseline = _regraded_record(bench, second, indices, without)
    bench = Bench(plan, StoredReplay(store, run), process_dir, judge)
    return _regraded_record(bench, run, indices, trials, baseline, read_reviews(store.directory))


def _trials_by_index(store: RunStore, run: StoredRun) -> _TrialsByIndex:
    found: dict[int, list[TrialRecord]] = {}
    for it in store.trials(run.run_id):
        found.setdefault(it.record.task_index, []).append(it.record)
    return found


def _regrade_plan(
    run: StoredRun, suite: Suite, overrides: Overrides, trials: _TrialsByIndex
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
    places = _run_indices(
        plan.tasks, {index: (task, names.get(index, "")) for index, task in performed.items()}
    )
    chosen = tuple(task for task, place in zip(plan.tasks, places, strict=True) if place is not None)
    settings = replace(plan.settings, trials=run.frame.trials)
    return replace(plan, tasks=chosen, settings=settings), tuple(it for it in places if it is not None)


def _run_indices(tasks: Sequence[Task], performed: Mapping[int, tuple[str, str]]) -> list[int | None]:
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


def _regraded_record(
    bench: Bench,
    run: StoredRun,
    indices: Sequence[int],
    trials: _TrialsByIndex,
    baseline: RunRecord | None = None,
    said: Sequence[Review] = (),
) -> RunRecord:
    frame = replace(frame_of(bench.plan, bench.process_dir), executor=run.executor, model=run.model)
    records = [
        task_record(
            frame.tasks[position],
            [
                apply_reviews(run.run_id, _regrade_stored_trial(bench, task, position, it), said)
                for it in trials.get(index, ())
            ],
            "",
            seeded_random(run.run_id, position),
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


def _regrade_stored_trial(bench: Bench, task: Task, index: int, was: TrialRecord) -> TrialRecord:
    kept = {"trial": was.trial, "task_index": index, "attempts": was.attempts, "started_at": was.started_at}
    if was.trajectory.session is None and was.error:
        return replace(was, task_index=index)  # it was never performed: there is nothing to grade
    if was.trajectory.error and bench.plan.suite.scoring is None:
        # What the agent itself got wrong stays an error without results (docs/reference/waza-graders.md,
        # section 2.6).
        return replace(was, task_index=index, status="error", score=0.0, weighted_score=0.0, graders=())
    if failure := unusable_grader_record(bench, task):
        return replace(failure, trajectory=was.trajectory, **kept)  # type: ignore[arg-type]  # the values fit their keys
    recording = Recording(task.id, was.trial, was.trajectory, bench.plan.settings.executor)
    try:
        with replayed(task, recording) as trial:
            record = grade_trial(bench, task, was.trajectory, trial.workspace, trial.captured)
            record = regrade_checkpoints(
                bench, task, record, was.checkpoints, was.trajectory, trial.workspace
            )
    except WorkspaceError as error:
        return replace(was, task_index=index, status="error", error=str(error), graders=())
    return replace(record, **kept)  # type: ignore[arg-type]  # the values fit their keys
