"""Ask after each look what is decided. The tests are those of `statistics/sequential.py`; this is their bookkeeping.

Threshold: each task is a question of its own. Its trials are independent of each other, so each is an observation. The 5 %
are divided by the number of tasks, so the chance that any of all words is wrong is at most 5 %.

Comparison: one question for the whole run. The trials of a task belong together, so a task is one observation: the mean of
its trials minus that of as many trials in the other run. As many, because the claim that both agents are equal makes a
difference as likely as its opposite only then.
"""

from collections.abc import Iterable, Mapping, Sequence

from waza_engine.model.results.decisions import Decision, DecisionWord
from waza_engine.model.results.records import TrialRecord, TrialVerdict
from waza_engine.model.results.scores import mean
from waza_engine.statistics.paired import ALPHA
from waza_engine.statistics.sequential import confidence_sequence, decide_difference, decide_rate

_MOST_SEARCHED = 2_000


def decide_task(task: str, scores: Sequence[float], threshold: float, tasks: int) -> Decision:
    """Return whether one of `tasks` tasks is above or below the threshold, with its interval."""
    interval = confidence_sequence(scores, ALPHA / tasks)
    return Decision(task, task_word(scores, threshold, tasks), len(scores), mean(scores), interval)


def task_word(scores: Sequence[float], threshold: float, tasks: int) -> DecisionWord:
    """Return the answer for one of `tasks` tasks, much faster than with the interval."""
    return decide_rate(scores, threshold, ALPHA / tasks)


def decide_comparison(differences: Sequence[float]) -> Decision:
    """Return whether the differences of the tasks so far, in the order of the run, show which run is better."""
    return Decision("", decide_difference(differences), len(differences), mean(differences))


def trials_for_above(threshold: float, tasks: int) -> int | None:
    """Return how many trials of a task it takes if all of them pass; None if no number does."""
    if not 0 <= threshold < 1:
        return None
    low, high = 0, _MOST_SEARCHED
    while high - low > 1:
        middle = (low + high) // 2
        if task_word([1.0] * middle, threshold, tasks) == "above":
            high = middle
        else:
            low = middle
    return high if high < _MOST_SEARCHED else None


def passes(trial: TrialRecord) -> float:
    """Return 1 if the trial passed, else 0."""
    return float(trial.status == "passed")


def score(trial: TrialRecord | TrialVerdict) -> float:
    """Return the score of a trial. That of a plug-in may be any number."""
    return min(1.0, max(0.0, trial.score))


def is_judged(trial: TrialRecord | TrialVerdict) -> bool:
    """Return whether a trial is an observation. An outage says nothing about the agent."""
    return not trial.infrastructure and trial.status != "skipped"


def earlier_scores(verdicts: Iterable[TrialVerdict]) -> Mapping[str, list[float]]:
    """Return the scores of another run's trials by task."""
    scores: dict[str, list[float]] = {}
    for it in verdicts:
        if is_judged(it):
            scores.setdefault(it.task, []).append(score(it))
    return scores
