"""Graders are built once for each audit, and graded as often as trials look different to them."""

from pathlib import Path

import pytest

from waza_engine.audit import memo
from waza_engine.audit.memo import GradeMemo
from waza_engine.graders.base import Scope
from waza_engine.graders.context import GradingContext
from waza_engine.graders.entry import Level
from waza_engine.graders.result import GraderVerdict
from waza_engine.grading.grade import BuiltGrader, build, grade_entry
from waza_engine.model.suite import GraderEntry

ENTRY = GraderEntry("text", "says", config={"contains": ["moon cheese"], "regex_match": ["c.eese"]})
OUTPUTS = ("", "moon", "moon cheese", "a cheese\nof the moon", "moon")


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[GraderEntry]:
    """The entries for which a grader is built."""
    found: list[GraderEntry] = []

    def noted(entry: GraderEntry, meaning: str, level: Level, scope: Scope) -> BuiltGrader:
        found.append(entry)
        return build(entry, meaning, level, scope)

    monkeypatch.setattr(memo, "build", noted)
    return found


def test_a_grader_is_built_once_for_each_audit(built: list[GraderEntry]) -> None:
    graded = GradeMemo()
    for text in OUTPUTS:
        graded.grade(ENTRY, GradingContext(output=text), "waza")
    assert built == [ENTRY]
    graded.begin()
    graded.grade(ENTRY, GradingContext(output="another"), "waza")
    assert built == [ENTRY, ENTRY]


def test_a_grader_of_a_plug_in_is_built_for_each_trial(
    built: list[GraderEntry], monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = build(ENTRY, "waza").grader
    monkeypatch.setattr(type(kind), "__module__", "acme.graders")
    graded = GradeMemo()
    for text in ("", "moon", "moon"):
        graded.grade(ENTRY, GradingContext(output=text), "waza")
    assert built == [ENTRY, ENTRY]


@pytest.mark.parametrize("text", OUTPUTS)
def test_the_verdict_is_that_of_a_run_without_its_words(text: str) -> None:
    expected = grade_entry(ENTRY, GradingContext(output=text), "waza")
    found = GradeMemo().grade(ENTRY, GradingContext(output=text), "waza")
    assert isinstance(expected, GraderVerdict)
    assert isinstance(found, GraderVerdict)
    about = (expected.name, expected.type, expected.weight, expected.result.score, expected.result.passed)
    assert (found.name, found.type, found.weight, found.result.score, found.result.passed) == about
    assert (found.result.feedback, found.result.parts) == ("", ())


def test_a_grader_that_cannot_be_built_fails_as_in_a_run(tmp_path: Path) -> None:
    entry = GraderEntry("text", "says", config={"contains": 7})
    context = GradingContext(output="moon", process_dir=tmp_path)
    assert GradeMemo().grade(entry, context, "waza") == grade_entry(entry, context, "waza")
