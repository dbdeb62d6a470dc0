"""Read the last results of evals, experiments and metrics from the store, to show them beside the text.

Reading never creates or changes a store, and keeps no trajectory in memory. A store that is locked, damaged or of
another version raises `StoreError`.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.lib.files.safe_read import MAX_RECORD_BYTES, inflate
from waza_engine.lib.paths import real_path
from waza_engine.model.results.records import GraderOutcome, SinceGreen, TrialRecord, TriggerResult
from waza_engine.model.results.scores import Status, mean, task_status
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.past.changes import since_green
from waza_engine.runs.reviews import Review, apply_reviews, read_reviews
from waza_engine.runs.run_header import RunFrame
from waza_engine.runs.store.file import open_for_reading
from waza_engine.runs.store.rows import (
    INFRASTRUCTURE,
    status_of,
    stored_checkpoints,
    stored_frame,
    stored_outcome,
)
from waza_engine.runs.store.store import FILE_NAME
from waza_engine.runs.trigger_metrics import ACCURACY, trigger_metrics

_LATEST_RUNS = 100
_LATEST_ARM_RUNS = 200
_SHOWN_SCORES = 8
_COST_RUNS = 4
"""In so many runs a count of tokens is searched: each trial's trajectory must be unpacked for it."""
_LARGEST_PACKED = 4_000_000
"""Packed trajectories with more bytes are not read for their token count."""
_TRIALS_SQL = (
    "SELECT task_id, run_id, id, status, score, error, trials.started_at, trials.finished_at, length(trajectory),"
    " run_order FROM trials JOIN (SELECT run_id, rowid AS run_order FROM runs WHERE eval_path = ?"
    " AND baseline_of IS NULL ORDER BY rowid DESC LIMIT ?) USING (run_id)"
    " ORDER BY task_id, run_order, task_index, trial"
)
_FRAMES_SQL = (
    "SELECT rowid, frame FROM runs WHERE eval_path = ? AND baseline_of IS NULL ORDER BY rowid DESC LIMIT ?"
)
_OUTCOMES_SQL = (
    "SELECT name, type, status, score, weight, feedback, details, duration_ms, path, pointer, parts FROM results"
    " WHERE trial_id = ?"
)
_Reviews = Mapping[tuple[str, str], Sequence[Review]]
"""By run and task."""


class TaskCost(NamedTuple):
    """What an agent spent on all trials of a task: tokens, and its time in milliseconds."""

    tokens: int
    duration_ms: int
    trials: int = 1


@dataclass(frozen=True, slots=True)
class TaskHistory:
    """The newest run of a task that finished a trial. Human reviews are included.

    Times are seconds since 1970. `scores` are those of the last runs. `order` increases with each run, independent of
    the clock. `files` maps the suite's files to digests of their content. `outcomes` are the graders that did not pass,
    per trial in order. `tokens` is None if they were not counted. `reviews` changes with the reviews of this run. With
    `infrastructure`, nothing failed, but the task could not be judged. Such trials do not count in scores.
    """

    task: str
    run_id: str
    order: int
    status: Status
    score: float
    started_at: float
    finished_at: float
    trials: int
    tokens: int | None
    error: str
    scores: tuple[float, ...]
    outcomes: tuple[tuple[GraderOutcome, ...], ...]
    files: Mapping[str, str] = field(default_factory=dict)
    is_gone: bool = False
    reviews: str = ""
    infrastructure: bool = False
    cost: TaskCost | None = None
    """Of the newest run that spent tokens, among the last few."""
    green_run: str = ""
    """The last run that passed the task, if the newest one did not."""
    since_green: SinceGreen | None = None


