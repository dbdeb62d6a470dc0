"""Regrade recorded trials with the suite's current graders: no agent, no tokens.

Each recording's files are written into a fresh workspace, which is all that graders see of the agent's work. Data that
the original executor could not observe stays unknown.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from waza_engine.executors.base import Executor, ExecutorOptions, UnavailableError
from waza_engine.executors.registry import make_executor
from waza_engine.executors.replay import ReplayExecutor
from waza_engine.graders.entry import Level
from waza_engine.graders.result import GraderFailure, RunVerdict
from waza_engine.grading.grade import grade_entry
from waza_engine.lib.process.sandbox import using
from waza_engine.lib.redaction import Redactor
from waza_engine.model.results.records import GraderOutcome, RunRecord, TaskRecord, TrialRecord
from waza_engine.model.suite import GraderEntry, RunSettings, Suite, Task
from waza_engine.project.load_suite import load_suite
from waza_engine.runs.planning.participants import judge_for, with_sandbox
from waza_engine.runs.planning.plan import Overrides, Plan, PlanError, make_plan, plan_without_skills
from waza_engine.runs.recordings.find import Recording
from waza_engine.runs.recordings.stored_replay import StoredReplay
from waza_engine.runs.reviews import Review, apply_reviews, read_reviews
from waza_engine.runs.run_header import frame_of
from waza_engine.runs.store.record import StoredTrials
from waza_engine.runs.store.rows import StoredRun
from waza_engine.runs.store.store import RunStore
from waza_engine.runs.totals import RunOutcome, run_record, seeded_random, task_record, trial_totals
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
    """A recorded trial that can be graded, with its workspace as the agent left it."""

    recording: Recording
    task: Task
    workspace: Path
    captured: CapturedFiles


def plan_for_grading(eval_path: Path, process_dir: Path) -> Plan:
    """Return the plan for regrading a suite's recordings.

    Raises:
        LoadError: the suite cannot be loaded.
        PlanError: the suite has no tasks.

    """
    plan = make_plan(load_suite(eval_path, process_dir=process_dir), Overrides())
    return with_sandbox(plan, os.environ)


def plan_without_suite(eval_path: Path) -> Plan:
    """Return a plan for grading single entries of a suite that cannot be loaded."""
    suite = Suite("", eval_path, eval_path.parent, "", "", RunSettings())
    return with_sandbox(Plan(suite, (), suite.settings, 1), os.environ)


def bench_for(plan: Plan, recording: Recording, process_dir: Path) -> Bench:
    """Return a bench with the recording's executor, so that data it could not observe stays unknown."""
    executor: Executor
    options = ExecutorOptions(plan.suite.directory, plan.settings.model)
    try:
        executor = make_executor(recording.executor, options)
    except UnavailableError:
        executor = ReplayExecutor(options)
    return Bench(plan, executor, process_dir)


def task_of_recording(plan: Plan, recording: Recording) -> Task:
    """Return the recording's task as it is now. If it was removed, build one from the recording."""
    current = next((it for it in plan.tasks if it.id == recording.task), None)
    return current or Task(recording.task, recording.task, recording.trajectory.prompt)


@contextmanager
def replayed_trial(task: Task, recording: Recording) -> Iterator[ReplayedTrial]:
    """Provide the recorded trial with its workspace, which is deleted afterwards.

    Raises:
        WorkspaceError: the workspace cannot be created.

    """
    trial = lay_out_recording(task, recording)
    try:
        yield trial
    finally:
        remove_workspace(trial.workspace)


