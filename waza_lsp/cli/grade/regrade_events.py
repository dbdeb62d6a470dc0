"""`waza-lsp grade --events jsonl`: regrade the recordings of an eval and print the events of a run.

Editors start it for `waza.grade`. It reads one JSON request from standard input, with the unsaved texts of the editor.
It may start graders' programs and ask a judge, because the user requested the grading. It stores nothing.

Imported late: `grade` needs no runs and no recordings for a list or a batch.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from waza_engine.graders.entry import Level
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.process import run as processes
from waza_engine.model.results.records import RunRecord, TaskRecord, TrialRecord
from waza_engine.model.results.scores import mean
from waza_engine.model.suite import ExperimentArm, GraderEntry, LoadError, Task
from waza_engine.project.load_suite import experiment_at, suite_of_arm
from waza_engine.project.reading import reading_open_texts
from waza_engine.runs.events import (
    Listener,
    RunFinished,
    RunStarted,
    TaskFinished,
    TaskStarted,
    TrialFinished,
    TrialStarted,
    event_line,
)
from waza_engine.runs.experiment_events import ExperimentEvents
from waza_engine.runs.planning.participants import judge_for
from waza_engine.runs.planning.plan import Plan, PlanError
from waza_engine.runs.recordings.find import Recording, recordings_of
from waza_engine.runs.recordings.free_graders import free_suite
from waza_engine.runs.recordings.regrade import (
    bench_for,
    grade_single_entry,
    plan_for_grading,
    regrade,
    regrade_trial,
    replayed_trial,
)
from waza_engine.runs.reviews import Review, apply_reviews, read_reviews
from waza_engine.runs.run import EXIT_STATUS, EXIT_UNDECIDED, new_run_id, run_finished_event
from waza_engine.runs.store.rows import StoredRun
from waza_engine.runs.store.store import FILE_NAME, RunStore, StoreError, default_store_dir
from waza_engine.runs.totals import seeded_random, task_record
from waza_engine.runs.trial.checkpoints import last_turn, reached_last_turn
from waza_engine.runs.trial.workspace import WorkspaceError
from waza_lsp.cli.console import print_err

if TYPE_CHECKING:
    from waza_engine.model.experiment import Experiment

_NOTHING_RECORDED = "Nothing was recorded for this yet. Run it once, then grade the recording."
_MAX_RUNS = 200
"""How many runs of an experiment are searched for its arms."""


class _RequestError(Exception):
    """The request is wrong, or nothing was recorded that can be graded."""


@dataclass(frozen=True, slots=True)
class _GraderFilter:
    """Selects one grader, by its name or by its position in a file."""

    name: str
    path: Path | None
    pointer: Pointer | None

    def matches(self, entry: GraderEntry) -> bool:
        if self.pointer is not None:
            return (entry.path, entry.pointer) == (self.path, self.pointer)
        return entry.name == self.name

    def __str__(self) -> str:
        return f"'{self.name}'" if self.name else f"at {'/'.join(map(str, self.pointer or ()))}"


@dataclass(frozen=True, slots=True)
class _Request:
    """What to grade. Empty `tasks` mean all tasks; `texts` replace files that are not saved."""

    eval_path: Path
    process_dir: Path
    tasks: Collection[str]
    texts: Mapping[Path, str]
    grader: _GraderFilter | None
    is_free: bool
    """Leave out graders that run programs or ask a model."""

    @classmethod
    def of(cls, data: Any) -> "_Request":
        """Read the JSON request.

        Raises:
            _RequestError: a member is missing or has the wrong type.

        """
        try:
            name, pointer = data.get("grader") or "", data.get("pointer")
            grader = None
            if pointer is not None:
                grader = _GraderFilter(name, Path(data["path"]), tuple(pointer))
            elif name:
                grader = _GraderFilter(name, None, None)
            return cls(
                Path(data["eval"]).absolute(),
                Path(data.get("processDir") or Path.cwd()),
                list(data.get("tasks") or ()),
                {Path(path): text for path, text in (data.get("texts") or {}).items()},
                grader,
                data.get("free") is True,
            )
        except KeyError as error:
            raise _RequestError(f"The request lacks {error}") from error
        except (AttributeError, TypeError) as error:
            raise _RequestError("The request must be a JSON object; see docs/grading.md") from error


def regrade_from_stdin() -> NoReturn:
    """Read a request from standard input, grade, print events, and end the program with the status of a run."""
    signal.signal(signal.SIGTERM, lambda *_: _end_now(EXIT_STATUS["cancelled"]))
    events = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    # Output of graders must not mix with the events.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    def emit(event: Any) -> None:
        events.write(event_line(event) + "\n")
        events.flush()

    try:
        request = _Request.of(_read_stdin())
        with reading_open_texts(request.texts):
            status = _regrade(request, emit)
    except (LoadError, PlanError, StoreError, _RequestError) as error:
        print_err(str(error))
        sys.exit(EXIT_STATUS["error"])
    sys.exit(EXIT_UNDECIDED if status == "error" else EXIT_STATUS[status])


def _read_stdin() -> Any:
    try:
        return json.load(sys.stdin)
    except ValueError as error:
        raise _RequestError(f"The request is not valid JSON: {error}") from error


def _end_now(status: int) -> None:
    processes.end_all()
    os._exit(status)


def _regrade(request: _Request, emit: Listener) -> str:
    """Grade the recordings and return the status of the run."""
    experiment = experiment_at(request.eval_path)
    if experiment is not None:
        status = _regrade_experiment(experiment, request, emit)
    else:
        status = _regrade_eval(request, emit)
    if not status:
        raise _RequestError(_NOTHING_RECORDED)
    return status


@dataclass(frozen=True, slots=True)
class _Regrading:
    """One regrading of an eval: how to grade, and who hears the events."""

    plan: Plan
    process_dir: Path
    grader: _GraderFilter | None
    run_id: str
    emit: Listener
    reviews: Sequence[Review]
    partial: Collection[str] = ()
    """The tasks that are graded with some of their graders only."""

    def entries(self, task: Task, recording: Recording) -> list[tuple[GraderEntry, Level]]:
        """Return the selected graders. Of checkpoints, only the last turn was recorded."""
        last = [it for it in task.checkpoints if it.after_turn == last_turn(task)]
        at_checkpoints = last if reached_last_turn(task, recording.checkpoints) else []
        entries: list[tuple[GraderEntry, Level]] = [
            *((it, "eval") for it in self.plan.suite.graders),
            *((it, "task") for it in task.graders),
            *((it, "task") for point in at_checkpoints for it in point.graders),
        ]
        return [it for it in entries if self.grader is not None and self.grader.matches(it[0])]


def _regrade_eval(request: _Request, emit: Listener) -> str:
    """Grade the recordings of an eval; return "" if there are none."""
    plan = plan_for_grading(request.eval_path, request.process_dir)
    partial = {it.id for it in plan.tasks if request.grader is not None}
    if request.is_free:
        plan, partial = _free_plan(plan)
    store_dir = default_store_dir(request.eval_path)
    recorded = [
        (task, found)
        for task in plan.tasks
        if (not request.tasks or task.id in request.tasks)
        and (found := recordings_of(request.eval_path, task.id, store_dir, plan.settings.trials))
    ]
    if not recorded:
        return ""
    run = _Regrading(
        plan,
        request.process_dir,
        request.grader,
        f"grade-{new_run_id()}",
        emit,
        read_reviews(store_dir),
        partial,
    )
    if run.grader and not any(run.entries(task, it) for task, found in recorded for it in found):
        raise _RequestError(f"The recorded tasks have no grader {run.grader}.")
    started = time.monotonic()
    ids = tuple(task.id for task, _ in recorded)
    emit(RunStarted(run.run_id, plan.suite.path, plan.suite.name, "recorded", "", ids, 1, 1))
    records = [_grade_task(run, index, task, found) for index, (task, found) in enumerate(recorded)]
    finished = _finish_event(run.run_id, records, round((time.monotonic() - started) * 1000))
    emit(finished)
    return finished.status


def _free_plan(plan: Plan) -> tuple[Plan, set[str]]:
    """Return the plan without graders that run programs or ask a model, and the tasks that lack one of them."""
    suite, _ = free_suite(plan.suite)
    free = {it.id: it for it in suite.tasks}
    is_partial = suite.graders != plan.suite.graders
    partial = {it.id for it in plan.tasks if is_partial or free[it.id] != it}
    return replace(plan, suite=suite, tasks=tuple(free[it.id] for it in plan.tasks)), partial


def _grade_task(run: _Regrading, index: int, task: Task, recordings: list[Recording]) -> TaskRecord:
    run.emit(TaskStarted(run.run_id, task.id, task.name, task.path, task.pointer))
    trials = [_grade_trial(run, task, it) for it in recordings]
    record = task_record(task, trials, "", seeded_random(run.run_id, index))  # type: ignore[arg-type]  # a task has all that is read from a frame
    score, weighted = (
        (record.stats.avg_score, record.stats.avg_weighted_score) if record.stats else (0.0, 0.0)
    )
    is_open, is_partial = record.status == "error", task.id in run.partial
    event = TaskFinished(
        run.run_id, task.id, record.status, score, weighted, record.error, is_open, is_partial
    )
    run.emit(event)
    return record


def _grade_trial(run: _Regrading, task: Task, recording: Recording) -> TrialRecord:
    run.emit(TrialStarted(run.run_id, task.id, recording.trial))
    try:
        record = apply_reviews(recording.run_id, _grade_recording(run, task, recording), run.reviews)
    except WorkspaceError as error:
        record = TrialRecord(
            task.id, 0, recording.trial, "error", 0.0, 0.0, recording.trajectory, error=str(error)
        )
    run.emit(
        TrialFinished(
            run_id=run.run_id,
            task=task.id,
            trial=recording.trial,
            status=record.status,
            score=record.score,
            weighted_score=record.weighted_score,
            attempts=1,
            duration_ms=recording.trajectory.duration_ms,
            error=record.error,
            graders=record.graders,
            infrastructure=record.infrastructure,
        )
    )
    return record


def _grade_recording(run: _Regrading, task: Task, recording: Recording) -> TrialRecord:
    bench = bench_for(run.plan, recording, run.process_dir)
    bench = replace(bench, judge=judge_for(run.plan, os.environ))
    with replayed_trial(task, recording) as trial:
        if run.grader is None:
            return regrade_trial(bench, trial)
        outcomes = [
            grade_single_entry(bench, trial, entry, level) for entry, level in run.entries(task, recording)
        ]
    statuses = {it.status for it in outcomes}
    is_open = "failed" not in statuses and any(it.infrastructure for it in outcomes)
    worst = next((it for it in ("error", "failed", "passed") if it in statuses), "skipped")
    score = mean([it.score for it in outcomes])
    return TrialRecord(
        task.id,
        0,
        recording.trial,
        worst,  # type: ignore[arg-type]  # one of the four
        score,
        score,
        recording.trajectory,
        tuple(outcomes),
        infrastructure=is_open,
    )


def _finish_event(run_id: str, records: list[TaskRecord], duration_ms: int) -> RunFinished:
    failed = sum(it.status == "failed" for it in records)
    errors = sum(it.status == "error" for it in records)
    skipped = sum(it.status == "skipped" for it in records)
    status = "failed" if failed else "error" if errors else "passed"
    stats = [it.stats for it in records if it.stats]
    return RunFinished(
        run_id=run_id,
        status=status,  # type: ignore[arg-type]  # one of the two words
        exit_status=EXIT_UNDECIDED if status == "error" else EXIT_STATUS[status],
        score=mean([it.avg_score for it in stats]),
        weighted_score=mean([it.avg_weighted_score for it in stats]),
        total=len(records),
        succeeded=len(records) - failed - errors - skipped,
        failed=failed,
        skipped=skipped,
        duration_ms=duration_ms,
        errors=errors,
    )


@dataclass(frozen=True, slots=True)
class _StoredArm:
    about: ExperimentArm
    run: StoredRun


def _regrade_experiment(experiment: "Experiment", request: _Request, emit: Listener) -> str:
    """Grade the last recorded run of each arm; return "" if there is none.

    The events are those of a run whose tasks are the arms.
    """
    directory = default_store_dir(experiment.path)
    if not (directory / FILE_NAME).is_file():
        return ""
    with RunStore(directory, for_reading=True) as store:
        recorded = _last_runs(store, experiment, request.tasks)
        if not recorded:
            return ""
        teller = _experiment_teller(experiment, recorded)
        for arm, runs in recorded.items():
            emit_arm = teller.arm_listener(arm)(emit)
            for stored in runs:
                emit_arm(_start_event(stored.run))
                emit_arm(run_finished_event(_regrade_arm(store, stored, request.process_dir)))
    return teller.end().status


def _last_runs(
    store: RunStore, experiment: "Experiment", arms: Collection[str]
) -> dict[str, list[_StoredArm]]:
    """Return each arm's runs over its evals from the last run that recorded it, the baseline first."""
    found: dict[str, list[_StoredArm]] = {}
    for run in store.runs(experiment.path, _MAX_RUNS):
        about = run.frame.arm
        if about is None or run.status is None or not store.finished(run.run_id):
            continue
        runs = found.setdefault(about.variant, [])
        if not runs or runs[0].about.run_id == about.run_id:
            runs.insert(0, _StoredArm(about, run))
    ordered = sorted(experiment.arms, key=lambda it: it.name != experiment.baseline)
    return {it.name: found[it.name] for it in ordered if it.name in found and it.name in (arms or found)}


def _experiment_teller(
    experiment: "Experiment", recorded: Mapping[str, Sequence[_StoredArm]]
) -> ExperimentEvents:
    trials = (sum(len(it.run.frame.tasks) * it.run.frame.trials for it in runs) for runs in recorded.values())
    return ExperimentEvents(
        f"grade-{new_run_id()}",
        experiment.path,
        experiment.name,
        {arm: len(runs) for arm, runs in recorded.items()},
        max(trials),
        {it.name: it.pointer for it in experiment.arms},
    )


def _regrade_arm(store: RunStore, stored: _StoredArm, process_dir: Path) -> RunRecord:
    suite = suite_of_arm(stored.about)
    return regrade(store, stored.run, suite, process_dir, os.environ)


def _start_event(run: StoredRun) -> RunStarted:
    tasks = tuple(it.id for it in run.frame.tasks)
    return RunStarted(
        run.run_id, run.eval_path, run.suite_name, "recorded", run.model, tasks, run.frame.trials, 1
    )