_WORST_FIRST: tuple[Status, ...] = ("error", "failed", "passed")
_ARM_RUNS_SQL = (
    "SELECT * FROM (SELECT run_id, frame, status, score, started_at, finished_at, rowid AS run_order FROM runs"
    " WHERE eval_path = ? AND baseline_of IS NULL ORDER BY rowid DESC LIMIT ?)"
    # An eval has many runs. Filtering here avoids reading their frames.
    """ WHERE instr(frame, '"arm": null') = 0 ORDER BY run_order DESC"""
)
_LAST_TRIGGERS_SQL = (
    "SELECT ending FROM runs WHERE eval_path = ? AND baseline_of IS NULL AND status IN ('passed', 'failed')"
    """ AND instr(ending, '"did_trigger"') > 0 ORDER BY rowid DESC LIMIT 1"""
)


def read_history(store_dir: Path, eval_path: Path) -> dict[str, TaskHistory]:
    """Return the last results of an eval by task id; empty without a store.

    Raises:
        StoreError: the store exists but cannot be read.

    """
    path = store_dir / FILE_NAME
    if not path.is_file():
        return {}
    with open_for_reading(path) as sql:
        parameters = (str(real_path(eval_path)), _LATEST_RUNS)
        rows = sql.execute(_TRIALS_SQL, parameters).fetchall()
        reviews = _reviews_by_task(store_dir)
        histories = [
            _task_history(sql, task, list(group), reviews)
            for task, group in groupby(rows, key=lambda it: it[0])
        ]
        files = {it: _suite_files(sql, it) for it in {it.run_id for it in histories}}
        order, tasks = _newest_full_run(sql, parameters)
        headers = _Headers(sql)
        return {
            it.task: replace(
                it,
                files=files[it.run_id],
                is_gone=it.order < order and it.task not in tasks,
                since_green=headers.since_green(it),
            )
            for it in histories
        }


class _Headers:
    """Reads the headers of runs, each once, to compare a failed task with the last run that passed it."""

    def __init__(self, sql: sqlite3.Connection) -> None:
        self._sql = sql
        self._read: dict[str, tuple[float, RunFrame]] = {}

    def since_green(self, it: TaskHistory) -> SinceGreen | None:
        if not it.green_run:
            return None
        (started_at, green), (_, red) = self._header(it.green_run), self._header(it.run_id)
        task = next((frame for frame in red.tasks if frame.id == it.task), None)
        return since_green(it.green_run, started_at, green, red, task) if task is not None else None

    def _header(self, run_id: str) -> tuple[float, RunFrame]:
        if run_id not in self._read:
            ((started_at, frame),) = self._sql.execute(
                "SELECT started_at, frame FROM runs WHERE run_id = ?", (run_id,)
            )
            self._read[run_id] = started_at, stored_frame(frame)
        return self._read[run_id]


def read_arm_history(store_dir: Path, path: Path) -> dict[str, TaskHistory] | None:
    """Return the last results of an experiment by arm name, or None if the runs are of an eval.

    Raises:
        StoreError: the store exists but cannot be read.

    """
    store = store_dir / FILE_NAME
    if not store.is_file():
        return None
    with open_for_reading(store) as sql:
        rows = sql.execute(_ARM_RUNS_SQL, (str(real_path(path)), _LATEST_ARM_RUNS)).fetchall()
        runs = [(arm, row) for row in reversed(rows) if (arm := json.loads(row[1]).get("arm"))]
        return dict(_arm_histories(runs)) if runs else None


def read_metrics(store_dir: Path, eval_path: Path) -> Mapping[str, float]:
    """Return the last values of the metrics that can fail a run, by name.

    See docs/reference/waza-formats.md, section 14.4.

    Raises:
        StoreError: the store exists but cannot be read.

    """
    store = store_dir / FILE_NAME
    if not store.is_file():
        return {}
    with open_for_reading(store) as sql:
        row = sql.execute(_LAST_TRIGGERS_SQL, (str(real_path(eval_path)),)).fetchone()
        triggers = [TriggerResult(**it) for it in json.loads(row[0])["triggers"]] if row else []
    measured = trigger_metrics(triggers)
    return {ACCURACY: measured.accuracy} if measured else {}


