"""Show how tasks did over several runs: which are broken, and which are flaky."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from waza_engine.lib.text_width import columns, padded
from waza_engine.model.records import TrialVerdict
from waza_engine.reports.inert import inert, one_line
from waza_engine.runs.run_header import TaskFrame

_UNDECIDED = "infrastructure"
_MARKS = {_UNDECIDED: "?", "passed": "+", "failed": "-", "error": "!", "skipped": "."}
_UNCOUNTED = frozenset(["skipped", _UNDECIDED])

Runs = Sequence[Sequence[TrialVerdict]]
"""The verdicts of several runs, oldest first."""
Fingerprints = Sequence[Mapping[str, str]]
"""The fingerprint of each task in these runs: it changes with everything but the agent that can change a verdict."""
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


def history_lines(runs: Runs, fingerprints: Fingerprints = ()) -> Iterator[str]:
    """Yield one line per task, then a legend."""
    histories = task_histories(runs)
    if not histories:
        yield "No trial has finished"
        return
    names = [inert(one_line(task)) for task, _ in histories]
    width = max(map(columns, names))
    for name, (task, history) in zip(names, histories, strict=True):
        marks = " ".join("".join(_MARKS[it] for it in run) or " " for run in history)
        flaky = "  flaky" if is_flaky(history, [it.get(task, "") for it in fingerprints]) else ""
        rate = pass_rate(history)
        yield f"{padded(name, width)}  {f'{rate:.0%}' if rate is not None else '-':>4}  {marks}{flaky}"
    yield "+ passed, - failed, ! error, ? could not be judged, . skipped; one group per run, newest on the right"


def is_flaky(history: TaskHistory, fingerprints: Sequence[str] = ()) -> bool:
    """Whether the task gave mixed results in one run, or changed back and forth between runs.

    A task that changed once was fixed or broken; it is not flaky. Neither is one whose result changed together with its
    `fingerprints`, because someone edited it or a grader. Trials that no grader judged do not count.
    """
    passed = [[it == "passed" for it in run if it not in _UNCOUNTED] for run in history]
    if any(len(set(it)) > 1 for it in passed):
        return True
    prints = fingerprints or [""] * len(passed)
    whole = [(it[0], fingerprint) for it, fingerprint in zip(passed, prints, strict=True) if it]
    pairs = pairwise(whole)
    return sum(before[0] != after[0] and before[1] == after[1] for before, after in pairs) > 1


def task_fingerprints(tasks: Iterable[TaskFrame]) -> dict[str, str]:
    """Return the fingerprints of a run's tasks by task id. Old runs have none."""
    return {it.id: it.fingerprint for it in tasks}


def pass_rate(history: TaskHistory) -> float | None:
    """Return the share of judged trials that passed; None if no trial was judged."""
    statuses = [it for run in history for it in run if it not in _UNCOUNTED]
    return statuses.count("passed") / len(statuses) if statuses else None
