"""Definition and references across the files of a suite."""

from pathlib import Path

from tests.behaviour.suite_harness import EVAL, SUITE, TASK, at


def test_a_grader_of_the_eval_is_found_from_a_task(tmp_path: Path) -> None:
    place = at(tmp_path, "evals/tasks/a.yaml", "grader: gre¦ets")
    assert place.definitions() == ["evals/eval.yaml:10 greets"]


def test_a_grader_of_the_eval_is_referred_to_in_all_tasks(tmp_path: Path) -> None:
    found = ["evals/eval.yaml:10 greets", "evals/tasks/a.yaml:17 greets", "evals/tasks/b.yaml:17 greets"]
    assert sorted(at(tmp_path, "evals/eval.yaml", "name: gre¦ets").references()) == found
    assert sorted(at(tmp_path, "evals/tasks/a.yaml", "grader: gre¦ets").references()) == found
    place = at(tmp_path, "evals/eval.yaml", "name: gre¦ets")
    assert sorted(place.references(include_declaration=False)) == found[1:]


def test_a_grader_of_a_task_is_known_in_its_file_only(tmp_path: Path) -> None:
    place = at(tmp_path, "evals/tasks/a.yaml", "name: sho¦rt")
    assert place.references() == ["evals/tasks/a.yaml:9 short", "evals/tasks/a.yaml:18 short"]
    place = at(tmp_path, "evals/tasks/a.yaml", "grader: sho¦rt")
    assert place.definitions() == ["evals/tasks/a.yaml:9 short"]


def test_a_name_that_a_task_gives_again_means_another_grader_there(tmp_path: Path) -> None:
    files = {**SUITE, "evals/tasks/b.yaml": TASK.replace("short", "greets")}
    found = sorted(at(tmp_path, "evals/eval.yaml", "name: gre¦ets", files).references())
    assert found == ["evals/eval.yaml:10 greets", "evals/tasks/a.yaml:17 greets"]


def test_a_skill_leads_to_its_skill_file(tmp_path: Path) -> None:
    assert at(tmp_path, "evals/eval.yaml", "note-¦taker").definitions() == [
        "skills/note-taker/SKILL.md:2 note-taker"
    ]


def test_a_skill_without_a_name_in_its_file_is_called_after_its_folder(tmp_path: Path) -> None:
    files = {**SUITE, "skills/note-taker/SKILL.md": "# Notes\n"}
    assert at(tmp_path, "evals/eval.yaml", "note-¦taker", files).definitions() == [
        "skills/note-taker/SKILL.md:1"
    ]


def test_skills_beside_the_eval_and_custom_agents(tmp_path: Path) -> None:
    beside = dict(SUITE)
    skill = beside.pop("skills/note-taker/SKILL.md")
    above = {**beside, "SKILL.md": skill}
    assert at(tmp_path / "1", "evals/eval.yaml", "note-¦taker", above).definitions() == [
        "SKILL.md:2 note-taker"
    ]
    agent = {**beside, ".github/agents/note-taker.agent.md": skill}
    assert at(tmp_path / "2", "evals/eval.yaml", "note-¦taker", agent).definitions() == [
        ".github/agents/note-taker.agent.md:2 note-taker"
    ]


def test_a_skill_is_referred_to_in_the_suite_and_in_other_suites(tmp_path: Path) -> None:
    other = EVAL.replace("notes-eval", "more-eval")
    place = at(tmp_path, "evals/eval.yaml", "note-¦taker", {**SUITE, "more/eval.yaml": other})
    assert sorted(place.references()) == [
        "evals/eval.yaml:2 note-taker",
        "evals/trigger_tests.yaml:1 note-taker",
        "more/eval.yaml:2 note-taker",
        "skills/note-taker/SKILL.md:2 note-taker",
    ]


def test_a_skill_of_the_same_name_elsewhere_is_another_one(tmp_path: Path) -> None:
    other = {"app/SKILL.md": SUITE["skills/note-taker/SKILL.md"], "app/eval.yaml": EVAL, "app/.git/HEAD": ""}
    found = at(tmp_path, "evals/eval.yaml", "note-¦taker", {**SUITE, **other}).references()
    assert not [it for it in found if it.startswith("app/")]


def test_a_file_is_referred_to_by_every_path_to_it(tmp_path: Path) -> None:
    files = {**SUITE, "evals/tasks/b.yaml": TASK}
    place = at(tmp_path, "evals/tasks/a.yaml", "no¦tes.txt", files)
    assert place.references() == ["evals/tasks/a.yaml:6 notes.txt", "evals/tasks/b.yaml:6 notes.txt"]


def test_a_model_has_references_but_no_definition(tmp_path: Path) -> None:
    place = at(tmp_path, "evals/eval.yaml", "gpt¦-4o")
    assert place.definitions() == []
    assert place.references() == ["evals/eval.yaml:7 gpt-4o"]


def test_what_the_editor_holds_comes_before_what_is_on_disk(tmp_path: Path) -> None:
    place = at(tmp_path, "evals/eval.yaml", "name: gre¦ets")
    (tmp_path / "evals/eval.yaml").write_text("name: other\ntasks: []\n", encoding="utf-8")
    assert "evals/eval.yaml:10 greets" in place.references()


def test_a_file_that_is_no_eval_has_neither(tmp_path: Path) -> None:
    place = at(tmp_path, "ci.yaml", "jo¦bs", {"ci.yaml": "on: push\njobs: {}\n"})
    assert place.definitions() == []
    assert place.references() == []