def _newest_full_run(sql: sqlite3.Connection, parameters: tuple[str, int]) -> tuple[int, frozenset[str]]:
    """Return the order and the task ids of the newest run without task filters."""
    for order, frame in sql.execute(_FRAMES_SQL, parameters):
        run = json.loads(frame)
        overrides = run.get("overrides") or {}
        if not (overrides.get("tasks") or overrides.get("tags") or run.get("shard")):
            return order, frozenset(it["id"] for it in run.get("tasks") or ())
    return 0, frozenset()


def _reviews_by_task(store_dir: Path) -> _Reviews:
    reviews: dict[tuple[str, str], list[Review]] = {}
    for it in read_reviews(store_dir):
        reviews.setdefault((it.run, it.task), []).append(it)
    return reviews


def _task_history(
    sql: sqlite3.Connection, task: str, rows: list[tuple[Any, ...]], reviews: _Reviews
) -> TaskHistory:
    reviewed = {
        it[2]: apply_reviews(it[1], _light_trial(sql, it[2]), reviews[it[1], task])
        for it in rows
        if (it[1], task) in reviews
    }
    rows = [
        (*it[:3], it[3] if record.infrastructure else record.status, record.score, *it[5:])
        if (record := reviewed.get(it[2]))
        else it
        for it in rows
    ]
    runs = [list(group) for _, group in groupby(rows, key=lambda it: it[1])]
    latest = runs[-1]
    costs = _costs(sql, runs)
    return TaskHistory(
        task=task,
        run_id=latest[0][1],
        order=latest[0][9],
        status=_shown_status(latest),
        score=_mean_score(latest),
        started_at=min(it[6] for it in latest),
        finished_at=max(it[7] for it in latest),
        trials=len(latest),
        tokens=costs[-1].tokens if costs[-1] is not None else None,
        cost=next((it for it in reversed(costs) if it is not None and it.tokens), None),
        error=next((it[5] for it in latest if it[5]), ""),
        scores=tuple(_mean_score(it) for it in [run for run in runs if _decided(run)][-_SHOWN_SCORES:]),
        outcomes=tuple(
            tuple(outcome for outcome in reviewed[it[2]].graders if not outcome.passed)
            if it[2] in reviewed
            else tuple(_failed_outcomes(sql, it[2]))
            for it in latest
        ),
        infrastructure=_is_open(latest),
        green_run=_green_run(runs),
        reviews=repr(latest_reviews) if (latest_reviews := reviews.get((latest[0][1], task))) else "",
    )


def _light_trial(sql: sqlite3.Connection, trial_key: int) -> TrialRecord:
    """Return a trial with everything that reviews can change; its trajectory is not unpacked."""
    row = sql.execute(
        "SELECT task_id, task_index, trial, status, score, weighted_score, checkpoints FROM trials WHERE id = ?",
        (trial_key,),
    ).fetchone()
    task, index, trial, status, score, weighted, checkpoints = row
    graders = tuple(
        stored_outcome(it) for it in sql.execute(f"{_OUTCOMES_SQL} ORDER BY position", (trial_key,))
    )
    return TrialRecord(
        task,
        index,
        trial,
        status_of(status),
        score,
        weighted,
        Trajectory(),
        graders,
        checkpoints=stored_checkpoints(checkpoints),
        infrastructure=status == INFRASTRUCTURE,
    )


def _suite_files(sql: sqlite3.Connection, run_id: str) -> Mapping[str, str]:
    """Return the suite's files of a run; runs of older versions have none."""
    ((frame,),) = sql.execute("SELECT frame FROM runs WHERE run_id = ?", (run_id,))
    files: Mapping[str, str] = json.loads(frame).get("files") or {}
    return files


def _shown_status(rows: list[tuple[Any, ...]]) -> Status:
    statuses: list[Status] = [status_of(it[3]) for it in rows]
    # In the editor, a grader that broke must look different from a check that failed.
    return "error" if "error" in statuses else task_status(statuses)


