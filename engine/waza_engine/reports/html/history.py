"""Show how tasks did over several runs, in the HTML reports: the runs, then one square per task and run.

The newest run is on the right.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from waza_engine.model.results.records import TrialVerdict
from waza_engine.reports.history import (
    is_flaky,
    newest_change,
    pass_rate,
    rate_range,
    task_fingerprints,
    task_histories,
)
from waza_engine.reports.html.rendering import render, status_class
from waza_engine.runs.store.record import reviewed_runs, reviewed_verdicts
from waza_engine.runs.store.store import RunStore, StoredRun

PAGES = "reports"
"""The folder below the store's with the pages of its runs, each named after its run."""
_MOST_RUNS = 20
_MOST_STATUSES = 20
_MOST_TASKS = 60


@dataclass(frozen=True, slots=True)
class PastRun:
    """A stored run with the verdicts on its trials. `page` is a link to its report, or ""."""

    run: StoredRun
    verdicts: Sequence[TrialVerdict]
    page: str = ""

    @property
    def passed(self) -> str:
        """How many of the run's tasks passed."""
        tasks: dict[str, bool] = {}
        for it in self.verdicts:
            tasks[it.task] = tasks.get(it.task, True) and it.status == "passed"
        return f"{sum(tasks.values())} of {len(tasks)}"


@dataclass(frozen=True, slots=True)
class Square:
    """A task in one run: `look` is the CSS class, `title` lists the statuses of the trials."""

    look: str
    title: str


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A task over the runs. `rate` is the share of judged trials that passed, None when none was judged.

    `range` is its 95 % interval.
    """

    task: str
    name: str
    squares: list[Square]
    rate: float | None
    range: str
    is_flaky: bool


@dataclass(frozen=True, slots=True)
class History:
    """The runs, oldest first, and the tasks that pass least often. `more` counts the tasks that are not shown.

    `change` says what the newest run shows against the one before.
    """

    runs: Sequence[PastRun]
    rows: list[HistoryRow]
    more: int
    change: str

    @classmethod
    def of(cls, runs: Sequence[PastRun]) -> "History":
        """Return the values of `history_table.html.j2`."""
        found = task_histories([it.verdicts for it in runs])
        names = {task.id: task.name for it in runs for task in it.run.frame.tasks}
        prints = [task_fingerprints(it.run.frame.tasks) for it in runs]
        rows = [
            HistoryRow(
                task,
                names.get(task, task),
                list(map(square, statuses)),
                pass_rate(statuses),
                rate_range(statuses),
                is_flaky(statuses, [it.get(task, "") for it in prints]),
            )
            for task, statuses in found[:_MOST_TASKS]
        ]
        is_same = len({it.run.eval_path for it in runs[-2:]}) == 1
        change = newest_change([it.verdicts for it in runs]) if is_same else ""
        return cls(runs, rows, len(found) - len(rows), change)


def past_runs(store: RunStore, runs: Sequence[StoredRun], page: Path) -> list[PastRun]:
    """Return the runs with verdicts in the order given, as `page` shows them. People's reviews count.

    Raises:
        StoreError: the store cannot be read.

    """
    found = ((it, reviewed_verdicts(store, it.run_id)) for it in reviewed_runs(store, runs))
    return [PastRun(it, verdicts, _link(store, it, page)) for it, verdicts in found if verdicts]


def runs_until(store: RunStore, run_id: str, page: Path) -> list[PastRun]:
    """Return a run and earlier ones of the same eval, oldest first; empty if the store does not have it.

    Raises:
        StoreError: the store cannot be read.

    """
    found = [it for it in store.find_runs(run_id) if it.run_id == run_id]
    earlier = [run for it in found for run in store.runs(it.eval_path, _MOST_RUNS - 1, before=run_id)]
    return past_runs(store, [*reversed(earlier), *found], page)


def history_page(runs: Sequence[PastRun]) -> Iterator[str]:
    """Yield a page of its own with the history, piece by piece."""
    evals = list(dict.fromkeys(it.run.suite_name for it in runs))
    subject = f" of {evals[0] if len(evals) == 1 else f'{len(evals)} evals'}" if evals else ""
    yield from render("history.html.j2", title=f"History{subject}", history=History.of(runs))


def square(statuses: Sequence[str]) -> Square:
    """Sum up the trials of a task in one run."""
    if not statuses:
        return Square("", "not run")
    kinds = set(statuses)
    look = status_class(statuses[0]) if len(kinds) == 1 else "mixed" if "passed" in kinds else "failed"
    return Square(look, ", ".join(statuses[:_MOST_STATUSES]))


def _link(store: RunStore, run: StoredRun, page: Path) -> str:
    """The link from a page to the report of a run, if somebody has written it."""
    target = store.directory / PAGES / f"{run.run_id}.html"
    if target == page or not target.is_file():
        return ""
    try:
        return quote(Path(os.path.relpath(target, page.absolute().parent)).as_posix())
    except ValueError:
        return target.as_uri()  # On another drive of Windows.
