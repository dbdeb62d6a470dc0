"""Judgements of recorded trials: asked, kept, and taken again."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.calibration.judged import Judge, command, judged_eval, plan, use
from waza_engine.calibration.ask import judge_subject, question_of
from waza_engine.calibration.judgement import Judgement
from waza_engine.calibration.remembering import kept_turns
from waza_engine.calibration.subjects import Subject, stored_subjects
from waza_engine.runs.store.store import default_store_dir


@pytest.fixture(name="subject")
def _subject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Subject:
    path = judged_eval(tmp_path / "e", ["please"])
    use(monkeypatch, lambda _: True)
    command("run", path)
    [found] = stored_subjects(plan(path), default_store_dir(path))
    return found


def judged(subject: Subject, judge: Judge | None, *kept: Judgement, model: str = "") -> Judgement | None:
    path = subject.grader.entry.path
    assert path is not None
    return judge_subject(
        plan(path), subject, path.parent, judge=judge, kept=kept_turns(kept), model=model
    ).judgement


def test_the_same_question_is_answered_from_what_is_kept(subject: Subject) -> None:
    judge = Judge(lambda request: "please" in request.message)
    first = judged(subject, judge)
    assert first is not None
    assert (first.passed, first.score, first.by, first.person) == (True, 1.0, "gpt-5.2", False)
    again = judged(subject, None, first)
    assert again is not None
    assert (again.passed, again.requests, again.at) == (True, first.requests, 0.0)
    assert len(judge.requests) == 1


@pytest.mark.parametrize("change", ["rubric", "model", "work"])
def test_another_question_has_no_kept_answer(subject: Subject, change: str) -> None:
    first = judged(subject, Judge(lambda _: True))
    assert first is not None
    changed, model = subject, ""
    if change == "rubric":
        entry = replace(subject.grader.entry, config={"rubric": "groundedness", "model": "gpt-5.2"})
        changed = replace(subject, grader=replace(subject.grader, entry=entry))
    elif change == "model":
        model = "claude-sonnet-4.6"
    else:
        other = subject.recording.trajectory.model_copy(update={"files": {"a": "b"}})
        changed = replace(subject, recording=replace(subject.recording, trajectory=other))
    assert judged(changed, None, first, model=model) is None


def test_a_person_sees_what_the_judge_is_asked(subject: Subject) -> None:
    path = subject.grader.entry.path
    assert path is not None
    text = question_of(plan(path), subject, path.parent)
    assert "better off" in text
    assert text.count("please") == 1
    entry = replace(subject.grader.entry, config={"prompt": "Is it kind?"})
    without = replace(subject, grader=replace(subject.grader, entry=entry))
    assert question_of(plan(path), without, path.parent) == "Is it kind?\n\n## Output\n\nplease"


def test_asking_with_another_model_is_kept_under_its_name(subject: Subject) -> None:
    judge = Judge(lambda _: False)
    found = judged(subject, judge, model="claude-sonnet-4.6")
    assert found is not None
    assert (found.by, found.passed) == ("claude-sonnet-4.6", False)
    assert judge.requests[0].model == "claude-sonnet-4.6"
