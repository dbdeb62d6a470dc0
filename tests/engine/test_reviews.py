"""Reviews by people: from pending to reviewed, and the file they are kept in."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from waza_engine.graders.base import GraderResult, GradingContext
from waza_engine.graders.legacy.py_human import PyHumanGrader
from waza_engine.reviews import Review, is_pending, reviewed, reviews, submit


def review(**members: Any) -> Review:
    given = {"run": "r1", "task": "t1", "grader": "reads-well", "score": 0.8, "passed": True, **members}
    return Review.model_validate(given)


def test_a_review_makes_a_new_result_and_keeps_the_details() -> None:
    pending = PyHumanGrader(criteria=["clear"]).grade(GradingContext(output="out"))
    assert is_pending(pending)
    result = reviewed(pending, review(reviewer="Ada", comments="Fine."))
    assert (result.score, result.passed, result.feedback, result.type_name) == (0.8, True, "Fine.", "human")
    assert not is_pending(result)
    assert result.details is not None
    assert pending.details is not None
    added = {"status": "reviewed", "reviewer": "Ada", "review_comments": "Fine."}
    assert result.details == {**pending.details, **added}


def test_a_result_without_details_is_not_pending() -> None:
    assert not is_pending(GraderResult(1.0, True))


def test_the_last_review_of_a_grader_counts_and_broken_lines_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "store" / "reviews.jsonl"
    assert reviews(file) == []
    submit(file, review(score=0.1, passed=False))
    submit(file, review(trial=2))
    with file.open("a") as lines:
        lines.write('{"run": "r1", "ta\n')
    submit(file, review(score=0.9))
    assert reviews(file) == [review(score=0.9), review(trial=2)]


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan")])
def test_a_score_is_between_0_and_1(score: float) -> None:
    with pytest.raises(ValidationError):
        review(score=score)
