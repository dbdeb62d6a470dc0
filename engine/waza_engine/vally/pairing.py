"""Two runs compared trial by trial: what a judge prefers, and how verdicts and measures moved.

See docs/reference/vally.md, sections 7.11 and 10.2.

Trials are paired by the name of their stimulus and their number. Scores are the treatment's: above 0 it is better.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, Literal

from waza_engine.judges.base import JudgeError
from waza_engine.judges.submit_pairwise import Comparison
from waza_engine.runs.records import RunRecord, TrialRecord
from waza_engine.scoring import bootstrap, deviation, mean
from waza_engine.vally.metrics import error_count, tokens, tool_call_count, turn_count, wall_time_ms
from waza_engine.vally.recorded import context_of

Preferred = Callable[[TrialRecord, TrialRecord], Comparison]
"""Compares a trial of the treatment (A) with one of the baseline (B); raises `JudgeError`."""
_MEASURES = {
    "wallTimeMs": wall_time_ms,
    "turnCount": turn_count,
    "toolCallCount": tool_call_count,
    "errorCount": error_count,
    "totalTokens": tokens,
}
_EVEN = 1e-9


@dataclass(frozen=True, slots=True)
class Pair:
    """Two trials of one stimulus, and what the judge said; `error` says why it said nothing."""

    baseline: TrialRecord
    treatment: TrialRecord
    comparison: Comparison | None
    error: str = ""

    @property
    def score(self) -> float:
        return self.comparison.signed if self.comparison is not None else 0.0

    @property
    def winner(self) -> Literal["baseline", "treatment", "tie"]:
        if abs(self.score) < _EVEN:
            return "tie"
        return "treatment" if self.score > 0 else "baseline"


def pairs_of(baseline: RunRecord, treatment: RunRecord, prefer: Preferred) -> Iterator[Pair]:
    """The pairs of trials that both runs have, judged, in the order of the treatment."""
    known = {(trial.task, trial.trial): trial for task in baseline.tasks for trial in task.trials}
    for task in treatment.tasks:
        for trial in task.trials:
            if (other := known.get((trial.task, trial.trial))) is None:
                continue
            try:
                yield Pair(other, trial, prefer(trial, other))
            except JudgeError as error:
                yield Pair(other, trial, None, str(error))


def comparison_record(
    baseline: RunRecord, treatment: RunRecord, names: tuple[str, str], pairs: Sequence[Pair]
) -> dict[str, Any]:
    """The comparison as vally writes it; `names` are those of the two runs."""
    paired = {(it.treatment.task, it.treatment.trial) for it in pairs}
    return {
        "type": "comparison",
        "experimentName": treatment.suite_name,
        "baseline": names[0],
        "treatment": names[1],
        "summary": _summary(pairs),
        "stimuli": [
            _stimulus(task, [it for it in pairs if it.treatment.task == task])
            for task in dict.fromkeys(it.treatment.task for it in pairs)
        ],
        "unmatchedBaseline": _unmatched(baseline, paired),
        "unmatchedTreatment": _unmatched(treatment, paired),
    }


def _summary(pairs: Sequence[Pair]) -> dict[str, Any]:
    judged = [it for it in pairs if it.comparison is not None]
    winners = [it.winner for it in judged]
    return {
        "trialCount": len(judged),
        "erroredCount": len(pairs) - len(judged),
        **_range("meanScore", [it.score for it in judged]),
        "wins": winners.count("treatment"),
        "ties": winners.count("tie"),
        "losses": winners.count("baseline"),
        "winRate": winners.count("treatment") / len(judged) if judged else 0.0,
        "mcnemar": _mcnemar(judged),
        "metricDeltas": [_delta(name, judged) for name in _MEASURES],
    }


def _range(name: str, values: Sequence[float]) -> dict[str, float]:
    """The mean with its 95 % interval, from resampling that always draws the same."""
    if not values:
        return {name: 0.0, "ciLow": 0.0, "ciHigh": 0.0}
    found = bootstrap(values, random.Random(name))  # noqa: S311  # statistics, no secret
    return {name: found.mean, "ciLow": found.lower, "ciHigh": found.upper}


def _mcnemar(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Whether more trials pass than before: the exact test on those pairs of which only one passed."""
    passed = [(it.baseline.status == "passed", it.treatment.status == "passed") for it in pairs]
    before, after = passed.count((True, False)), passed.count((False, True))
    odd = before + after
    tail = sum(comb(odd, it) for it in range(min(before, after) + 1)) / 2**odd
    return {
        "baselineOnly": before,
        "treatmentOnly": after,
        "concordant": len(passed) - odd,
        "pValue": min(1.0, 2 * tail) if odd else 1.0,
        "exact": True,
    }


def _delta(name: str, pairs: Sequence[Pair]) -> dict[str, Any]:
    measure = _MEASURES[name]
    found = [
        (measure(context_of(it.treatment.trajectory)), measure(context_of(it.baseline.trajectory)))
        for it in pairs
    ]
    deltas = [float(now - was) for now, was in found if now is not None and was is not None]
    spread = deviation(deltas) if deltas else 0.0
    high = bool(deltas) and spread > abs(mean(deltas))
    return {"metric": name, **_range("mean", deltas), "stdDev": spread, "highVariance": high}


def _stimulus(task: str, pairs: Sequence[Pair]) -> dict[str, Any]:
    return {
        "stimulusName": task,
        "meanScore": mean([it.score for it in pairs if it.comparison is not None]),
        "trials": [_trial(it) for it in pairs],
    }


def _trial(pair: Pair) -> dict[str, Any]:
    told: dict[str, Any] = {"trialIndex": pair.treatment.trial - 1}
    found = pair.comparison
    if found is None:
        return {
            **told,
            "winner": "tie",
            "magnitude": "equal",
            "score": 0.0,
            "evidence": pair.error,
            "errored": True,
        }
    magnitude = found.first.magnitude if found.consistent else "equal"
    evidence = found.first.reasoning if found.consistent else "The judge prefers a place, not an answer"
    return {**told, "winner": pair.winner, "magnitude": magnitude, "score": pair.score, "evidence": evidence}


def _unmatched(record: RunRecord, paired: set[tuple[str, int]]) -> list[dict[str, Any]]:
    return [
        {"stimulusName": trial.task, "trialIndex": trial.trial - 1}
        for task in record.tasks
        for trial in task.trials
        if (trial.task, trial.trial) not in paired
    ]