def lay_out_recording(task: Task, recording: Recording) -> ReplayedTrial:
    """Write a recording's files into a new workspace. The caller deletes it.

    Raises:
        WorkspaceError: the workspace cannot be created.

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
    """Return the verdict of all graders, including checkpoints, as a run would."""
    recording = trial.recording
    record = unusable_grader_record(bench, trial.task)
    if record is None:
        done = recording.trajectory
        record = grade_trial(bench, trial.task, done, trial.workspace, trial.captured)
        if not done.error:  # The agent's own error stays an error, whatever the checkpoints say.
            record = regrade_checkpoints(
                bench, trial.task, record, recording.checkpoints, done, trial.workspace
            )
    return replace(record, trial=recording.trial, trajectory=recording.trajectory)


def grade_single_entry(bench: Bench, trial: ReplayedTrial, entry: GraderEntry, level: Level) -> GraderOutcome:
    """Grade the trial with a single entry. If it cannot be built or cannot grade, its status is `error`."""
    context = grading_context(bench, trial.task, trial.recording.trajectory, trial.workspace, trial.captured)
    with using(bench.plan.settings.sandbox):
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
    """Grade one recorded trial with all graders of an eval, as a run would, and return the record.

    The recording's files are written into a workspace, which is deleted afterwards. Graders that execute code do so:
    grade only suites that you would run. If a grader needs a judge, `environment` configures it (by default the
    process's environment). `process_dir` is the directory of the run, by default the current one. A grader that cannot
    work sets the record's `status` to `error` and raises nothing.

    Raises:
        LoadError: the suite cannot be loaded.
        PlanError: the suite has no tasks.
        WorkspaceError: the workspace cannot be created.

    """
    start = process_dir or Path.cwd()
    plan = plan_for_grading(eval_path.absolute(), start)
    judge = judge_for(plan, os.environ if environment is None else environment)
    bench = replace(bench_for(plan, recording, start), judge=judge)
    with replayed_trial(task_of_recording(plan, recording), recording) as trial:
        return regrade_trial(bench, trial)


Keep = Callable[[StoredRun, TrialRecord, TrialRecord], None]
"""Gets a run with a stored trial as it was and as it is graded now."""


def _keep_nothing(_run: StoredRun, _was: TrialRecord, _now: TrialRecord) -> None:
    pass


_TrialsByIndex = Mapping[int, Sequence[TrialRecord]]
"""The trials of a run by their task's index in the run."""


@dataclass(frozen=True, slots=True)
class RegradeOptions:
    """Which tasks of a run are graded again, and where the trials go.

    `tasks` are patterns for names and ids. Tasks that the run did not perform are left out. With `scratch`, an empty
    store, the trials of the record are there and not in memory. It must outlive the record.
    """

    tasks: tuple[str, ...] = ()
    keep: Keep = _keep_nothing
    scratch: RunStore | None = None


def regrade(
    store: RunStore,
    run: StoredRun,
    suite: Suite,
    process_dir: Path,
    environment: Mapping[str, str],
    options: RegradeOptions = RegradeOptions(),  # frozen
) -> RunRecord:
    """Return the run's record with the suite's current graders. Nothing is stored, unless `options.keep` stores it.

    The judge's model is the eval's own; `.waza.yaml` is ignored (docs/reference/waza-graders.md, section 5.6.1).

    Raises:
        PlanError: the run performed no task, no task is left, or a pattern is malformed.
        StoreError: the store cannot be read.

    """
    trials = _trials_by_index(store, run)
    if not trials:
        reason = f": {run.end.error}" if run.end.error else ""
        raise PlanError(f"Run {run.run_id} performed no task{reason}. There is nothing to grade")
    overrides = Overrides(tasks=options.tasks, judge_model=suite.settings.own_judge_model)
    plan, indices = _regrade_plan(run, suite, overrides, trials)
    judge = judge_for(plan, environment)
    second = store.baseline_of(run.run_id)
    without = _trials_by_index(store, second) if second else {}
    baseline = None
    if second and without:
        bench = Bench(plan_without_skills(plan), StoredReplay(store, second), process_dir, judge)
        baseline = _regraded_record(bench, second, _in_order(without, indices), options)
    bench = Bench(plan, StoredReplay(store, run), process_dir, judge)
    reviews = read_reviews(store.directory)
    return _regraded_record(bench, run, _in_order(trials, indices), options, baseline, reviews)


def _in_order(trials: _TrialsByIndex, indices: Sequence[int]) -> list[Sequence[TrialRecord]]:
    return [trials.get(it, ()) for it in indices]


def _trials_by_index(store: RunStore, run: StoredRun) -> _TrialsByIndex:
    numbers: dict[int, list[int]] = {}
    for index, number in store.finished(run.run_id):
        numbers.setdefault(index, []).append(number)
    return {index: StoredTrials(store, run.run_id, index, tuple(its)) for index, its in numbers.items()}


def _regrade_plan(
    run: StoredRun, suite: Suite, overrides: Overrides, trials: _TrialsByIndex
) -> tuple[Plan, tuple[int, ...]]:
    """Return the plan for the tasks that the run performed, and each one's index in the run."""
    performed = {index: found[0].task for index, found in trials.items()}
    known = tuple(it for it in suite.tasks if it.id in performed.values())
    if suite.tasks and not known:
        gone = ", ".join(dict.fromkeys(performed.values()))
        raise PlanError(f"Run {run.run_id} performed none of the tasks in {suite.path}. It performed {gone}")
    # Verdicts in a run with a baseline follow their own rule.
    overrides = replace(overrides, executor=run.executor, baseline=run.frame.overrides.baseline)
    plan = with_sandbox(make_plan(replace(suite, tasks=known, triggers=None), overrides), os.environ)
    names = {index: it.name for index, it in enumerate(run.frame.tasks)}
    places = _run_indices(
        plan.tasks, {index: (task, names.get(index, "")) for index, task in performed.items()}
    )
    chosen = tuple(task for task, place in zip(plan.tasks, places, strict=True) if place is not None)
    settings = replace(plan.settings, trials=run.frame.trials)
    return replace(plan, tasks=chosen, settings=settings), tuple(it for it in places if it is not None)


def _run_indices(tasks: Sequence[Task], performed: Mapping[int, tuple[str, str]]) -> list[int | None]:
    """Return each task's index in the run, by id. If several have the id, the one with the same name is preferred."""
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
    trials: Sequence[Sequence[TrialRecord]],
    options: RegradeOptions,
    baseline: RunRecord | None = None,
    reviews: Sequence[Review] = (),
) -> RunRecord:
    """Grade the stored trials of each task of the plan, and return the record."""
    # Graders may quote secrets of this process, such as the key that an endpoint refuses.
    redactor, scratch = Redactor.of(bench.environment), options.scratch

    def review(trial: TrialRecord) -> TrialRecord:
        return apply_reviews(run.run_id, trial, reviews)

    def grade(task: Task, position: int, was: TrialRecord) -> TrialRecord:
        now = redactor.data(_regrade_stored_trial(bench, task, position, was))
        options.keep(run, was, now)
        if scratch is not None:
            scratch.save_trial(run.run_id, now)
        return review(now)

    def record_of(task: Task, position: int, stored: Sequence[TrialRecord]) -> TaskRecord:
        planned, chance = frame.tasks[position], seeded_random(run.run_id, position)
        graded = (grade(task, position, it) for it in stored)
        if scratch is None:
            return task_record(planned, list(graded), "", chance)
        totals = [(it.trial, trial_totals(it)) for it in graded]
        numbers = tuple(number for number, _ in totals)
        written = StoredTrials(scratch, run.run_id, position, numbers, adapt=review)
        return task_record(planned, written, "", chance, [it for _, it in totals])

    frame = replace(frame_of(bench.plan, bench.process_dir), executor=run.executor, model=run.model)
    if scratch is not None:
        scratch.start_run(run.run_id, run.eval_path, frame, started_at=run.started_at)
    records = [
        record_of(task, position, stored)
        for position, (task, stored) in enumerate(zip(bench.plan.tasks, trials, strict=True))
    ]
    return run_record(
        frame,
        RunOutcome(
            run_id=run.run_id,
            started_at=run.started_at,
            duration_ms=run.end.duration_ms,
            tasks=records,
            triggers=run.end.triggers,
            baseline=baseline,
        ),
    )


