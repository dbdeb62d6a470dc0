"""Show how tasks did over several runs: which are broken, and which are flaky."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from waza_engine.model.records import TrialVerdict
from waza_engine.reports.inert import inert, one_line

_UNDECIDED = "infrastructure"
_MARKS = {_UNDECIDED: "?", "passed": "+", "failed": "-", "error": "!", "skipped": "."}
_UNCOUNTED = frozenset(["skipped", _UNDECIDED])

Runs = Sequence[Sequence[TrialVerdict]]
"""The verdicts of several runs, oldest first."""
TaskHistory = list[list[str]]
"""The statuses of one task's trials in each run; an empty list for a run without the task."""


def task_histories(runs: Runs) -> list[tuple[str, TaskHistory]]:
    """Return each task's history: those that pass least often first, those never judged last."""
    histories: dict[str, TaskHistory] = {}
    for index, run in enumerate(runs):
        for verdict in run:
            histories.setdefault(verdict.task, [[] for _ in runs])[index].append(
                _UNDECIDED if verdict.infrastructure else verdict.status
            )
    return sorted(histories.items(), key=lambda it: _rank(pass_rate(it[1])))


def _rank(rate: float | None) -> tuple[bool, float]:
    return rate is None, rate or 0.0


def history_lines(runs: Runs) -> Iterator[str]:
    """Yield one line per task, then a legend."""
    histories = task_histories(runs)
    if not histories:
        yield "No trial has finished"
        return
    names = [inert(one_line(task)) for task, _ in histories]
    width = max(map(len, names))
    for name, (_, history) in zip(names, histories, strict=True):
        marks = " ".join("".join(_MARKS[it] for it in run) or " " for run in history)
        flaky = "  flaky" if is_flaky(history) else ""
        rate = pass_rate(history)
        yield f"{name:{width}}  {f'{rate:.0%}' if rate is not None else '-':>4}  {marks}{flaky}"
    yield "+ passed, - failed, ! error, ? could not be judged, . skipped; one group per run, newest on the right"


def is_flaky(history: TaskHistory) -> bool:
    """Whether the task gave mixed results in one run, or changed back and forth between runs.

    A task that changed once was fixed or broken; it is not flaky. Trials that no grader judged do not count.
    """
    passed = [[it == "passed" for it in run if it not in _UNCOUNTED] for run in history]
    if any(len(set(it)) > 1 for it in passed):
        return True
    whole = [it[0] for it in passed if it]
    return sum(before != after for before, after in pairwise(whole)) > 1


def pass_rate(history: TaskHistory) -> float | None:
    """Return the share of judged trials that passed; None if no trial was judged."""
    statuses = [it for run in history for it in run if it not in _UNCOUNTED]
    return statuses.count("passed") / len(statuses) if statuses else None
