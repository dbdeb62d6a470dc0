"""How the tasks did over several runs: what is broken, and what passes only sometimes."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from waza_engine.model.records import TrialVerdict
from waza_engine.reports.inert import inert
from waza_engine.reports.text import one_line

_MARKS = {"passed": "+", "failed": "-", "error": "!", "skipped": "."}

Runs = Sequence[Sequence[TrialVerdict]]
"""The verdicts of several runs, in the order of time."""
Course = list[list[str]]
"""One task: the statuses of its trials in each of the runs; none in a run that did not have it."""


def courses(runs: Runs) -> list[tuple[str, Course]]:
    """Every task with its course; those that pass least often come first, those that were never judged last."""
    found: dict[str, Course] = {}
    for index, run in enumerate(runs):
        for it in run:
            found.setdefault(it.task, [[] for _ in runs])[index].append(it.status)
    return sorted(found.items(), key=lambda it: _rank(pass_rate(it[1])))


def _rank(rate: float | None) -> tuple[bool, float]:
    return rate is None, rate or 0.0


def history_lines(runs: Runs) -> Iterator[str]:
    """A line per task."""
    known = courses(runs)
    if not known:
        yield "There are no finished trials"
        return
    names = [inert(one_line(task)) for task, _ in known]
    width = max(map(len, names))
    for name, (_, course) in zip(names, known, strict=True):
        marks = " ".join("".join(_MARKS[it] for it in run) or " " for run in course)
        flaky = "  flaky" if is_flaky(course) else ""
        rate = pass_rate(course)
        yield f"{name:{width}}  {f'{rate:.0%}' if rate is not None else '-':>4}  {marks}{flaky}"
    yield "+ passed, - failed, ! error, . skipped; a group is a run, the newest is on the right"


def is_flaky(course: Course) -> bool:
    """Whether the task both passed and did not within one run, or went back and forth between runs.

    A task that failed and passes from some run on was mended, and is not flaky; nor is one that broke. Trials that no
    grader judged say nothing.
    """
    passed = [[it == "passed" for it in run if it != "skipped"] for run in course]
    if any(len(set(it)) > 1 for it in passed):
        return True
    whole = [it[0] for it in passed if it]
    return sum(before != after for before, after in pairwise(whole)) > 1


def pass_rate(course: Course) -> float | None:
    """The share of all judged trials that passed; None when no grader has judged any."""
    statuses = [it for run in course for it in run if it != "skipped"]
    return statuses.count("passed") / len(statuses) if statuses else None
