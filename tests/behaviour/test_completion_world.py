"""Completion of names from SKILL.md, other files of the suite, the workspace, and recorded runs."""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from tests.behaviour.suite_harness import EVAL, SUITE, TASK, at
from waza_engine.runs.recordings.preview import recording_previews
from waza_lsp.features.completion import completion
from waza_lsp.workspace.references import known_names
from waza_lsp.workspace.workspace import WorkspaceFiles

CALLS = """\
graders:
  - type: tool_calls
    name: tools
    config:
      required_tools: [edit]
  - type: skill_invocation
    name: skills
    config:
      required_skills: [note-taker]
      mode: any_order
"""
WORLD = {
    **SUITE,
    "evals/eval.yaml": EVAL,
    "evals/tasks/a.yaml": TASK.partition("graders:")[0] + CALLS,
    "evals/tasks/b.yaml": TASK.replace("id: first", "id: second").partition("graders:")[0]
    + "graders:\n  - type: behavior\n    name: b\n    config:\n      forbidden_tools: [web_fetch]\n",
    "other/eval.yaml": EVAL.replace("gpt-4o", "claude-9"),
    ".waza.yaml": "defaults:\n  model: gpt-5.5\n",
    "skills/other/SKILL.md": "---\nname: plan-maker\ndescription: Makes plans.\n---\n",
    "evals/recordings/first.json": json.dumps(
        {"version": 1, "task": "first", "model": "gpt-6", "session": {"tools_used": ["view", "bash"]}}
    ),
}


def offered_at(root: Path, name: str, text: str, files: Mapping[str, str] = WORLD) -> dict[str, str | None]:
    """Return the detail of each completion item at a mark, by label."""
    place = at(root, name, text, files)
    old = place.workspace
    workspace = WorkspaceFiles(
        old.process_dir,
        old.files,
        old.open_snapshot,
        old.list_files,
        recordings=partial(recording_previews, old.files),
    )
    found = completion(
        place.snapshot,
        place.position,
        files=workspace,
        names_elsewhere=lambda it: known_names(it, place.snapshot, workspace),
    )
    return {it.label: it.detail for it in found.items}


def test_skills_are_those_that_have_a_file(tmp_path: Path) -> None:
    found = offered_at(tmp_path, "evals/eval.yaml", "skill: note¦-taker")
    assert found == {"note-taker": "Takes notes. USE FOR - meetings", "plan-maker": "Makes plans."}


def test_trigger_files_know_them_too(tmp_path: Path) -> None:
    assert "plan-maker" in offered_at(tmp_path, "evals/trigger_tests.yaml", "skill: note¦-taker")


def test_so_do_lists_of_skills(tmp_path: Path) -> None:
    found = offered_at(tmp_path, "evals/tasks/a.yaml", "required_skills: [note¦-taker]")
    assert {"note-taker", "plan-maker"} <= found.keys()


def test_tools_were_seen_in_recordings_and_in_other_files(tmp_path: Path) -> None:
    found = offered_at(tmp_path, "evals/tasks/a.yaml", "required_tools: [edit¦]")
    assert found["view"] == found["bash"] == "tool in the last run of first"
    assert found["web_fetch"] == "tool in b.yaml"


def test_models_were_seen_in_recordings_projects_and_the_workspace(tmp_path: Path) -> None:
    found = offered_at(tmp_path, "evals/eval.yaml", "model: gpt¦-4o")
    assert {"gpt-6", "gpt-5.5", "claude-9"} <= found.keys()
    assert found["gpt-5.5"] == "model in .waza.yaml"


def test_a_check_names_graders_of_the_eval_and_of_the_task(tmp_path: Path) -> None:
    files = {**WORLD, "evals/tasks/a.yaml": TASK}
    found = offered_at(tmp_path, "evals/tasks/a.yaml", "scope: eval, grader: gre¦ets", files)
    assert found == {"short": "grader in this file", "greets": "grader in eval.yaml"}


def test_without_anything_known_examples_remain(tmp_path: Path) -> None:
    found = offered_at(tmp_path, "eval.yaml", "skill: ¦", {"eval.yaml": "name: a\nskill: \n"})
    assert found


def test_tasks_do_not_offer_files_that_runs_load_by_themselves(tmp_path: Path) -> None:
    text = "name: x\nskill: y\ntasks:\n  - ¦\n"
    beside = {"evals/trigger_tests.yaml": "skill: s\n", "evals/one.yaml": TASK}
    files = {**WORLD, **beside, "evals/eval.yaml": text.replace("¦", "")}
    offered = offered_at(tmp_path, "evals/eval.yaml", text, files)
    assert "one.yaml" in offered
    assert "trigger_tests.yaml" not in offered
