"""Read from the store what flip rates need, and nothing more: 10,000 trials take less than a second.

Reading never creates or changes a store. Stores of older versions do not know the work of trials: they have no rows
until a run upgrades them.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from waza_engine.executors.base import REPLAY
from waza_engine.graders.registry import find_grader
from waza_engine.lib.paths import real_path
from waza_engine.model.results.records import TaskParts
from waza_engine.runs.past.flakiness import (
    GraderFlakiness,
    GraderVerdict,
    PastTrial,
    TaskFlakiness,
    task_flakiness,
)
from waza_engine.runs.past.regraded import Regrading, read_regraded
from waza_engine.runs.reviews import read_reviews
from waza_engine.runs.run_header import RunFrame, TaskFrame
from waza_engine.runs.store.file import open_for_reading
from waza_engine.runs.store.rows import stored_frame
from waza_engine.runs.store.schema import is_older
from waza_engine.runs.store.store import FILE_NAME

LATEST_RUNS = 100
_MOST_TRIALS = 20_000
_RUNS_SQL = "SELECT run_id, frame, rowid FROM runs WHERE eval_path = ? AND baseline_of IS NULL ORDER BY rowid DESC LIMIT ?"
_TRIALS_SQL = (
    "SELECT id, task_id, trial, status, work, started_at FROM trials INDEXED BY trials_by_work WHERE run_id = ?"
    " ORDER BY task_id, trial"
)
_RESULTS_SQL = (
    "SELECT trial_id, name, type, status FROM results WHERE trial_id IN (SELECT id FROM trials WHERE run_id = ?)"
    " AND status IN ('passed', 'failed') ORDER BY trial_id, position"
)
_PLACE_SQL = (
    "SELECT path, pointer FROM results JOIN trials ON trials.id = trial_id WHERE task_id = ? AND name = ?"
    " ORDER BY trials.id DESC LIMIT 1"
)
_Graders = dict[int, list[GraderVerdict]]


def read_flakiness(store_dir: Path, eval_path: Path, runs: int = LATEST_RUNS) -> list[TaskFlakiness]:
    """Return how the verdicts of an eval's tasks vary over its newest runs; empty without a store.

    Raises:
        StoreError: the store exists but cannot be read.

    """
    path = store_dir / FILE_NAME
    if not path.is_file():
        return []
    with open_for_reading(path) as sql:
        if is_older(sql):
            return []
        found, newest = _past_trials(sql, store_dir, eval_path, runs)
        flakiness = _flakiness(found, newest.dialect)
        return [_with_places(sql, it, newest) for it in flakiness]


def regrading_of(frame: RunFrame) -> Regrading:
    """Return what notes the verdicts of a regrading whose suite has the header `frame`."""
    headers = {it.id: it for it in frame.tasks}
    return Regrading(
        lambda task: _judging(frame, headers[task]) if task in headers else "",
        lambda kind: not _is_deterministic(kind, frame.dialect),
    )


def _flakiness(found: Mapping[str, Sequence[PastTrial]], dialect: str) -> list[TaskFlakiness]:

    def is_deterministic(kind: str) -> bool:
        return _is_deterministic(kind, dialect)

    return [task_flakiness(task, trials, is_deterministic) for task, trials in found.items()]


@cache
def _is_deterministic(kind: str, dialect: str) -> bool:
    grader = find_grader(kind, dialect) if dialect else None
    # Verdicts without a type are waza-lsp's own, such as those on mocks.
    return not kind or bool(grader and grader.deterministic and not grader.executes and not grader.asks_judge)


def _with_places(sql: sqlite3.Connection, it: TaskFlakiness, newest: RunFrame) -> TaskFlakiness:
    """Return the flakiness with the places of flaky graders, and the task's quarantine as of the newest run."""
    header = next((one for one in newest.tasks if _label(newest, one.id) == it.task), None)
    if header is None:
        return it
    graders = tuple(_placed(sql, one, header.id) if one.is_flaky else one for one in it.graders)
    return replace(it, graders=graders, quarantine=header.quarantine)


