"""Renaming graders, tasks, skills, anchors and files in every file that uses them."""

from pathlib import Path

import pytest
from lsprotocol import types

from tests.behaviour.suite_harness import EVAL, SUITE, TASK, at
from waza_lsp.features.rename import rename
from waza_lsp.features.will_rename_files import will_rename_files
from waza_lsp.workspace.client import Client
from waza_lsp.workspace.rename import RenameError


def test_a_grader_of_the_eval(tmp_path: Path) -> None:
    place = at(tmp_path, "evals/tasks/a.yaml", "grader: gre¦ets")
    assert place.renamable() == "greets"
    changed = place.renamed("says-hello")
    assert sorted(changed) == ["evals/eval.yaml", "evals/tasks/a.yaml", "evals/tasks/b.yaml"]
    assert changed["evals/eval.yaml"] == EVAL.replace("greets", "says-hello")
    assert changed["evals/tasks/a.yaml"] == TASK.replace("grader: greets", "grader: says-hello")


def test_a_grader_of_a_task_stays_what_it_is_in_other_tasks(tmp_path: Path) -> None:
    assert list(at(tmp_path, "evals/tasks/a.yaml", "name: sho¦rt").renamed("brief")) == ["evals/tasks/a.yaml"]


@pytest.mark.parametrize("head", [">-", "|-  # why", ">2-"])
def test_a_name_on_a_line_of_its_own(tmp_path: Path, head: str) -> None:
    task = TASK.replace(
        "{scope: eval, grader: greets}", f"scope: eval\n        grader: {head}\n          greets"
    )
    files = {**SUITE, "evals/tasks/a.yaml": task}
    changed = at(tmp_path, "evals/eval.yaml", "name: gre¦ets", files).renamed("says: hello")
    assert changed["evals/eval.yaml"] == EVAL.replace("greets", "'says: hello'")
    assert changed["evals/tasks/a.yaml"] == task.replace("  greets\n", "  says: hello\n")


def test_the_id_of_a_task(tmp_path: Path) -> None:
    place = at(tmp_path, "evals/tasks/a.yaml", "id: fi¦rst")
    assert place.renamed("hello-001") == {"evals/tasks/a.yaml": TASK.replace("id: first", "id: hello-001")}


def test_a_skill(tmp_path: Path) -> None:
    changed = at(tmp_path, "evals/eval.yaml", "note-¦taker").renamed("scribe")
    assert sorted(changed) == ["evals/eval.yaml", "evals/trigger_tests.yaml", "skills/note-taker/SKILL.md"]
    assert "name: scribe\n" in changed["skills/note-taker/SKILL.md"]
    assert changed["evals/trigger_tests.yaml"].startswith("skill: scribe\n")


@pytest.mark.parametrize(
    ("written", "new", "expected"),
    [
        ("'greets'", "it's", "'it''s'"),
        ('"greets"', 'a "b"', '"a \\"b\\""'),
        ("greets", "says: it", "'says: it'"),
        ("greets", "a, b", "'a, b'"),
        ("greets", "true", "'true'"),
        ("greets", "12", "'12'"),
    ],
)
def test_quotes_stay_and_come_where_they_are_needed(
    tmp_path: Path, written: str, new: str, expected: str
) -> None:
    files = {"evals/eval.yaml": EVAL.replace("greets", written)}
    name = written.replace("greets", "gre¦ets")
    changed = at(tmp_path, "evals/eval.yaml", f"name: {name}", files).renamed(new)
    assert f"name: {expected}\n" in changed["evals/eval.yaml"]


def test_a_name_that_another_grader_has(tmp_path: Path) -> None:
    with pytest.raises(RenameError, match="A grader named 'greets' already exists"):
        at(tmp_path, "evals/tasks/a.yaml", "name: sho¦rt").renamed("greets")


@pytest.mark.parametrize("new", ["", "  ", "a\nb"])
def test_a_name_that_is_none(tmp_path: Path, new: str) -> None:
    with pytest.raises(RenameError, match="must be a single non-empty line"):
        at(tmp_path, "evals/tasks/a.yaml", "name: sho¦rt").renamed(new)


