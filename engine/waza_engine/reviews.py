"""Verdicts of people for `human` graders: kept in a file of JSON lines, one review a line, the last one counts.

`waza_engine.runs.reviewed` lays them over a recorded run (docs/reference/waza-graders.md, section 7.11).
"""

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from waza_engine.regular_files import regular_bytes

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


def submit(file: Path, review: Review) -> None:
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


def reviews(file: Path) -> Sequence[Review]:
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