def _regrade_stored_trial(bench: Bench, task: Task, index: int, was: TrialRecord) -> TrialRecord:
    kept = {"trial": was.trial, "task_index": index, "attempts": was.attempts, "started_at": was.started_at}
    if was.trajectory.session is None and was.error:
        return replace(was, task_index=index)  # it was never performed, so there is nothing to grade
    if was.trajectory.error and bench.plan.suite.scoring is None:
        # The agent's own error stays an error without results (docs/reference/waza-graders.md, section 2.6).
        return replace(was, task_index=index, status="error", score=0.0, weighted_score=0.0, graders=())
    if failure := unusable_grader_record(bench, task):
        return replace(failure, trajectory=was.trajectory, **kept)  # type: ignore[arg-type]  # the values fit their keys
    recording = Recording(task.id, was.trial, was.trajectory, bench.plan.settings.executor)
    try:
        with replayed_trial(task, recording) as trial:
            record = grade_trial(bench, task, was.trajectory, trial.workspace, trial.captured)
            record = regrade_checkpoints(
                bench, task, record, was.checkpoints, was.trajectory, trial.workspace
            )
    except WorkspaceError as error:
        return replace(was, task_index=index, status="error", error=str(error), graders=())
    return replace(record, **kept)  # type: ignore[arg-type]  # the values fit their keys