@pytest.mark.parametrize("text", ["gpt¦-4o", "execu¦tor", "moc¦k", "tasks/¦*.yaml"])
def test_what_nothing_here_defines_cannot_be_renamed(tmp_path: Path, text: str) -> None:
    assert at(tmp_path, "evals/eval.yaml", text).renamable() is None


def test_a_skill_that_is_called_after_its_folder_cannot(tmp_path: Path) -> None:
    files = {**SUITE, "skills/note-taker/SKILL.md": "# Notes\n"}
    assert at(tmp_path, "evals/eval.yaml", "note-¦taker", files).renamable() is None


ANCHORED = "shared: &base\n  executor: mock\nskill: x\ngraders: []\nconfig:\n  <<: *base\nmore: *base\n"


@pytest.mark.parametrize("mark", ["&b¦ase", "*b¦ase", "¦*base", "&base¦"])
def test_an_anchor_with_its_aliases(tmp_path: Path, mark: str) -> None:
    place = at(tmp_path, "eval.yaml", mark, {"eval.yaml": ANCHORED})
    assert place.renamable() == "base"
    assert place.renamed("usual") == {"eval.yaml": ANCHORED.replace("base", "usual")}


def test_an_anchor_that_is_given_twice_cannot(tmp_path: Path) -> None:
    source = "a: &x 1\nb: *x\nc: &x 2\nskill: x\ngraders: []\nd: *x\n"
    assert at(tmp_path, "eval.yaml", "a: &¦x", {"eval.yaml": source}).renamable() is None


@pytest.mark.parametrize("new", ["a b", "a,b", "[x"])
def test_a_name_that_no_anchor_can_have(tmp_path: Path, new: str) -> None:
    with pytest.raises(RenameError, match="anchor name cannot contain"):
        at(tmp_path, "eval.yaml", "&b¦ase", {"eval.yaml": ANCHORED}).renamed(new)


def test_a_file_moves_and_every_path_follows(tmp_path: Path) -> None:
    files = {**SUITE, "evals/tasks/b.yaml": TASK}
    place = at(tmp_path, "evals/tasks/a.yaml", "no¦tes.txt", files)
    assert place.renamable() == "notes.txt"
    changed = place.renamed("texts/minutes.txt")
    assert changed == {
        "evals/tasks/a.yaml": TASK.replace("notes.txt", "texts/minutes.txt"),
        "evals/tasks/b.yaml": TASK.replace("notes.txt", "texts/minutes.txt"),
        "evals/fixtures/notes.txt -> evals/fixtures/texts/minutes.txt": "",
    }


def test_a_file_does_not_move_over_another_one(tmp_path: Path) -> None:
    with pytest.raises(RenameError, match="A file named"):
        at(tmp_path, "evals/tasks/a.yaml", "no¦tes.txt").renamed("other/plan.txt")


def test_a_path_to_nothing_cannot_be_renamed(tmp_path: Path) -> None:
    files = {**SUITE, "evals/tasks/a.yaml": TASK.replace("notes.txt", "gone.txt")}
    assert at(tmp_path, "evals/tasks/a.yaml", "go¦ne.txt", files).renamable() is None


def test_an_editor_that_renames_no_files_is_told_so(tmp_path: Path) -> None:
    place = at(tmp_path, "evals/tasks/a.yaml", "no¦tes.txt")
    with pytest.raises(RenameError, match="This editor does not let the server rename files"):
        rename(place.snapshot, place.position, "minutes.txt", place.workspace, Client(rename_files=False))


def test_an_editor_without_document_changes_gets_plain_ones(tmp_path: Path) -> None:
    place = at(tmp_path, "evals/eval.yaml", "note-¦taker")
    move = [types.FileRename((tmp_path / "evals/tasks").as_uri(), (tmp_path / "evals/cases").as_uri())]
    edit = will_rename_files(move, place.workspace, Client(document_changes=False, rename_files=False))
    assert edit is not None
    assert edit.document_changes is None
    assert place.applied(edit)["evals/eval.yaml"] == EVAL.replace("tasks/*.yaml", "cases/*.yaml")
    assert will_rename_files([], place.workspace, Client(document_changes=False)) is None


