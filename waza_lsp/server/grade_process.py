"""The child process of `waza.grade`: grades what was recorded of an eval again and tells the events of a run.

It reads one JSON object from stdin, with the texts as they are in the editor. It may execute graders and ask a judge:
the user has asked for it.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from waza_engine import processes
from waza_engine.findings import Pointer
from waza_engine.formats.reading import reading_open_texts
from waza_engine.graders.entry import Level
from waza_engine.project.load_suite import experiment_at
from waza_engine.recordings import Recording, recordings_of
from waza_engine.replayed import bench_for, grade_again, grade_one, plan_for_grading, replayed
from waza_engine.reviews import Review
from waza_engine.runs.checkpoints import last_turn, was_held
from waza_engine.runs.events import (
    Event,
    RunFinished,
    RunStarted,
    TaskFinished,
    TaskStarted,
    TrialFinished,
    TrialStarted,
    event_line,
)
from waza_engine.runs.judging import judge_for
from waza_engine.runs.plan import Plan, PlanError
from waza_engine.runs.records import TaskRecord, TrialRecord
from waza_engine.runs.reviewed import read_reviews, with_reviews
from waza_engine.runs.run import EXIT_STATUS, new_run_id
from waza_engine.runs.store import StoreError, default_store_dir
from waza_engine.runs.totals import seeded, task_record
from waza_engine.runs.workspace import WorkspaceError
from waza_engine.scoring import mean
from waza_engine.suite import GraderEntry, LoadError, Task

_NOTHING_RECORDED = "Nothing was recorded of this yet: run it once, then it can be graded again."


class _NothingError(Exception):
    """There is nothing to grade; the text says why."""


def main() -> None:
    """Grade and tell."""
    signal.signal(signal.SIGTERM, lambda *_: _leave(EXIT_STATUS["cancelled"]))
    events = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    question = json.load(sys.stdin)
    try:
        with reading_open_texts({Path(it): text for it, text in question["texts"].items()}):
            status = _graded(question, events)
    except (LoadError, PlanError, StoreError, _NothingError) as error:
        print(error, file=sys.stderr)  # noqa: T201  # what the server shows to the user
        sys.exit(EXIT_STATUS["error"])
    sys.exit(EXIT_STATUS[status])


def _leave(status: int) -> None:
    processes.end_all()
    os._exit(status)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The one grader that is asked for: by its name, or by where it stands."""

    name: str
    path: Path | None
    pointer: Pointer | None

    def means(self, it: GraderEntry) -> bool:
        if self.pointer is not None:
            return (it.path, it.pointer) == (self.path, self.pointer)
        return it.name == self.name

    def __str__(self) -> str:
        return f"'{self.name}'" if self.name else f"at {'/'.join(map(str, self.pointer or ()))}"


@dataclass(frozen=True, slots=True)
class _Grading:
    """What is graded, and how."""

    plan: Plan
    process_dir: Path
    entry: "_Asked | None"
    run_id: str
    events: TextIO
    reviews: Sequence[Review]

    def tell(self, event: Event) -> None:
        _tell(self.events, event)


def _tell(events: TextIO, event: Event) -> None:
    events.write(event_line(event) + "\n")
    events.flush()


def _graded(question: dict[str, Any], events: TextIO) -> str:
    eval_path, process_dir = Path(question["eval"]), Path(question["processDir"])
    if (experiment := experiment_at(eval_path)) is not None:
        # Imported here: mostly evals are graded.
        from waza_lsp.server.grade_experiment import grade_experiment

        status = grade_experiment(experiment, question["tasks"], process_dir, lambda it: _tell(events, it))
        if not status:
            raise _NothingError(_NOTHING_RECORDED)
        return status
    plan = plan_for_grading(eval_path, process_dir)
    wanted = question["tasks"]
    tasks = [it for it in plan.tasks if not wanted or it.id in wanted]
    store_dir = default_store_dir(eval_path)
    recorded = [
        (task, found)
        for task in tasks
        if (found := recordings_of(eval_path, task.id, store_dir, plan.settings.trials))
    ]
    if not recorded:
        raise _NothingError(_NOTHING_RECORDED)
    said = read_reviews(store_dir)
    grading = _Grading(plan, process_dir, _asked(question), f"grade-{new_run_id()}", events, said)
    if grading.entry and not any(_entries(grading, task, it) for task, found in recorded for it in found):
        raise _NothingError(f"There is no grader {grading.entry} in what was recorded.")
    started = time.monotonic()
    grading.tell(_run_started(grading, [task for task, _ in recorded]))
    records = [_task(grading, index, task, found) for index, (task, found) in enumerate(recorded)]
    finished = _run_finished(grading, records, round((time.monotonic() - started) * 1000))
    grading.tell(finished)
    return finished.status


