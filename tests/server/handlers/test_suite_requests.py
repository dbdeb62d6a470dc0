"""Requests about several files, hints, tokens and formatting over the wire."""

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from tests.server.conftest import Opener, one_editor


def _place(path: Path, text: str) -> types.Position:
    """Return the position of a text in a file."""
    before = path.read_text(encoding="utf-8").partition(text)[0]
    return types.Position(before.count("\n"), len(before.rpartition("\n")[2]) + 1)


async def test_definition_references_and_rename_cross_files(
    client: LanguageClient, suite: Path, opened: Opener
) -> None:
    eval_file, task = suite / "eval.yaml", suite / "tasks" / "explain-retry.yaml"
    source = task.read_text(encoding="utf-8")
    task.write_text(
        source + "requirements:\n  - id: R1\n    category: outcome\n    description: x\n"
        "    checks: [{scope: eval, grader: no-excuses}]\n",
        encoding="utf-8",
    )
    uri, position = opened(task), _place(task, "no-excuses}")
    document = types.TextDocumentIdentifier(uri)
    found = await client.text_document_definition_async(types.DefinitionParams(document, position))
    assert isinstance(found, list)
    assert [it.uri for it in found if isinstance(it, types.Location)] == [eval_file.as_uri()]
    used = await client.text_document_references_async(
        types.ReferenceParams(types.ReferenceContext(include_declaration=True), document, position)
    )
    assert sorted(it.uri for it in used or ()) == sorted([eval_file.as_uri(), uri])
    ready = await client.text_document_prepare_rename_async(types.PrepareRenameParams(document, position))
    assert isinstance(ready, types.PrepareRenamePlaceholder)
    edit = await client.text_document_rename_async(types.RenameParams(document, position, "polite"))
    assert edit is not None
    assert sorted(edit.changes or ()) == sorted([eval_file.as_uri(), uri])
    with pytest.raises(JsonRpcException, match="A grader named 'opened-the-file' already exists"):
        await client.text_document_rename_async(types.RenameParams(document, position, "opened-the-file"))


async def test_workspace_symbols(client: LanguageClient, suite: Path) -> None:
    found = await client.workspace_symbol_async(types.WorkspaceSymbolParams("no-excuses"))
    assert [(it.name, it.location.uri) for it in found or ()] == [
        ("no-excuses", (suite / "eval.yaml").as_uri())
    ]


async def test_hints_and_tokens(client: LanguageClient, suite: Path, opened: Opener) -> None:
    document = types.TextDocumentIdentifier(opened(suite / "eval.yaml"))
    whole = types.Range(types.Position(0, 0), types.Position(1000, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
    count = len(list((suite / "tasks").glob("*.yaml")))
    assert f"{count} files" in [it.label for it in hints or ()]
    tokens = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
    assert tokens is not None
    assert len(tokens.data) % 5 == 0
    part = await client.text_document_semantic_tokens_range_async(
        types.SemanticTokensRangeParams(document, types.Range(types.Position(0, 0), types.Position(3, 0)))
    )
    assert part is not None
    assert 0 < len(part.data) < len(tokens.data)


@pytest.mark.slow
async def test_formatting_is_off_until_it_is_wanted(
    client: LanguageClient, suite: Path, opened: Opener
) -> None:
    document = types.TextDocumentIdentifier(opened(suite / "eval.yaml", "skill: x  \ngraders: []"))
    assert client.capabilities is not None
    capabilities = client.capabilities.text_document
    assert capabilities is not None
    assert capabilities.formatting is not None
    options = types.FormattingOptions(2, insert_spaces=True)
    params = types.DocumentFormattingParams(document, options)
    if not capabilities.formatting.dynamic_registration:
        assert not await client.text_document_formatting_async(params)
    client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"waza": {"format": {"enable": True}}})
    )
    edits = await client.text_document_formatting_async(params)
    assert [it.new_text for it in edits or ()] == ["", "\n"]


@pytest.mark.slow
async def test_a_hover_is_in_what_the_editor_shows(
    client: LanguageClient, suite: Path, opened: Opener
) -> None:
    document = types.TextDocumentIdentifier(opened(suite / "eval.yaml"))
    found = await client.text_document_hover_async(
        types.HoverParams(document, _place(suite / "eval.yaml", "code\n"))
    )
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert client.capabilities is not None
    abilities = client.capabilities.text_document
    formats = abilities.hover.content_format if abilities is not None and abilities.hover else None
    is_marked = not formats or types.MarkupKind.Markdown in formats
    assert found.contents.kind == ("markdown" if is_marked else "plaintext")
    assert ("**Score:**" in found.contents.value) == is_marked


@one_editor
async def test_what_another_server_gives_is_left_out(
    client: LanguageClient, suite: Path, opened: Opener
) -> None:
    document = types.TextDocumentIdentifier(opened(suite / "eval.yaml"))
    symbols = types.DocumentSymbolParams(document)
    assert await client.text_document_document_symbol_async(symbols)
    client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"waza": {"beside": ["symbols", "hover"]}})
    )
    assert not await client.text_document_document_symbol_async(symbols)
    key = types.HoverParams(document, _place(suite / "eval.yaml", "executor"))
    assert await client.text_document_hover_async(key) is None
    kind = types.HoverParams(document, _place(suite / "eval.yaml", "code\n"))
    assert await client.text_document_hover_async(kind) is not None


@one_editor
@pytest.mark.slow
async def test_settings_that_are_taken_away_are_in_force_no_more(
    client: LanguageClient, suite: Path, opened: Opener
) -> None:
    document = types.TextDocumentIdentifier(opened(suite / "eval.yaml"))
    symbols = types.DocumentSymbolParams(document)
    for section, is_given in (({"waza": {"beside": ["symbols"]}}, False), ({}, True)):
        client.workspace_did_change_configuration(types.DidChangeConfigurationParams(section))
        async with asyncio.timeout(60):
            while bool(await client.text_document_document_symbol_async(symbols)) != is_given:  # noqa: ASYNC110  # the server tells nobody
                await asyncio.sleep(0.01)
