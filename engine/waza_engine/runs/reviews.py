"""Verdicts of people for `human` graders: kept in a file of JSON lines, one review a line, the last one counts.

`waza_engine.runs.reviews` lays them over a recorded run (docs/reference/waza-graders.md, section 7.11).

People's verdicts laid over what a run recorded: the trial's score and status follow.

See docs/reference/waza-graders.md, section 7.11.

Reviews stand beside the store, in `reviews.jsonl`; the recorded run itself is never changed.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.model.records import GraderOutcome, TrialRecord
from waza_engine.model.scores import mean, weighted_mean
from waza_engine.runs.store.errors import StoreError

PENDING = "pending"
"""The `status` in the details of a verdict that waits for a person."""


class Review(BaseModel):
    """One person's verdict on one `human` grader of one run. `score` is 0 to 1."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    run: str
    task: str
    grader: str
    score: float = Field(ge=0.0, le=1.0)
    passed: bool
    reviewer: str = ""
    comments: str = ""
    trial: int = 1


def add_review(file: Path, review: Review) -> None:
    """Add a review to the file.

    Raises:
        OSError: it cannot be written.

    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a+b") as lines:
        # A line that was cut off by a crash must not swallow this one.
        lines.seek(max(lines.tell() - 1, 0))
        begin = "\n" if lines.read() not in {b"", b"\n"} else ""
        lines.write(f"{begin}{json.dumps(review.model_dump())}\n".encode())


def load_reviews(file: Path) -> Sequence[Review]:
    """The reviews in the file, of each grader of a trial the last one. Lines that are none are passed over.

    Raises:
        OSError: it cannot be read, or is no regular file.

    """
    found: dict[tuple[str, str, int, str], Review] = {}
    for line in regular_bytes(file).decode("utf-8", "replace").splitlines() if file.exists() else []:
        try:
            review = Review.model_validate_json(line)
        except ValidationError:  # a line cut off by a crash must not hide the others
            continue
        found[review.run, review.task, review.trial, review.grader] = review
    return list(found.values())


FILE_NAME = "reviews.jsonl"


@dataclass(frozen=True, slots=True)
class PendingVerdict:
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
        return load_reviews(file)
    except OSError as error:
        raise StoreError(f"The reviews {file} cannot be read: {error.strerror or error}") from error


def pending_verdicts(trials: Sequence[TrialRecord]) -> list[PendingVerdict]:
    """The verdicts of these trials that still wait."""
    return [
        PendingVerdict(it.task, it.trial, outcome)
        for it in trials
        for outcome in it.graders
        if _is_pending(outcome)
    ]


def apply_reviews(run_id: str, trial: TrialRecord, found: Sequence[Review]) -> TrialRecord:
    """The trial as it stands after the reviews of its verdicts."""
    said = {it.grader: it for it in found if (it.run, it.task, it.trial) == (run_id, trial.task, trial.trial)}
    if not any(it.name in said for it in trial.graders):
        return trial
    graders = tuple(
        _reviewed_outcome(it, said[it.name]) if it.name in said and _is_pending(it) else it
        for it in trial.graders
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


def _is_pending(outcome: GraderOutcome) -> bool:
    return (outcome.details or {}).get("status") == PENDING


def _reviewed_outcome(outcome: GraderOutcome, review: Review) -> GraderOutcome:
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
