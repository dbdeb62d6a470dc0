"""The fix at an untested clause: what it writes into evals of each form, and that only proven ones are offered."""

from pathlib import Path

import pytest
from lsprotocol import types

from tests.engine.coverage.suites import write, write_skill, write_triggers, write_vally, write_waza
from waza_engine.coverage.index import evals_that_may_test
from waza_engine.coverage.suites import coverage_of
from waza_engine.lib.files.vfs import Files
from waza_engine.project.discovery import eval_files
from waza_engine.project.load_suite import load_suite
from waza_engine.project.settings import Projects
from waza_lsp.features.skill_actions import clauses_at, skill_action
from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.client import FULL_SUPPORT, Client
from waza_lsp.workspace.skill_text import skill_text
from waza_lsp.workspace.workspace import WorkspaceFiles

WANTED, UNWANTED = "rotate certificates", "translating books"
_AS_USERS_SAY = {WANTED: "Rotate certificates", UNWANTED: "Help me with translating books"}


def action(root: Path, clause: str, client: Client = FULL_SUPPORT) -> types.CodeAction | None:
    """Return the action at a clause of the skill `notes`."""
    path, files = root / "skills" / "notes" / "SKILL.md", Files()
    snapshot = Snapshot.of(path.as_uri(), path.read_text(encoding="utf-8"), 1)
    skill = skill_text(snapshot)
    assert skill is not None
    evals = evals_that_may_test(skill.skill, eval_files(root, Projects()), files)
    coverage = coverage_of(skill.skill, [load_suite(it, process_dir=root) for it in evals], files)
    start = skill.skill.description.index(clause)
    at = snapshot.range(skill.span(start, start + len(clause)))
    context = types.CodeActionContext([], trigger_kind=types.CodeActionTriggerKind.Automatic)
    [found] = clauses_at(snapshot, skill, coverage, at, context)
    return skill_action(found, coverage, WorkspaceFiles(root, files), {}, [], client)


def applied(root: Path, clause: str) -> dict[str, str]:
    """Return the files that the action at a clause changes, as they are then."""
    found = action(root, clause)
    assert found is not None
    assert found.edit is not None
    texts: dict[str, str] = {}
    for change in found.edit.document_changes or []:
        if isinstance(change, types.TextDocumentEdit):
            path = Path(change.text_document.uri.removeprefix("file://"))
            snapshot = Snapshot.of(
                change.text_document.uri, path.read_bytes().decode() if path.exists() else "", 1
            )
            edits = [
                types.TextDocumentContentChangePartial(one.range, one.new_text)
                for one in change.edits
                if isinstance(one, types.TextEdit)
            ]
            texts[path.name] = str(snapshot.with_changes([*reversed(edits)], 2).text)
    return texts


@pytest.mark.parametrize("clause", [WANTED, UNWANTED])
@pytest.mark.parametrize(
    "text",
    [
        "skill: notes\nshould_trigger_prompts:\n  - prompt: Write release notes # often\nshould_not_trigger_prompts:\n",
        "skill: notes\nshould_trigger_prompts: [{prompt: Write release notes}]\nshould_not_trigger_prompts: []\n",
        "# Übersicht\r\nskill: notes\r\nshould_trigger_prompts:\r\n- prompt: 'Write release notes'\r\n  confidence: medium\r\n",
        "skill: notes\nshould_trigger_prompts:\n    - {prompt: Write release notes}\n",
    ],
    ids=["comment", "flow", "line ends", "deep"],
)
def test_a_trigger_prompt_is_added(tmp_path: Path, text: str, clause: str) -> None:
    write_skill(tmp_path)
    write_waza(tmp_path)
    write(write_triggers(tmp_path), text)
    [(name, now)] = applied(tmp_path, clause).items()
    assert name == "trigger_tests.yaml"
    assert f"prompt: {_AS_USERS_SAY[clause]}" in now
    assert [it for it in text.split("\n") if "#" in it] == [it for it in now.split("\n") if "#" in it]
    assert now.count("\r") == (now.count("\n") if "\r" in text else 0)


@pytest.mark.parametrize(
    ("tasks", "place"),
    [
        ("tasks:\n  - tasks/*.yaml\n", ""),
        ("tasks: [tasks/first.yaml] # one\n", "tasks/rotate-certificates.yaml"),
        ("tasks:\n  - 'cases/**/*.yaml'\n  - tasks/*.yaml\n", "?"),
    ],
    ids=["matched", "listed", "two globs"],
)
def test_a_task_file_is_written_and_listed(tmp_path: Path, tasks: str, place: str) -> None:
    write_skill(tmp_path)
    path = write_waza(tmp_path)
    path.write_text(path.read_text().replace("tasks:\n  - tasks/*.yaml\n", tasks))
    texts = applied(tmp_path, WANTED)
    assert "    Rotate certificates\n" in texts["rotate-certificates.yaml"]
    if place not in {"", "?"}:
        assert place in texts["eval.yaml"]
        assert "# one" in texts["eval.yaml"]
    else:
        assert "eval.yaml" not in texts


def test_a_task_for_what_the_skill_is_not_for_says_so(tmp_path: Path) -> None:
    write_skill(tmp_path)
    write_waza(tmp_path)
    [(name, text)] = applied(tmp_path, UNWANTED).items()
    assert name == "out-of-scope-help-me-with-translating-books.yaml"
    assert 'name: "Out of scope: Help me with translating books"' in text


@pytest.mark.parametrize("clause", [WANTED, UNWANTED])
def test_a_stimulus_is_added(tmp_path: Path, clause: str) -> None:
    write_skill(tmp_path)
    write_vally(tmp_path)
    [(name, text)] = applied(tmp_path, clause).items()
    assert name == "eval.yaml"
    assert f"prompt: {_AS_USERS_SAY[clause]}\n" in text


def test_nothing_is_offered_that_an_editor_or_the_eval_cannot_take(tmp_path: Path) -> None:
    write_skill(tmp_path)
    path = write_waza(tmp_path)
    assert action(tmp_path, WANTED) is not None
    assert action(tmp_path, WANTED, Client(create_files=False)) is None
    # The new task is there already, but for something else.
    write(
        path.parent / "tasks" / "rotate-certificates.yaml",
        "id: other\nname: Other\ninputs:\n  prompt: Write notes\n",
    )
    assert action(tmp_path, WANTED) is None
