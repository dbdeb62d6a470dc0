"""How the tasks did over several runs: what is broken, and what passes only sometimes."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from waza_engine.reports.text import one_line
from waza_engine.runs.records import TrialVerdict

_MARKS = {"passed": "+", "failed": "-", "error": "!", "skipped": "."}


def history_lines(runs: Sequence[Sequence[TrialVerdict]]) -> Iterator[str]:
    """A line per task; `runs` are in the order of time. Tasks that pass least often come first."""
    tasks = list(dict.fromkeys(it.task for run in runs for it in run))
    if not tasks:
        yield "There are no finished trials"
        return
    width = max(len(one_line(it)) for it in tasks)
    for task in sorted(tasks, key=lambda it: _pass_rate(runs, it)):
        marks = " ".join("".join(_MARKS[it.status] for it in run if it.task == task) or " " for run in runs)
        rate = _pass_rate(runs, task)
        flaky = "  flaky" if is_flaky(runs, task) else ""
        yield f"{one_line(task):{width}}  {rate:4.0%}  {marks}{flaky}"
    yield "+ passed, - failed, ! error, . skipped; a group is a run, the newest is on the right"


def is_flaky(runs: Sequence[Sequence[TrialVerdict]], task: str) -> bool:
    """Whether the task both passed and did not within one run, or went back and forth between runs.

    A task that failed and passes from some run on was mended, and is not flaky; nor is one that broke.
    """
    sequence = [[it.status == "passed" for it in run if it.task == task] for run in runs]
    if any(len(set(it)) > 1 for it in sequence):
        return True
    whole = [it[0] for it in sequence if it]
    changes = sum(before != after for before, after in pairwise(whole))
    return changes > 1


def _pass_rate(runs: Sequence[Sequence[TrialVerdict]], task: str) -> float:
    statuses = [it.status for run in runs for it in run if it.task == task]
    return statuses.count("passed") / len(statuses)
