"""Verdicts of people for `human` graders: kept in a file of JSON lines, one review a line, the last one counts.

waza-graders.md, section 7.11: a review makes a new result from the pending one.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from waza_engine.graders.base import GraderResult

PENDING = "pending"


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


def is_pending(result: GraderResult) -> bool:
    """Whether the result waits for a person."""
    return (result.details or {}).get("status") == PENDING


def reviewed(pending: GraderResult, review: Review) -> GraderResult:
    """The result after the review; the details of the pending one are kept."""
    details = {
        **(pending.details or {}),
        "status": "reviewed",
        "reviewer": review.reviewer,
        "review_comments": review.comments,
    }
    feedback = review.comments or "Reviewed by a person"
    return replace(pending, score=review.score, passed=review.passed, feedback=feedback, details=details)


def submit(file: Path, review: Review) -> None:
    """Add a review to the file.

    Raises:
        OSError: it cannot be written.

    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(review.model_dump()) + "\n")


def reviews(file: Path) -> Sequence[Review]:
    """The reviews in the file, of each grader of a trial the last one. Lines that are none are passed over."""
    found: dict[tuple[str, str, int, str], Review] = {}
    for line in file.read_text("utf-8").splitlines() if file.exists() else []:
        try:
            review = Review.model_validate_json(line)
        except ValidationError:  # a line cut off by a crash must not hide the others
            continue
        found[review.run, review.task, review.trial, review.grader] = review
    return list(found.values())
