"""A proven draft passes on every good trial and fails on the broken one."""

from pathlib import Path

from tests.engine.audit.evals import plan_of, recorded, recording, text_grader, write_eval
from waza_engine.audit.drafts import ProvenDraft, broken_trial, telling_drafts
from waza_engine.audit.mutations.base import Subject
from waza_engine.audit.task_grading import TaskGrading
from waza_engine.graders.registry import graders

WORK = [("create", {"path": "NOTES.md"})]
TRIAL = recording("t", "Version 2.0 is in `NOTES.md`.", WORK, files={"NOTES.md": "Version 2.0"})


def drafts(folder: Path, kind: str, name: str, change: str) -> list[ProvenDraft]:
    path = write_eval(
        folder / "e",
        [{"id": "t", "graders": [text_grader(not_contains=["error"])]}],
        recordings=[TRIAL],
    )
    plan = plan_of(path)
    [task], [passing] = plan.tasks, recorded(plan)["t"]
    broken = broken_trial(kind, name, change, Subject(task, passing.trajectory))
    assert broken is not None
    with TaskGrading(plan, task, path.parent, None) as grading:
        return list(telling_drafts(grading, graders("waza").values(), [passing], broken, "waza"))


def test_against_a_missing_file(tmp_path: Path) -> None:
    made = drafts(tmp_path, "mutant", "delete-file", "without the file NOTES.md")
    assert [it.draft.type for it in made] == ["file"]
    assert made[0].draft.entry["config"]["must_exist"] == ["NOTES.md"]
    assert made[0].passes == 1
    assert "NOTES.md" in made[0].fails_for


def test_against_silence(tmp_path: Path) -> None:
    made = drafts(tmp_path, "null agent", "silence", "")
    assert {it.draft.type for it in made} >= {"file", "text"}


def test_against_what_no_draft_can_tell(tmp_path: Path) -> None:
    assert drafts(tmp_path, "mutant", "negate-sentence", "with a negated sentence") == []


def test_an_attempt_that_is_not_made_any_more(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "e", [{"id": "t"}], recordings=[TRIAL])
    plan = plan_of(path)
    subject = Subject(plan.tasks[0], recorded(plan)["t"][0].trajectory)
    assert broken_trial("mutant", "delete-file", "without the file OTHER.md", subject) is None
    assert broken_trial("mutant", "gone", "", subject) is None
    assert broken_trial("null agent", "gone", "", subject) is None