def _moved(root: Path, old: str, new: str, files: dict[str, str]) -> dict[str, str]:
    return _all_moved(root, {old: new}, files)


def _all_moved(root: Path, moves: dict[str, str], files: dict[str, str]) -> dict[str, str]:
    place = at(root, "evals/eval.yaml", "note-¦taker", files)
    wanted = [types.FileRename((root / old).as_uri(), (root / new).as_uri()) for old, new in moves.items()]
    edit = will_rename_files(wanted, place.workspace)
    if edit is None:
        return {}
    edited = [
        it.text_document.uri for it in edit.document_changes or () if isinstance(it, types.TextDocumentEdit)
    ]
    assert len(edited) == len(set(edited))
    return place.applied(edit)


def test_paths_follow_a_folder_that_the_editor_moves(tmp_path: Path) -> None:
    changed = _moved(tmp_path, "evals/fixtures/other", "evals/fixtures/plans", SUITE)
    assert changed == {"evals/tasks/b.yaml": SUITE["evals/tasks/b.yaml"].replace("other/plan", "plans/plan")}


def test_patterns_follow_their_folder(tmp_path: Path) -> None:
    changed = _moved(tmp_path, "evals/tasks", "evals/cases/all", SUITE)
    assert changed["evals/eval.yaml"] == EVAL.replace("tasks/*.yaml", "cases/all/*.yaml")


def test_a_task_that_moves_keeps_its_own_paths_right(tmp_path: Path) -> None:
    task = "id: p\nname: P\ninputs:\n  prompt_file: ../prompts/p.md\n"
    files = {**SUITE, "evals/tasks/p.yaml": task, "evals/prompts/p.md": "x"}
    changed = _moved(tmp_path, "evals/tasks/p.yaml", "evals/tasks/deep/p.yaml", files)
    assert changed == {"evals/tasks/p.yaml": task.replace("../prompts", "../../prompts")}


def test_what_a_task_takes_from_its_suite_stays_there(tmp_path: Path) -> None:
    task = TASK.replace("prompt: Say hello.", "prompt_file: p.md")
    named = EVAL.replace("tasks/*.yaml", "tasks/a.yaml")
    files = {
        **SUITE,
        "eval.yaml": EVAL,
        "evals/eval.yaml": named,
        "evals/tasks/a.yaml": task,
        "evals/tasks/p.md": "",
    }
    changed = _moved(tmp_path, "evals/tasks/a.yaml", "out/a.yaml", files)
    assert changed == {"evals/eval.yaml": named.replace("tasks/a.yaml", "../out/a.yaml")}


def test_files_that_change_places(tmp_path: Path) -> None:
    named = EVAL.replace('  - "tasks/*.yaml"', "  [tasks/a.yaml, tasks/b.yaml]")
    files = {**SUITE, "evals/eval.yaml": named}
    moves = {"evals/tasks/a.yaml": "evals/tasks/b.yaml", "evals/tasks/b.yaml": "evals/tasks/a.yaml"}
    changed = _all_moved(tmp_path, moves, files)
    assert changed == {"evals/eval.yaml": named.replace("a.yaml, tasks/b.yaml", "b.yaml, tasks/a.yaml")}
    folder = {"evals/tasks": "evals/cases", "evals/tasks/b.yaml": "evals/cases/second.yaml"}
    changed = _all_moved(tmp_path, folder, files)
    assert changed == {
        "evals/eval.yaml": named.replace("tasks/a", "cases/a").replace("tasks/b", "cases/second")
    }


def test_a_move_that_concerns_no_eval(tmp_path: Path) -> None:
    assert _moved(tmp_path, "README.md", "READ.md", SUITE) == {}
