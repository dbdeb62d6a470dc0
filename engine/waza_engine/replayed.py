"""Grading a recorded trial again: no agent, no cost; the workspace is put together from the recording."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from waza_engine.executors.base import Executor, ExecutorOptions, UnavailableError
from waza_engine.executors.registry import make_executor
from waza_engine.executors.replay import ReplayExecutor
from waza_engine.graders.entry import Level
from waza_engine.graders.result import GraderFailure, RunVerdict
from waza_engine.grading import grade_entry
from waza_engine.project.load_suite import load_suite
from waza_engine.recordings import Recording
from waza_engine.runs.checkpoints import with_checkpoints_again
from waza_engine.runs.grade import Bench, grading_context, outcomes, unusable_grader, verdict_on
from waza_engine.runs.plan import Overrides, Plan, make_plan
from waza_engine.runs.records import GraderOutcome, TrialRecord
from waza_engine.runs.workspace import (
    Captured,
    capture,
    delete_files,
    make_workspace,
    remove_workspace,
    write_files,
)
from waza_engine.suite import GraderEntry, RunSettings, Suite, Task


@dataclass(frozen=True, slots=True)
class Replayed:
    """A recorded trial that can be graded: its workspace is there as the agent left it."""

    recording: Recording
    task: Task
    workspace: Path
    captured: Captured


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


def recorded_task(plan: Plan, recording: Recording) -> Task:
    """The task of a recording as it is now; of a task that is no more, what the recording says of it."""
    known = next((it for it in plan.tasks if it.id == recording.task), None)
    return known or Task(recording.task, recording.task, recording.trajectory.prompt)


@contextmanager
def replayed(task: Task, recording: Recording) -> Iterator[Replayed]:
    """The recorded trial with its workspace, which is deleted afterwards.

    Raises:
        WorkspaceError: the workspace cannot be made.

    """
    made = put_together(task, recording)
    try:
        yield made
    finally:
        remove_workspace(made.workspace)


def put_together(task: Task, recording: Recording) -> Replayed:
    """As `replayed`, for those who keep the workspace and delete it themselves.

    Raises:
        WorkspaceError: the workspace cannot be made.

    """
    trajectory = recording.trajectory
    workspace = make_workspace(task.files)
    try:
        write_files(workspace, ((name, text.encode()) for name, text in trajectory.files.items()))
        delete_files(workspace, trajectory.removed)
        return Replayed(recording, task, workspace, capture(workspace, task.files))
    except BaseException:
        remove_workspace(workspace)
        raise


def grade_again(bench: Bench, trial: Replayed) -> TrialRecord:
    """The verdict of all graders, those of checkpoints too, as a run would give it."""
    recording = trial.recording
    record = unusable_grader(bench, trial.task)
    if record is None:
        done = recording.trajectory
        record = verdict_on(bench, trial.task, done, trial.workspace, trial.captured)
        if not done.error:  # What the agent itself got wrong stays an error, whatever a checkpoint says.
            record = with_checkpoints_again(
                bench, trial.task, record, recording.checkpoints, done, trial.workspace
            )
    return replace(record, trial=recording.trial, trajectory=recording.trajectory)


def grade_one(bench: Bench, trial: Replayed, entry: GraderEntry, level: Level) -> GraderOutcome:
    """What a single entry says about the trial. One that cannot be built or cannot grade has the status `error`."""
    context = grading_context(bench, trial.task, trial.recording.trajectory, trial.workspace, trial.captured)
    graded = grade_entry(entry, context, entry.dialect, level)
    verdict = (
        RunVerdict("error", error=graded)
        if isinstance(graded, GraderFailure)
        else RunVerdict("passed", results={graded.name: graded})
    )
    [outcome] = outcomes(verdict, (entry,))
    return outcome
