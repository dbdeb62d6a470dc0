"""Show how tasks did over several runs: which are broken, and which are flaky."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from waza_engine.lib.text_width import columns, padded
from waza_engine.model.results.records import TrialVerdict
from waza_engine.reports.comparison import measured_text
from waza_engine.reports.inert import inert, one_line
from waza_engine.runs.run_header import TaskFrame
from waza_engine.statistics.compare_runs import measured_json
from waza_engine.statistics.paired import paired_difference
from waza_engine.statistics.rates import wilson
from waza_engine.statistics.verdict import verdicts

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
        shown = f"{rate:4.0%} {rate_range(history):>14}" if rate is not None else f"{'-':>4} {'':14}"
        yield f"{padded(name, width)}  {shown}  {marks}{flaky}"
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


def newest_change(runs: Runs) -> str:
    """Return what the newest run shows against the one before; "" if both have judged no common task."""
    before, after = (_task_rates(it) for it in runs[-2:]) if len(runs) > 1 else ({}, {})
    common = [it for it in before if it in after]
    if not common:
        return ""
    found = paired_difference([before[it] for it in common], [after[it] for it in common])
    [verdict] = verdicts([found])
    shown = measured_text(measured_json(found, verdict), "+.0%")
    return f"newest run against the one before: pass rate {shown}"


def _task_rates(run: Sequence[TrialVerdict]) -> dict[str, float]:
    return {task: rate for task, history in task_histories([run]) if (rate := pass_rate(history)) is not None}


def rate_range(history: TaskHistory) -> str:
    """Return the 95 % interval of the pass rate, in parentheses."""
    statuses = _judged(history)
    found = wilson(statuses.count("passed"), len(statuses))
    return f"({found.lower:.0%} to {found.upper:.0%})"


def pass_rate(history: TaskHistory) -> float | None:
    """Return the share of judged trials that passed; None if no trial was judged."""
    statuses = _judged(history)
    return statuses.count("passed") / len(statuses) if statuses else None


def _judged(history: TaskHistory) -> list[str]:
    return [it for run in history for it in run if it not in _UNCOUNTED]
