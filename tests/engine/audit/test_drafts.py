"""A proven draft passes on every good trial and fails on broken work that passes now."""

from pathlib import Path
from typing import Any

from tests.engine.audit.evals import plan_of, recorded, recording, text_grader, write_eval
from waza_engine.audit.drafts import ProvenDraft, proven_drafts
from waza_engine.audit.run import task_grading
from waza_engine.graders.registry import graders

WORK = [("create", {"path": "NOTES.md"})]
TRIAL = recording("t", "Version 2.0 is in `NOTES.md`.", WORK, files={"NOTES.md": "Version 2.0"})


def drafts(folder: Path, trial: dict[str, Any], *entries: dict[str, Any]) -> list[ProvenDraft]:
    path = write_eval(folder / "e", [{"id": "t", "graders": list(entries)}], recordings=[trial])
    plan = plan_of(path)
    with task_grading(plan, plan.tasks[0], path.parent) as grading:
        return proven_drafts(grading, graders("waza").values(), recorded(plan)["t"], "waza")


def test_against_a_missing_file(tmp_path: Path) -> None:
    made = {it.draft.type: it for it in drafts(tmp_path, TRIAL, text_grader(not_contains=["error"]))}
    file = made["file"]
    assert file.draft.entry["config"]["must_exist"] == ["NOTES.md"]
    assert file.passes == 1
    assert "without the file NOTES.md" in file.notices
    assert "an agent that says nothing" in file.notices


def test_the_draft_that_notices_most_comes_first(tmp_path: Path) -> None:
    made = drafts(tmp_path, TRIAL, text_grader(not_contains=["error"]))
    counts = [len(it.notices) for it in made]
    assert counts == sorted(counts, reverse=True)
    assert len(made) > 1


def test_nothing_against_what_is_noticed_already(tmp_path: Path) -> None:
    file = {"type": "file", "name": "made", "config": {"must_exist": ["NOTES.md"]}}
    made = drafts(tmp_path, TRIAL, text_grader(not_contains=["error"]), file)
    assert not any("without the file NOTES.md" in it.notices for it in made)


def test_nothing_without_a_trial_that_passes(tmp_path: Path) -> None:
    assert drafts(tmp_path, TRIAL, text_grader(contains=["something else"])) == []


def test_no_check_of_what_no_grader_looks_at(tmp_path: Path) -> None:
    """Calls may come in any order if the author does not look at them. Written files are the work."""
    made = drafts(tmp_path, TRIAL, text_grader(contains=["Version 2.0"]))
    notices = {it for one in made for it in one.notices}
    assert "without the file NOTES.md" in notices
    assert not any("create" in it or "empty file" in it for it in notices), notices
