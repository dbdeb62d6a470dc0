"""Human reviews: their file, and their effect on pending verdicts."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from waza_engine.dialects.waza.legacy_graders.py_human import PyHumanGrader
from waza_engine.graders.base import GradingContext
from waza_engine.model.results.records import GraderOutcome, TrialRecord
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.reviews import (
    Review,
    add_review,
    apply_reviews,
    load_reviews,
    pending_verdicts,
    read_reviews,
    review_file,
)
from waza_engine.runs.store.errors import StoreError


def review(**members: Any) -> Review:
    given = {"run": "r1", "task": "t1", "grader": "reads-well", "score": 0.8, "passed": True, **members}
    return Review.model_validate(given)


def trial() -> TrialRecord:
    """A trial with one verdict of a person pending and one grader that passed."""
    result = PyHumanGrader(criteria=["clear"]).grade(GradingContext(output="out"))
    waits = GraderOutcome("reads-well", "human", "failed", 0.0, 3.0, result.feedback, result.details)
    passed = GraderOutcome("short", "text", "passed", 1.0, 1.0)
    return TrialRecord("t1", 0, 1, "failed", 0.5, 0.25, Trajectory(), (waits, passed))


def test_a_review_changes_the_verdict_and_the_trial() -> None:
    [waiting] = pending_verdicts([trial()])
    assert (waiting.task, waiting.trial, waiting.outcome.name) == ("t1", 1, "reads-well")
    after = apply_reviews("r1", trial(), [review(reviewer="Ada", comments="Fine.")])
    assert (after.status, after.score) == ("passed", 0.9)
    assert after.weighted_score == pytest.approx(0.85)
    assert (after.graders[0].score, after.graders[0].feedback) == (0.8, "Fine.")
    details = after.graders[0].details or {}
    assert (details["status"], details["reviewer"], details["criteria"]) == ("reviewed", "Ada", ["clear"])
    assert pending_verdicts([after]) == []


def test_a_review_of_another_trial_or_grader_changes_nothing() -> None:
    said = [review(run="r2"), review(trial=2), review(task="t2"), review(grader="short")]
    assert apply_reviews("r1", trial(), said[:3]) == trial()
    assert apply_reviews("r1", trial(), said).graders == trial().graders


def test_the_last_review_of_a_grader_counts_and_broken_lines_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "store" / "reviews.jsonl"
    assert load_reviews(file) == []
    add_review(file, review(score=0.1, passed=False))
    add_review(file, review(trial=2))
    with file.open("a") as lines:
        lines.write('{"run": "r1", "ta\n')
    add_review(file, review(score=0.9))
    assert load_reviews(file) == [review(score=0.9), review(trial=2)]


def test_a_line_that_was_cut_off_does_not_swallow_the_next(tmp_path: Path) -> None:
    file = tmp_path / "reviews.jsonl"
    file.write_text('{"run": "r1", "ta')
    add_review(file, review())
    add_review(file, review(trial=2))
    assert load_reviews(file) == [review(), review(trial=2)]
    assert len(file.read_text().splitlines()) == 3


def test_unreadable_reviews_raise_a_store_error(tmp_path: Path) -> None:
    assert read_reviews(tmp_path) == []
    review_file(tmp_path).mkdir()
    with pytest.raises(StoreError, match=r"The reviews .*reviews\.jsonl cannot be read: "):
        read_reviews(tmp_path)


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan")])
def test_a_score_is_between_0_and_1(score: float) -> None:
    with pytest.raises(ValidationError):
        review(score=score)
