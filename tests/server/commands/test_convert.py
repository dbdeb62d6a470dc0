"""`waza.convert`: write the files of the other dialect."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.server.conftest import Opener, one_editor
from waza_lsp.workspace.client import Client


@pytest.mark.slow
async def test_the_editor_is_asked_to_make_the_files(
    client: LanguageClient, suite: Path, opened: Opener
) -> None:
    uri = opened(suite / "eval.yaml")
    if not Client.of(client.capabilities or types.ClientCapabilities()).create_files:
        pytest.skip("this editor makes no files")
    asked: list[types.ApplyWorkspaceEditParams] = []

    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        asked.append(params)
        return types.ApplyWorkspaceEditResult(applied=True)

    client.feature(types.WORKSPACE_APPLY_EDIT)(apply)
    params = types.ExecuteCommandParams("waza.convert", [{"uri": uri, "to": "vally"}])
    answer: Any = await client.workspace_execute_command_async(params)
    [edit] = [it.edit for it in asked]
    assert edit.document_changes is not None
    made = [it.uri for it in edit.document_changes if isinstance(it, types.CreateFile)]
    assert made == [(suite / "vally" / "eval.yaml").as_uri()] == answer["files"]
    [written] = [it for it in edit.document_changes if isinstance(it, types.TextDocumentEdit)]
    assert "stimuli:" in str(written.edits[0])
    assert any("code" in it["message"] for it in answer["lost"])


async def test_an_editor_that_makes_no_files_is_told_what_does(
    client: LanguageClient, suite: Path, opened: Opener
) -> None:
    uri = opened(suite / "eval.yaml")
    if Client.of(client.capabilities or types.ClientCapabilities()).create_files:
        pytest.skip("this editor makes files")
    params = types.ExecuteCommandParams("waza.convert", [{"uri": uri, "to": "vally"}])
    assert await client.workspace_execute_command_async(params) is None
    assert client.messages[-1].message.endswith("waza-lsp convert eval.yaml --to vally")


@one_editor
async def test_a_suite_of_the_dialect_itself_is_refused(
    client: LanguageClient, suite: Path, opened: Opener
) -> None:
    uri = opened(suite / "eval.yaml")
    params = types.ExecuteCommandParams("waza.convert", [{"uri": uri, "to": "waza"}])
    assert await client.workspace_execute_command_async(params) is None
    assert "already" in client.messages[-1].message


@one_editor
async def test_a_plan_for_a_task_is_about_its_eval_and_the_other_dialect(
    client: LanguageClient, suite: Path, opened: Opener
) -> None:
    uri = opened(suite / "tasks" / "explain-retry.yaml")
    params = types.ExecuteCommandParams("waza.convert", [{"uri": uri, "plan": True}])
    answer: Any = await client.workspace_execute_command_async(params)
    assert answer["to"] == "vally"
    assert answer["files"] == [(suite / "vally" / "eval.yaml").as_uri()]
    assert not (suite / "vally").exists()
