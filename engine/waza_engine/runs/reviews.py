"""Human verdicts for `human` graders (docs/reference/waza-graders.md, section 7.11).

Reviews are stored beside the run store in `reviews.jsonl`, one per line; the last one for a grader counts. They are
applied when a run is read: the trial's score and status follow. The stored run itself never changes.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from waza_engine.graders.registry import find_grader
from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.lib.files.safe_write import open_own
from waza_engine.model.results.records import GraderOutcome, TrialRecord
from waza_engine.model.results.scores import mean, weighted_mean
from waza_engine.project.store_location import REVIEWS
from waza_engine.recognition.recognise import dialects
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
    """Append a review to the file.

    Raises:
        OSError: the file cannot be written.

    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with open_own(file, append=True) as lines:
        # If a crash cut off the last line, start a new one, or both reviews would be lost.
        lines.seek(max(lines.tell() - 1, 0))
        newline = "\n" if lines.read() not in {b"", b"\n"} else ""
        lines.write(f"{newline}{json.dumps(review.model_dump())}\n".encode())


def load_reviews(file: Path) -> Sequence[Review]:
    """Return the last review for each grader of each trial. Lines that are not reviews are skipped.

    Raises:
        OSError: the file cannot be read, or is not a regular file.

    """
    latest: dict[tuple[str, str, int, str], Review] = {}
    for line in regular_bytes(file).decode("utf-8", "replace").splitlines() if file.exists() else []:
        try:
            review = Review.model_validate_json(line)
        except ValidationError:  # a line cut off by a crash must not hide the others
            continue
        latest[review.run, review.task, review.trial, review.grader] = review
    return list(latest.values())


@dataclass(frozen=True, slots=True)
class PendingVerdict:
    """A verdict that waits for a person, or one of a judge that a person may judge. `output` is the agent's answer."""

    task: str
    trial: int
    outcome: GraderOutcome
    output: str = ""


def review_file(store_directory: Path) -> Path:
    """Return the path of a store's reviews."""
    return store_directory / REVIEWS


def read_reviews(store_directory: Path) -> Sequence[Review]:
    """Return a store's reviews; empty without a file.

    Raises:
        StoreError: the file exists but cannot be read. Verdicts without it could be wrong.

    """
    file = review_file(store_directory)
    try:
        return load_reviews(file)
    except OSError as error:
        raise StoreError(f"The reviews {file} cannot be read: {error.strerror or error}") from error


def pending_verdicts(trials: Sequence[TrialRecord]) -> list[PendingVerdict]:
    """Return the verdicts of these trials that still wait for a person."""
    return [
        PendingVerdict(it.task, it.trial, outcome)
        for it in trials
        for outcome in it.graders
        if _is_pending(outcome)
    ]


def judged_verdicts(
    run_id: str, trials: Sequence[TrialRecord], reviews: Sequence[Review], grader: str = ""
) -> list[PendingVerdict]:
    """Return the verdicts of judges that no person has judged yet: of all graders, or of the one with this name."""
    reviewed = {(it.task, it.trial, it.grader) for it in reviews if it.run == run_id}
    return [
        PendingVerdict(it.task, it.trial, outcome, it.trajectory.output)
        for it in trials
        for outcome in it.graders
        if is_judged(outcome)
        and grader in {"", outcome.name}
        and (it.task, it.trial, outcome.name) not in reviewed
    ]


def is_judged(outcome: GraderOutcome) -> bool:
    """Whether a judge has decided."""
    if outcome.status == "error" or outcome.infrastructure:
        return False
    kinds = (find_grader(outcome.type, it.name) for it in dialects())
    return any(kind is not None and kind.asks_judge for kind in kinds)


def awaits_review(pending: Sequence[PendingVerdict], task: str, trial: int, grader: str) -> bool:
    """Whether the verdict of this grader on this trial is among those that wait for a person."""
    return any((it.task, it.trial, it.outcome.name) == (task, trial, grader) for it in pending)


def apply_reviews(run_id: str, trial: TrialRecord, reviews: Sequence[Review]) -> TrialRecord:
    """Return the trial with the reviews of its verdicts applied."""
    key = (run_id, trial.task, trial.trial)
    by_grader = {it.grader: it for it in reviews if (it.run, it.task, it.trial) == key}
    if not any(it.name in by_grader for it in trial.graders):
        return trial
    graders = tuple(
        _reviewed_outcome(it, by_grader[it.name]) if it.name in by_grader and _is_pending(it) else it
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
