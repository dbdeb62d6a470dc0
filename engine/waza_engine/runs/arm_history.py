"""What the store knows of the arms of an experiment: their last results, for showing them beside the text. Read only."""

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from waza_engine.paths import resolved
from waza_engine.runs.history import TaskHistory
from waza_engine.runs.store import FILE_NAME
from waza_engine.runs.store_reading import reading
from waza_engine.scoring import Status, mean

_LATEST_RUNS = 200
_SHOWN_SCORES = 8
_WORST: tuple[Status, ...] = ("error", "failed", "passed")

_RUNS = (
    "SELECT * FROM (SELECT run_id, frame, status, score, started_at, finished_at, rowid AS run_order FROM runs"
    " WHERE eval_path = ? AND baseline_of IS NULL ORDER BY rowid DESC LIMIT ?)"
    # Runs of an eval are many, and their frames need not be read.
    """ WHERE instr(frame, '"arm": null') = 0 ORDER BY run_order DESC"""
)


def read_arm_history(store_dir: Path, path: Path) -> dict[str, TaskHistory] | None:
    """The last results of an experiment by the name of the arm, in the place of tasks; None for runs of an eval.

    Raises:
        StoreError: there is a store, but it cannot be read.

    """
    store = store_dir / FILE_NAME
    if not store.is_file():
        return None
    with reading(store) as sql:
        rows = sql.execute(_RUNS, (str(resolved(path)), _LATEST_RUNS)).fetchall()
        runs = [(arm, row) for row in reversed(rows) if (arm := json.loads(row[1]).get("arm"))]
        return dict(_histories(runs)) if runs else None


def _histories(runs: list[tuple[dict[str, Any], tuple[Any, ...]]]) -> Iterator[tuple[str, TaskHistory]]:
    over = [(arm["variant"], arm["run_id"], row) for arm, row in runs if row[2] is not None]
    for variant, its in groupby(sorted(over, key=lambda it: str(it[0])), key=lambda it: it[0]):
        # Of each experiment's run the arm's runs over all evals together, the last one at the end.
        experiments = [[row for *_, row in group] for _, group in groupby(its, key=lambda it: it[1])]
        yield variant, _history(variant, experiments)


def _history(variant: str, experiments: list[list[tuple[Any, ...]]]) -> TaskHistory:
    latest = experiments[-1]
    statuses = {row[2] for row in latest}
    return TaskHistory(
        task=variant,
        run_id=latest[-1][0],
        order=latest[-1][6],
        status=next((it for it in _WORST if it in statuses), "skipped"),
        score=mean([row[3] or 0.0 for row in latest]),
        started_at=min(row[4] for row in latest),
        finished_at=max(row[5] or row[4] for row in latest),
        trials=0,
        tokens=None,
        error="",
        scores=tuple(mean([row[3] or 0.0 for row in rows]) for rows in experiments[-_SHOWN_SCORES:]),
        outcomes=(),
    )
