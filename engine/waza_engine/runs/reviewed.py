"""People's verdicts laid over what a run recorded: the trial's score and status follow.

See docs/reference/waza-graders.md, section 7.11.

Reviews stand beside the store, in `reviews.jsonl`; the recorded run itself is never changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from waza_engine.reviews import PENDING, Review, reviews
from waza_engine.runs.records import GraderOutcome, TrialRecord
from waza_engine.runs.store_errors import StoreError
from waza_engine.scoring import mean, weighted_mean

FILE_NAME = "reviews.jsonl"


@dataclass(frozen=True, slots=True)
class Pending:
    """A verdict that waits for a person."""

    task: str
    trial: int
    outcome: GraderOutcome


def review_file(store_directory: Path) -> Path:
    """The file of reviews that belongs to a store."""
    return store_directory / FILE_NAME


def read_reviews(store_directory: Path) -> Sequence[Review]:
    """The reviews that belong to a store.

    Raises:
        StoreError: there is a file of them, but it cannot be read. Verdicts without it could be wrong.

    """
    file = review_file(store_directory)
    try:
        return reviews(file)
    except OSError as error:
        raise StoreError(f"The reviews {file} cannot be read: {error.strerror or error}") from error


def pending(trials: Sequence[TrialRecord]) -> list[Pending]:
    """The verdicts of these trials that still wait."""
    return [Pending(it.task, it.trial, outcome) for it in trials for outcome in it.graders if _waits(outcome)]


def with_reviews(run_id: str, trial: TrialRecord, found: Sequence[Review]) -> TrialRecord:
    """The trial as it stands after the reviews of its verdicts."""
    said = {it.grader: it for it in found if (it.run, it.task, it.trial) == (run_id, trial.task, trial.trial)}
    if not any(it.name in said for it in trial.graders):
        return trial
    graders = tuple(
        _judged(it, said[it.name]) if it.name in said and _waits(it) else it for it in trial.graders
    )
    status = trial.status
    if status in {"passed", "failed"}:
        is_passed = all(it.passed for it in graders) and all(
            it.status == "passed" for it in trial.checkpoints
        )
        status = "passed" if is_passed else "failed"
    return replace(
        trial,
        graders=graders,
        status=status,
        score=mean([it.score for it in graders]),
        weighted_score=weighted_mean([(it.score, it.weight) for it in graders]),
    )


def _waits(outcome: GraderOutcome) -> bool:
    return (outcome.details or {}).get("status") == PENDING


def _judged(outcome: GraderOutcome, review: Review) -> GraderOutcome:
    details = {
        **(outcome.details or {}),
        "status": "reviewed",
        "reviewer": review.reviewer,
        "review_comments": review.comments,
    }
    return replace(
        outcome,
        status="passed" if review.passed else "failed",
        score=review.score,
        feedback=review.comments or "Reviewed by a person",
        details=details,
    )
