"""Paths in a document: links and definitions."""

from pathlib import Path

import pytest

from tests.behaviour.reading_harness import definitions, links

FILES = [
    "evals/eval.yaml",
    "evals/prompts.csv",
    "evals/fixtures/notes.txt",
    "evals/fixtures/with space.txt",
    "evals/skills/notes/SKILL.md",
    "evals/tasks/a.yaml",
    "evals/tasks/b.yaml",
    "evals/tasks/deep/c.yaml",
    "evals/tasks/prompts/a.md",
    "scripts/check.py",
    "other/notes.txt",
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
    return tmp_path


TASK = """
id: t1
skill_directories: [skills/notes, skills/none]
inputs:
  prompt_file: prompts/a.md
  files:
    - path: notes.txt
    - path: "with space.txt"
    - path: missing.txt
"""


def test_an_eval(root: Path) -> None:
    source = """
        skill: notes
        tasks_from: prompts.csv
        config:
          skill_directories: [skills/notes]
        hooks:
          before_run:
            - command: x
              working_directory: scripts
        tasks: [tasks/a.yaml, tasks/*.yaml, tasks/gone.yaml]
        graders: []
        """
    assert links(source, root / "evals", process_dir=root) == {
        "prompts.csv": "prompts.csv",
        "skills/notes": "skills/notes/SKILL.md",
        "scripts": f"{root.as_posix()}/scripts",
        "tasks/a.yaml": "tasks/a.yaml",
    }


def test_a_path_that_leads_up_and_down_again_names_the_place_itself(root: Path) -> None:
    source = "skill: notes\nconfig:\n  skill_directories: [tasks/../skills/notes, ../other]\n"
    assert links(source, root / "evals") == {
        "tasks/../skills/notes": "skills/notes/SKILL.md",
        "../other": f"{root.as_posix()}/other",
    }


def test_a_task_finds_its_eval_above_it(root: Path) -> None:
    assert links(TASK, root / "evals", "tasks/deep/c.yaml") == {
        "skills/notes": "skills/notes/SKILL.md",
        "notes.txt": "fixtures/notes.txt",
        "with space.txt": "fixtures/with space.txt",
    }
    assert links(TASK, root / "evals", "tasks/a.yaml")["prompts/a.md"] == "tasks/prompts/a.md"


def test_a_task_without_an_eval_has_only_what_starts_from_itself(root: Path) -> None:
    (root / "evals/eval.yaml").unlink()
    assert links(TASK, root / "evals", "tasks/a.yaml") == {"prompts/a.md": "tasks/prompts/a.md"}


def test_a_key_can_move_where_its_neighbours_start(root: Path) -> None:
    found = links(f"context_dir: other\n{TASK}", root / "evals", "tasks/a.yaml", process_dir=root)
    assert found["notes.txt"] == f"{root.as_posix()}/other/notes.txt"
    assert "with space.txt" not in found


def test_paths_in_the_agents_workspace_are_no_links(root: Path) -> None:
    source = "skill: x\ngraders:\n  - type: file\n    config: {must_exist: [prompts.csv]}\ntasks: [a]\n"
    assert links(source, root / "evals", process_dir=root / "evals") == {}


def test_a_broken_line_leaves_the_other_links(root: Path) -> None:
    source = "skill: x\ngraders:\n  - type: [\ntasks_from: prompts.csv\n"
    assert links(source, root / "evals") == {"prompts.csv": "prompts.csv"}


def test_absolute_and_impossible_paths_are_no_links(root: Path) -> None:
    source = (
        f'skill: x\ntasks_from: {root}/evals/prompts.csv\ntasks: ["a\\0b", "{"x" * 5000}", ""]\ngraders: []\n'
    )
    assert links(source, root / "evals") == {}


def test_a_pattern_leads_to_every_file_it_matches(root: Path) -> None:
    document = "skill: x\ntasks:\n  - tas¦ks/*.yaml\ngraders: []\n"
    assert definitions(document, root / "evals") == ["tasks/a.yaml", "tasks/b.yaml"]


def test_two_stars_are_one_level(root: Path) -> None:
    document = "skill: x\ntasks:\n  - tasks/**/¦*.yaml\ngraders: []\n"
    assert definitions(document, root / "evals") == ["tasks/deep/c.yaml"]


def test_a_pattern_that_go_refuses_leads_nowhere(root: Path) -> None:
    assert definitions("skill: x\ntasks: ['tasks/[.y¦aml']\ngraders: []\n", root / "evals") == []


def test_a_path_leads_to_its_file(root: Path) -> None:
    assert definitions(TASK.replace("- path: not", "- path: n¦ot"), root / "evals", "tasks/a.yaml") == [
        "fixtures/notes.txt"
    ]


def test_a_directory_is_no_definition(root: Path) -> None:
    (root / "evals/skills/notes/SKILL.md").unlink()
    document = TASK.replace("skills/notes", "skills/no¦tes")
    assert definitions(document, root / "evals", "tasks/a.yaml") == []


def test_a_grader_can_move_where_its_own_paths_start(root: Path) -> None:
    grader = "  - type: diff\n    config:\n      {0}expected_files: [{{path: x, snapshot: notes.txt}}]\n"
    moved = grader.format("context_dir: other\n      ")
    source = f"skill: x\ngraders:\n{moved}{grader.format('')}tasks: [a]\n"
    (root / "notes.txt").write_text("", encoding="utf-8")
    document = source.replace("snapshot: notes", "snapshot: n¦otes", 1)
    assert definitions(document, root / "evals", process_dir=root) == [f"{root.as_posix()}/other/notes.txt"]
    head, _, tail = source.rpartition("notes.txt")
    assert definitions(f"{head}not¦es.txt{tail}", root / "evals", process_dir=root) == [
        f"{root.as_posix()}/notes.txt"
    ]


def test_a_skill_s_folder_leads_to_its_skill_file(root: Path) -> None:
    source = "skill: notes\nconfig:\n  skill_directories: [skills/no¦tes]\ntasks: [tasks/a.yaml]\n"
    assert definitions(source, root / "evals", process_dir=root) == ["skills/notes/SKILL.md"]
