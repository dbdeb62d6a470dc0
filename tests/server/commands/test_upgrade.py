"""`waza.upgradeWorkspace` and its code action: the editor changes all files of the workspace, open or not."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.behaviour.harness import snapshot_of
from tests.server.conftest import Opener, one_editor
from tests.server.results_harness import editor
from waza_engine.analysis.pipeline import CheckContext
from waza_engine.recognition.recognise import releases
from waza_lsp.features.upgrade_actions import upgrade_actions

OLD = """\
name: notes
config:
  runs: 2  # twice
  executor: mock
stimuli:
  - name: a
    prompt: Summarise the notes.
    graders:
      - type: output-contains
        config: {substring: decision}
"""
NEW = OLD.replace("config:\n  runs", "defaults:\n  runs")
TO = f"vally@{releases('vally').newest}"


def edits_asked(client: LanguageClient, *, applied: bool = True) -> list[types.ApplyWorkspaceEditParams]:
    """Collect the edits that the server asks for."""
    asked: list[types.ApplyWorkspaceEditParams] = []

    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        asked.append(params)
        return types.ApplyWorkspaceEditResult(applied=applied)

    client.feature(types.WORKSPACE_APPLY_EDIT)(apply)
    return asked


async def upgrade(client: LanguageClient, to: str = "vally") -> Any:
    params = types.ExecuteCommandParams("waza.upgradeWorkspace", [{"to": to}])
    return await client.workspace_execute_command_async(params)


def changes_of(edit: types.WorkspaceEdit) -> dict[str, tuple[int | None, list[Any]]]:
    """Return version and edits by URI, however the edit lists them."""
    if edit.document_changes is None:
        return {uri: (None, list(edits)) for uri, edits in (edit.changes or {}).items()}
    return {
        it.text_document.uri: (it.text_document.version, list(it.edits))
        for it in edit.document_changes
        if isinstance(it, types.TextDocumentEdit)
    }


def applied_to(text: str, edits: list[types.TextEdit]) -> str:
    lines = text.splitlines(keepends=True)
    for it in sorted(edits, key=lambda it: (it.range.start.line, it.range.start.character), reverse=True):
        start, end = it.range.start, it.range.end
        before, after = lines[start.line][: start.character], lines[end.line][end.character :]
        lines[start.line : end.line + 1] = [before + it.new_text + after]
    return "".join(lines)


async def test_all_files_are_changed_open_or_not(
    client: LanguageClient, tmp_path: Path, opened: Opener
) -> None:
    closed = tmp_path / "closed.eval.yaml"
    closed.write_text(OLD, encoding="utf-8")
    # The text in the editor counts, not the one on disk.
    (tmp_path / "open.eval.yaml").write_text(NEW, encoding="utf-8")
    uri = opened(tmp_path / "open.eval.yaml", OLD)
    asked = edits_asked(client)
    answer = await upgrade(client)
    [edit] = [it.edit for it in asked]
    changes = changes_of(edit)
    assert set(changes) == {uri, closed.as_uri()} == set(answer["files"])
    for version, edits in changes.values():
        assert applied_to(OLD, edits) == NEW
        assert version in {None, 1}
    if edit.document_changes is not None:
        assert (changes[uri][0], changes[closed.as_uri()][0]) == (1, None)
    assert (answer["to"][0], answer["remaining"], answer["removed"]) == (TO, [], [])
    assert answer["pin"].startswith("[vally]\n")
    assert client.messages[-1].message == f"Changed 2 files for {TO.replace('@', ' ')}."


@one_editor
async def test_a_workspace_without_anything_to_change(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "eval.yaml").write_text(NEW, encoding="utf-8")
    asked = edits_asked(client)
    answer = await upgrade(client)
    assert (asked, answer["files"]) == ([], [])
    assert "Nothing in this workspace needs a change" in client.messages[-1].message


async def test_without_a_version_all_files_go_to_the_newest(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "eval.yaml").write_text(OLD, encoding="utf-8")
    edits_asked(client)
    answer = await upgrade(client, "")
    assert answer["files"] == [(tmp_path / "eval.yaml").as_uri()]
    assert TO in answer["to"]
    assert len(answer["to"]) > 1


async def test_an_editor_that_refuses_the_edit(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "eval.yaml").write_text(OLD, encoding="utf-8")
    edits_asked(client, applied=False)
    assert await upgrade(client) is None
    assert "did not change the files" in client.messages[-1].message


@one_editor
async def test_a_version_that_does_not_exist(client: LanguageClient) -> None:
    assert await upgrade(client, "vally@99.0") is None
    assert "cannot be upgraded: vally 99.0 is unknown" in client.messages[-1].message


async def actions(client: LanguageClient, uri: str, kind: str) -> list[Any]:
    here = types.Range(types.Position(0, 0), types.Position(0, 0))
    context = types.CodeActionContext([], only=[kind], trigger_kind=types.CodeActionTriggerKind.Invoked)
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), here, context)
    return list(await client.text_document_code_action_async(params) or ())


async def test_the_action_is_offered_where_something_breaks(
    client: LanguageClient, tmp_path: Path, opened: Opener
) -> None:
    old, new = opened(tmp_path / "old.eval.yaml", OLD), opened(tmp_path / "new.eval.yaml", NEW)
    [action] = await actions(client, old, "source.upgradeWorkspace")
    assert action.title == f"Upgrade this workspace to {TO.replace('@', ' ')}"
    # The client's library may read the action as a command.
    assert "'waza.upgradeWorkspace'" in str(action)
    assert str({"to": TO}) in str(action)
    assert await actions(client, new, "source.upgradeWorkspace") == []
    assert await actions(client, old, "refactor") == []


@pytest.mark.parametrize(
    ("only", "code", "kind"),
    [
        ("", "legacy-shape", "quickfix"),
        ("quickfix", "legacy-shape", "quickfix"),
        ("source", "legacy-shape", "source.upgradeWorkspace.waza"),
        ("", "empty-item", "source.upgradeWorkspace.waza"),
        ("quickfix", "empty-item", ""),
    ],
)
def test_at_an_outdated_form_the_action_is_a_quick_fix(only: str, code: str, kind: str) -> None:
    here = types.Range(types.Position(1, 0), types.Position(1, 6))
    context = types.CodeActionContext([types.Diagnostic(here, "", code=code)], only=[only] if only else None)
    found = upgrade_actions(snapshot_of(OLD), context, CheckContext(None))
    assert [it.kind for it in found] == ([kind] if kind else [])


@pytest.mark.slow
async def test_nothing_changes_in_a_workspace_that_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / "eval.yaml").write_text(OLD, encoding="utf-8")
    async with editor(tmp_path, profile="visual_studio_code", trusted=False) as it:
        asked = edits_asked(it.client)
        assert await upgrade(it.client) is None
        assert asked == []
        assert "not trusted" in it.client.messages[-1].message


@one_editor
async def test_what_goes_for_good_is_said_once(client: LanguageClient, tmp_path: Path) -> None:
    old = OLD.replace("output-contains", "prompt").replace(
        "{substring: decision}", "{output_delivery: inline}"
    )
    for name in ("a", "b"):
        (tmp_path / f"{name}.eval.yaml").write_text(old, encoding="utf-8")
    edits_asked(client)
    answer = await upgrade(client)
    assert len(answer["removed"]) == 2
    said = client.messages[-1].message
    assert said.startswith("Changed 2 files for ")
    assert said.count("'stimuli.0.graders.0.config.output_delivery: inline' was removed") == 1
    assert ".." not in said
