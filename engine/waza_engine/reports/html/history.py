"""Show how tasks did over several runs, in the HTML reports: one square per run, the newest on the right."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from waza_engine.reports.history import Runs, is_flaky, pass_rate, task_histories
from waza_engine.reports.html.rendering import render, status_class

_MOST_STATUSES = 20


@dataclass(frozen=True, slots=True)
class Square:
    """A task in one run: `look` is the CSS class, `title` lists the statuses of the trials."""

    look: str
    title: str


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A task over the runs. `rate` is the share of judged trials that passed, None when none was judged."""

    task: str
    squares: list[Square]
    rate: float | None
    is_flaky: bool


def history_page(title: str, history: Runs) -> Iterator[str]:
    """Yield a page of its own with the history, piece by piece."""
    yield from render(
        "history.html.j2", title=title, history=history_rows(history), history_length=len(history)
    )


def history_rows(history: Runs) -> list[HistoryRow]:
    """Return the tasks of the runs, those that pass least often first."""
    return [
        HistoryRow(task, [square(it) for it in runs], pass_rate(runs), is_flaky(runs))
        for task, runs in task_histories(history)
    ]


def square(statuses: Sequence[str]) -> Square:
    """Sum up the trials of a task in one run."""
    if not statuses:
        return Square("", "not run")
    kinds = set(statuses)
    look = status_class(statuses[0]) if len(kinds) == 1 else "mixed" if "passed" in kinds else "failed"
    return Square(look, ", ".join(statuses[:_MOST_STATUSES]))
