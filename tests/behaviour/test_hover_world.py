"""Hover facts from other files: paths, shares, skills, graders, tasks, the cost of a type."""

from pathlib import Path

import pytest

from tests.behaviour.reading_harness import hover_at
from tests.behaviour.suite_harness import EVAL, SUITE, TASK, at


def test_a_pattern_says_what_it_matches(tmp_path: Path) -> None:
    text = at(tmp_path, "evals/eval.yaml", "tasks/¦*.yaml").hovered()
    assert "Matches 2 files: [`tasks/a.yaml`](file://" in text
    assert "[`tasks/b.yaml`](file://" in text


def test_a_pattern_with_many_matches_shows_the_first_ones(tmp_path: Path) -> None:
    files = {**SUITE, **{f"evals/tasks/t{it}.yaml": TASK for it in range(10)}}
    text = at(tmp_path, "evals/eval.yaml", "tasks/¦*.yaml", files).hovered()
    assert "Matches 12 files: " in text
    assert text.endswith(" and 7 more")


def test_a_pattern_without_a_match_says_where_it_looked(tmp_path: Path) -> None:
    files = {**SUITE, "evals/eval.yaml": EVAL.replace("tasks/*", "task/*")}
    assert (
        "No file matches below `evals`." in at(tmp_path, "evals/eval.yaml", "task/¦*.yaml", files).hovered()
    )


def test_a_path_says_what_is_there(tmp_path: Path) -> None:
    text = at(tmp_path, "evals/tasks/a.yaml", "no¦tes.txt").hovered()
    assert text.startswith("**path**")
    assert f"File [`evals/fixtures/notes.txt`]({(tmp_path / 'evals/fixtures/notes.txt').as_uri()})" in text


def test_a_path_to_a_folder(tmp_path: Path) -> None:
    files = {**SUITE, "evals/tasks/a.yaml": TASK + "context_dir: skills\n"}
    assert "Folder [`skills`](" in at(tmp_path, "evals/tasks/a.yaml", "context_dir: sk¦ills", files).hovered()


def test_a_path_that_leads_nowhere(tmp_path: Path) -> None:
    files = {**SUITE, "evals/tasks/a.yaml": TASK.replace("notes.txt", "gone.txt")}
    text = at(tmp_path, "evals/tasks/a.yaml", "go¦ne.txt", files).hovered()
    assert "File not found below `evals/fixtures`." in text


def test_a_path_in_the_agents_workspace_says_nothing_of_files(tmp_path: Path) -> None:
    task = TASK.replace("type: text", "type: file").replace("contains: [hi]", "must_exist: [notes.txt]")
    text = at(tmp_path, "evals/tasks/a.yaml", "[no¦tes.txt]", {**SUITE, "evals/tasks/a.yaml": task}).hovered()
    assert "There is no" not in text
    assert "File [" not in text


WEIGHED = {
    "evals/eval.yaml": EVAL.replace("name: greets\n", "name: greets\n    weight: 2\n"),
    "evals/tasks/a.yaml": TASK.replace("name: short\n", "name: short\n    weight: 6\n"),
}


def test_a_weight_in_a_task_shows_its_share_with_the_graders_of_the_eval(tmp_path: Path) -> None:
    text = at(tmp_path, "evals/tasks/a.yaml", "weight: ¦6", WEIGHED).hovered()
    assert "**75%** of the score of the task." in text


def test_a_weight_in_an_eval_shows_its_share_in_its_tasks(tmp_path: Path) -> None:
    files = {**WEIGHED, "evals/tasks/b.yaml": "id: b\nname: B\ninputs: {prompt: x}\n"}
    text = at(tmp_path, "evals/eval.yaml", "wei¦ght: 2", files).hovered()
    assert "**25-100%** of the score of a task." in text


def test_expected_texts_are_checks_of_weight_1(tmp_path: Path) -> None:
    files = {
        **WEIGHED,
        "evals/tasks/a.yaml": WEIGHED["evals/tasks/a.yaml"] + "expected: {output_contains: [x]}\n",
    }
    assert "**67%** of the score" in at(tmp_path, "evals/tasks/a.yaml", "weight: ¦6", files).hovered()


@pytest.mark.parametrize("weight", ["0", "-3"])
def test_a_weight_that_counts_as_1(tmp_path: Path, weight: str) -> None:
    files = {**WEIGHED, "evals/tasks/a.yaml": WEIGHED["evals/tasks/a.yaml"].replace("6", weight)}
    assert "**33%** of the score" in at(tmp_path, "evals/tasks/a.yaml", f"weight: ¦{weight}", files).hovered()


def test_weights_in_checkpoints_count_nowhere(tmp_path: Path) -> None:
    task = (
        TASK
        + "checkpoints:\n  - after_turn: 1\n    graders:\n      - {type: text, name: x, weight: 5, config: {contains: [a]}}\n"
    )
    text = at(tmp_path, "evals/tasks/a.yaml", "weight: ¦5", {**SUITE, "evals/tasks/a.yaml": task}).hovered()
    assert "of the score of" not in text


def test_a_skill_shows_what_it_is_for(tmp_path: Path) -> None:
    text = at(tmp_path, "evals/eval.yaml", "note-¦taker").hovered()
    assert "Takes notes. USE FOR - meetings" in text
    assert "[`skills/note-taker/SKILL.md`](" in text


def test_a_skill_that_is_nowhere_has_the_text_of_its_key_only(tmp_path: Path) -> None:
    files = {**SUITE, "evals/eval.yaml": EVAL.replace("note-taker", "nobody")}
    text = at(tmp_path, "evals/eval.yaml", "no¦body", files).hovered()
    assert text.startswith("**skill**")
    assert "SKILL.md`](" not in text


def test_a_grader_that_is_referred_to_shows_its_entry(tmp_path: Path) -> None:
    own = at(tmp_path, "evals/tasks/a.yaml", "grader: sho¦rt").hovered()
    assert own.endswith("```yaml\ntype: text\nname: short\nconfig:\n  contains: [hi]\n```")
    other = at(tmp_path, "evals/tasks/a.yaml", "grader: gre¦ets").hovered()
    assert "In [`evals/eval.yaml`](" in other
    assert other.endswith("```yaml\ntype: text\nname: greets\nconfig:\n  contains: [hello]\n```")


def test_the_id_of_a_task_says_which_eval_lists_it(tmp_path: Path) -> None:
    assert "Listed by [`evals/eval.yaml`](" in at(tmp_path, "evals/tasks/a.yaml", "id: fi¦rst").hovered()


@pytest.mark.parametrize(
    ("kind", "cost"),
    [
        ("text", "Grading is free: it needs no model and starts no process."),
        ("program", "Each grading starts a child process."),
        ("prompt", "Each grading asks a judge model."),
    ],
)
def test_a_grader_type_says_what_it_costs(kind: str, cost: str) -> None:
    found = hover_at(f"skill: x\ngraders:\n  - type: {kind[:2]}¦{kind[2:]}\n    name: a\ntasks: [a]\n")
    assert found is not None
    assert cost in found.text