def _asked(question: dict[str, Any]) -> _Asked | None:
    name, pointer = question.get("grader") or "", question.get("pointer")
    if pointer is not None:
        return _Asked(name, Path(question["path"]), tuple(pointer))
    return _Asked(name, None, None) if name else None


def _task(grading: _Grading, index: int, task: Task, recordings: list[Recording]) -> TaskRecord:
    run_id = grading.run_id
    grading.tell(TaskStarted(run_id, task.id, task.name, task.path, task.pointer))
    trials = [_trial(grading, task, it) for it in recordings]
    record = task_record(task, trials, "", seeded(run_id, index))  # type: ignore[arg-type]  # a task has what a frame has
    score, weighted = (
        (record.stats.avg_score, record.stats.avg_weighted_score) if record.stats else (0.0, 0.0)
    )
    grading.tell(TaskFinished(run_id, task.id, record.status, score, weighted, record.error))
    return record


def _trial(grading: _Grading, task: Task, recording: Recording) -> TrialRecord:
    grading.tell(TrialStarted(grading.run_id, task.id, recording.trial))
    try:
        record = with_reviews(recording.run_id, _verdict(grading, task, recording), grading.reviews)
    except WorkspaceError as error:
        record = TrialRecord(
            task.id, 0, recording.trial, "error", 0.0, 0.0, recording.trajectory, error=str(error)
        )
    grading.tell(
        TrialFinished(
            run_id=grading.run_id,
            task=task.id,
            trial=recording.trial,
            status=record.status,
            score=record.score,
            weighted_score=record.weighted_score,
            attempts=1,
            duration_ms=recording.trajectory.duration_ms,
            error=record.error,
            graders=record.graders,
        )
    )
    return record


def _verdict(grading: _Grading, task: Task, recording: Recording) -> TrialRecord:
    bench = bench_for(grading.plan, recording, grading.process_dir)
    bench = replace(bench, judge=judge_for(grading.plan, os.environ))
    with replayed(task, recording) as trial:
        if grading.entry is None:
            return grade_again(bench, trial)
        entries = _entries(grading, task, recording)
        outcomes = [grade_one(bench, trial, it, level) for it, level in entries]
    worst = next(
        (it for it in ("error", "failed", "passed") if any(one.status == it for one in outcomes)), "skipped"
    )
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
    )


def _entries(grading: _Grading, task: Task, recording: Recording) -> list[tuple[GraderEntry, Level]]:
    """The entries that were asked for. Of checkpoints those after the last turn: nothing else was recorded."""
    at_the_end = [it for it in task.checkpoints if it.after_turn == last_turn(task)]
    leveled: Iterator[tuple[GraderEntry, Level]] = iter(
        [
            *((it, "eval") for it in grading.plan.suite.graders),
            *((it, "task") for it in task.graders),
            *(
                (it, "task")
                for point in at_the_end
                if was_held(task, recording.checkpoints)
                for it in point.graders
            ),
        ]
    )
    return [it for it in leveled if grading.entry is not None and grading.entry.means(it[0])]


def _run_started(grading: _Grading, tasks: list[Task]) -> RunStarted:
    suite = grading.plan.suite
    ids = tuple(it.id for it in tasks)
    return RunStarted(grading.run_id, suite.path, suite.name, "recorded", "", ids, 1, 1)


def _run_finished(grading: _Grading, records: list[TaskRecord], duration_ms: int) -> RunFinished:
    failed = sum(it.status in {"failed", "error"} for it in records)
    skipped = sum(it.status == "skipped" for it in records)
    status = "failed" if failed else "passed"
    stats = [it.stats for it in records if it.stats]
    return RunFinished(
        run_id=grading.run_id,
        status=status,  # type: ignore[arg-type]  # one of the words
        exit_status=EXIT_STATUS[status],
        score=mean([it.avg_score for it in stats]),
        weighted_score=mean([it.avg_weighted_score for it in stats]),
        total=len(records),
        succeeded=len(records) - failed - skipped,
        failed=failed,
        skipped=skipped,
        duration_ms=duration_ms,
    )


if __name__ == "__main__":
    main()
