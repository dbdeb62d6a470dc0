"""Open documents follow the files above them that decide what they are: project files, and evals that name tasks."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.server.conftest import Opener, findings, one_editor, until_found
from tests.server.diagnostics.test_publish import codes, files_changed
from tests.server.handlers.test_editing import change
from waza_engine.lib.queries.disk import disk
from waza_engine.lib.queries.tracking import compute
from waza_engine.recognition.recognise import recognise
from waza_lsp.server.documents import Documents

UNCLEAR = "name: demo\nscoring:\n  threshold: 2\n"
"""An eval in a project of vally, and nothing of ours elsewhere."""
OF_EITHER = "name: demo\n"
"""An eval of vally in its projects, of waza elsewhere."""
EVAL = "name: demo\nskill: demo\ngraders: []\ntasks: ['prompts/*.yaml']\n"
CREATED, DELETED = types.FileChangeType.Created, types.FileChangeType.Deleted


async def _kind(client: LanguageClient, uri: str) -> str | None:
    found: Any = await client.protocol.send_request_async("waza/document", {"uri": uri})  # type: ignore[no-untyped-call]  # the library gives it no types
    return f"{found.dialect} {found.kind}" if found is not None else None


@one_editor
async def test_a_project_file_that_comes_and_goes(
    client: LanguageClient, opened: Opener, tmp_path: Path
) -> None:
    unclear = opened(tmp_path / "one" / "eval.yaml", UNCLEAR)
    of_either = opened(tmp_path / "two" / "eval.yaml", OF_EITHER)
    assert (await _kind(client, unclear), await _kind(client, of_either)) == (None, "waza eval")
    await until_found(client, unclear, 0)
    project = tmp_path / ".vally.yaml"
    project.write_text("", encoding="utf-8")
    files_changed(client, project, how=CREATED)
    assert (await _kind(client, unclear), await _kind(client, of_either)) == ("vally eval", "vally eval")
    found = await until_found(client, unclear, 2)
    assert sorted(codes(found)) == ["missing-key", "out-of-range"]
    project.unlink()
    files_changed(client, project, how=DELETED)
    assert (await _kind(client, unclear), await _kind(client, of_either)) == (None, "waza eval")
    await until_found(client, unclear, 0)


@one_editor
async def test_an_eval_that_names_a_task(client: LanguageClient, opened: Opener, tmp_path: Path) -> None:
    task = opened(tmp_path / "prompts" / "one.yaml", "title: one\n")
    assert await _kind(client, task) is None
    eval_path = tmp_path / "eval.yaml"
    eval_path.write_text(EVAL, encoding="utf-8")
    files_changed(client, eval_path, how=CREATED)
    assert await _kind(client, task) == "waza task"
    eval_path.write_text(EVAL.replace("prompts", "tasks"), encoding="utf-8")
    files_changed(client, eval_path)
    assert await _kind(client, task) is None


@pytest.mark.parametrize("client", ["neovim"], indirect=True)
async def test_an_editor_that_reports_no_files(
    client: LanguageClient, opened: Opener, tmp_path: Path
) -> None:
    unclear = opened(tmp_path / "eval.yaml", UNCLEAR)
    project = tmp_path / ".vally.yaml"
    saved = opened(project, "")
    assert await _kind(client, unclear) is None
    project.write_text("", encoding="utf-8")
    client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(saved)))
    assert await _kind(client, unclear) == "vally eval"
    await until_found(client, unclear, 2)
    project.unlink()
    # Nobody reports this: the next edit of any document looks at the disk, once a second.
    for version in range(2, 400):
        change(client, saved, version, 0, (0, 0), "#")
        if await _kind(client, unclear) is None:
            break
    assert await _kind(client, unclear) is None
    assert not await findings(client, unclear)


def test_a_document_that_is_opened_again(tmp_path: Path) -> None:
    documents = Documents()
    item = types.TextDocumentItem((tmp_path / "eval.yaml").as_uri(), "yaml", 1, UNCLEAR)
    documents.open(item, types.PositionEncodingKind.Utf16)
    documents.close(item.uri)
    (tmp_path / ".vally.yaml").touch()
    disk.look()
    documents.open(item, types.PositionEncodingKind.Utf16)
    now = documents.get(item.uri)
    assert now is not None
    assert now.form is not None
    assert now.form.dialect == "vally"
    assert documents.recognise_again() == []


def test_a_recognition_depends_on_project_files(tmp_path: Path) -> None:
    found = compute(lambda: recognise({"name": "demo"}, tmp_path / "evals" / "eval.yaml"))
    assert found.value is not None
    assert found.value[0].name == "waza"
    assert {tmp_path / ".vally.yaml", tmp_path / "evals" / ".vally.yaml"} <= found.paths()
    (tmp_path / ".vally.yaml").touch()
    disk.look()
    assert not found.is_fresh()
