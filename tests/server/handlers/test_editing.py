"""Editing over the wire: findings, completion, hover, symbols, lenses."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.server.conftest import Opener, findings, until_found


async def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until a condition holds, or fail after a timeout."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110  # pytest-lsp offers no event for a later state
            await asyncio.sleep(0.01)


def change(
    client: LanguageClient, uri: str, version: int, line: int, columns: tuple[int, int], text: str
) -> None:
    """Replace a part of one line."""
    span = types.Range(types.Position(line, columns[0]), types.Position(line, columns[1]))
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(version, uri),
            [types.TextDocumentContentChangePartial(span, text)],
        )
    )


async def test_findings_follow_the_text(client: LanguageClient, suite: Path, opened: Opener) -> None:
    path = suite / "eval.yaml"
    source = path.read_text(encoding="utf-8")
    uri = opened(path, source.replace("not_contains:", "not_contians:"))
    [finding] = await until_found(client, uri, 1)
    line = source.split("\n").index("      not_contains:")
    assert (finding.range.start.line, finding.range.start.character, finding.range.end.character) == (
        line,
        6,
        18,
    )
    assert finding.code == "unknown-key"
    assert finding.source == "waza-lsp"
    assert finding.code_description is not None
    change(client, uri, 2, line, (6, 18), "not_contains")
    await until_found(client, uri, 0)


async def test_a_file_that_is_no_eval_gets_nothing(
    client: LanguageClient, tmp_path: Path, opened: Opener
) -> None:
    uri = opened(tmp_path / "playbook.yaml", "- hosts: all\n  tasks:\n    - nope\n")
    document = types.TextDocumentIdentifier(uri)
    position = types.Position(1, 3)
    assert await client.text_document_hover_async(types.HoverParams(document, position)) is None
    assert not await client.text_document_code_lens_async(types.CodeLensParams(document))
    assert not await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert not await findings(client, uri)


async def test_completion_knows_the_type(client: LanguageClient, suite: Path, opened: Opener) -> None:
    path = suite / "eval.yaml"
    source = path.read_text(encoding="utf-8").replace(
        "      not_contains:\n", "      \n      not_contains:\n"
    )
    uri = opened(path, source)
    line = source.split("\n").index("      ")
    result = await client.text_document_completion_async(
        types.CompletionParams(types.TextDocumentIdentifier(uri), types.Position(line, 6))
    )
    items = result.items if isinstance(result, types.CompletionList) else result or []
    labels = {it.label for it in items}
    assert {"contains", "contains_cs", "regex_match"} <= labels
    assert not labels & {"not_contains", "assertions", "must_exist"}


async def test_hover_symbols_and_lenses(client: LanguageClient, suite: Path, opened: Opener) -> None:
    path = suite / "eval.yaml"
    uri = opened(path)
    document = types.TextDocumentIdentifier(uri)
    lines = path.read_text(encoding="utf-8").split("\n")
    line = next(i for i, it in enumerate(lines) if "trials_per_task" in it)
    hover = await client.text_document_hover_async(types.HoverParams(document, types.Position(line, 4)))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "trials_per_task" in hover.contents.value
    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert symbols is not None
    graders = next(it for it in symbols if it.name == "graders")
    assert isinstance(graders, types.DocumentSymbol)
    assert [(it.name, it.detail) for it in graders.children or []] == [
        ("opened-the-file", "code"),
        ("no-excuses", "text"),
    ]
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(document))
    # A lens that grades joins it, once the server has seen the recordings.
    assert next(it.command.command for it in lenses or [] if it.command) == "waza.runEval"
    task = opened(suite / "tasks" / "explain-retry.yaml")
    lenses = await client.text_document_code_lens_async(
        types.CodeLensParams(types.TextDocumentIdentifier(task))
    )
    assert [(it.command.command, list(it.command.arguments or ())) for it in lenses or [] if it.command] == [
        ("waza.runTask", [{"uri": task, "task": "explain-retry"}])
    ]