def _green_run(runs: list[list[tuple[Any, ...]]]) -> str:
    """Return the last run that passed the task, if the newest one did not; else ""."""
    if _shown_status(runs[-1]) not in {"failed", "error"}:
        return ""
    earlier = (rows[0][1] for rows in reversed(runs[:-1]) if _shown_status(rows) == "passed")
    return next(earlier, "")


def _decided(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [it for it in rows if it[3] != INFRASTRUCTURE]


def _mean_score(rows: list[tuple[Any, ...]]) -> float:
    return mean([it[4] for it in _decided(rows)])


def _is_open(rows: list[tuple[Any, ...]]) -> bool:
    statuses = {it[3] for it in rows}
    return INFRASTRUCTURE in statuses and not statuses & {"failed", "error"}


def _failed_outcomes(sql: sqlite3.Connection, trial_key: int) -> Iterable[GraderOutcome]:
    rows = sql.execute(f"{_OUTCOMES_SQL} AND status != 'passed' ORDER BY position", (trial_key,))
    return [stored_outcome(it) for it in rows]


def _costs(sql: sqlite3.Connection, runs: list[list[tuple[Any, ...]]]) -> list[TaskCost | None]:
    """Return the costs of the last runs of a task, back to the newest that spent tokens."""
    found: list[TaskCost | None] = []
    for rows in reversed(runs[-_COST_RUNS:]):
        found.insert(0, _cost(sql, rows))
        if found[0] is not None and found[0].tokens:
            break
    return found


def _cost(sql: sqlite3.Connection, rows: list[tuple[Any, ...]]) -> TaskCost | None:
    """Return the cost of all trials, or None if a trial has no count of tokens."""
    counts = [_trial_cost(sql, it[2]) for it in rows if it[8] <= _LARGEST_PACKED]
    known = [it for it in counts if it is not None]
    if len(known) < len(rows):
        return None
    return TaskCost(sum(it.tokens for it in known), sum(it.duration_ms for it in known), len(rows))


def _trial_cost(sql: sqlite3.Connection, trial_key: int) -> TaskCost | None:
    ((packed,),) = sql.execute("SELECT trajectory FROM trials WHERE id = ?", (trial_key,))
    trajectory = json.loads(inflate(packed, MAX_RECORD_BYTES))
    usage = (trajectory.get("session") or {}).get("usage")
    if not usage:
        return None
    return TaskCost(usage["input_tokens"] + usage["output_tokens"], trajectory.get("duration_ms") or 0)


def _arm_histories(runs: list[tuple[dict[str, Any], tuple[Any, ...]]]) -> Iterator[tuple[str, TaskHistory]]:
    finished = [(arm["variant"], arm["run_id"], row) for arm, row in runs if row[2] is not None]
    for variant, arm_runs in groupby(sorted(finished, key=lambda it: str(it[0])), key=lambda it: it[0]):
        # One list per run of the experiment, with the arm's runs over all evals. The newest is last.
        experiments = [[row for *_, row in group] for _, group in groupby(arm_runs, key=lambda it: it[1])]
        yield variant, _arm_history(variant, experiments)


def _arm_history(variant: str, experiments: list[list[tuple[Any, ...]]]) -> TaskHistory:
    latest = experiments[-1]
    statuses = {row[2] for row in latest}
    return TaskHistory(
        task=variant,
        run_id=latest[-1][0],
        order=latest[-1][6],
        status=next((it for it in _WORST_FIRST if it in statuses), "skipped"),
        score=mean([row[3] or 0.0 for row in latest]),
        started_at=min(row[4] for row in latest),
        finished_at=max(row[5] or row[4] for row in latest),
        trials=0,
        tokens=None,
        error="",
        scores=tuple(mean([row[3] or 0.0 for row in rows]) for rows in experiments[-_SHOWN_SCORES:]),
        outcomes=(),
    )