def _placed(sql: sqlite3.Connection, grader: GraderFlakiness, task: str) -> GraderFlakiness:
    row = sql.execute(_PLACE_SQL, (task, grader.name)).fetchone()
    if row is None or row[0] is None:
        return grader
    return replace(grader, path=Path(row[0]), pointer=tuple(json.loads(row[1])))


def _past_trials(
    sql: sqlite3.Connection, store_dir: Path, eval_path: Path, runs: int
) -> tuple[dict[str, list[PastTrial]], RunFrame]:
    """Return the decided trials of each task, oldest first, and the header of the newest run."""
    reviews: dict[tuple[str, str, int], dict[str, bool]] = {}
    for it in read_reviews(store_dir):
        reviews.setdefault((it.run, it.task, it.trial), {})[it.grader] = it.passed
    newest_first: list[list[tuple[str, PastTrial]]] = []
    newest, count = None, 0
    seen: set[tuple[str, float, str]] = set()
    frames: dict[str, RunFrame] = {}
    for run_id, text, _ in sql.execute(_RUNS_SQL, (str(real_path(eval_path)), runs)).fetchall():
        frame = stored_frame(text)
        newest = newest or frame
        frames[run_id] = frame
        trials = list(_trials_of_run(sql, run_id, frame, reviews, seen))
        newest_first.append(trials)
        count += len(trials)
        if count >= _MOST_TRIALS:
            break
    found: dict[str, list[PastTrial]] = {}
    for task, trial in (it for trials in reversed(newest_first) for it in trials):
        found.setdefault(task, []).append(trial)
    for again in read_regraded(store_dir):
        if again.run in frames and (past := found.get(_label(frames[again.run], again.task))):
            passed = all(one.passed for one in again.verdicts)
            past.append(
                PastTrial(again.run, passed, "", again.judging, again.work, again.verdicts, is_replay=True)
            )
    return found, newest or RunFrame()


def _trials_of_run(
    sql: sqlite3.Connection,
    run_id: str,
    frame: RunFrame,
    reviews: Mapping[tuple[str, str, int], Mapping[str, bool]],
    seen: set[tuple[str, float, str]],
) -> Iterator[tuple[str, PastTrial]]:
    """Yield the decided trials of a run with their tasks. Trials that the cache has copied into `seen` runs are no news."""
    rows = sql.execute(_TRIALS_SQL, (run_id,)).fetchall()
    graders: _Graders = {}
    for key, name, kind, status in sql.execute(_RESULTS_SQL, (run_id,)):
        graders.setdefault(key, []).append(GraderVerdict(name, kind, status == "passed"))
    headers = {it.id: it for it in reversed(frame.tasks)}
    for key, task, number, status, work, started_at in rows:
        copy = (task, started_at, work)
        if status not in {"passed", "failed", "error"} or copy in seen:
            continue
        seen.add(copy)
        verdicts = tuple(graders.get(key, ()))
        passed = status == "passed"
        if decided := reviews.get((run_id, task, number)):
            verdicts = tuple(it._replace(passed=decided.get(it.name, it.passed)) for it in verdicts)
            passed = all(it.passed for it in verdicts)
        header = headers.get(task, TaskFrame(task, task))
        conditions = json.dumps([header.fingerprint, frame.agent])
        yield (
            _label(frame, task),
            PastTrial(
                run_id,
                passed,
                conditions,
                _judging(frame, header),
                work,
                verdicts,
                is_replay=frame.executor == REPLAY,
            ),
        )


def _label(frame: RunFrame, task: str) -> str:
    return f"{task} [{frame.arm.variant}]" if frame.arm is not None else task


def _judging(frame: RunFrame, header: TaskFrame) -> str:
    """Return what verdicts on the same work depend on; "" if the run did not record it."""
    parts = header.parts
    if parts == TaskParts():
        return ""
    judge = frame.judge_model or frame.model
    shared: Iterable[Any] = (parts.task, parts.graders, parts.fixtures, judge, frame.engine)
    return json.dumps([*shared])
