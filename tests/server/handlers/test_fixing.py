"""Code actions over the wire: one fix, all fixes, and the announced capabilities."""

from pathlib import Path

from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.server.conftest import Opener, until_found


async def _actions(
    client: LanguageClient, uri: str, where: types.Range, context: types.CodeActionContext
) -> list[types.CodeAction]:
    document = types.TextDocumentIdentifier(uri)
    found = await client.text_document_code_action_async(types.CodeActionParams(document, where, context))
    return [it for it in found or [] if isinstance(it, types.CodeAction)]


def _edits(action: types.CodeAction, uri: str) -> list[tuple[str, int | None]]:
    """Return the new texts with their document version, in either form of a workspace edit."""
    assert action.edit is not None
    if action.edit.document_changes is None:
        return [(it.new_text, None) for it in (action.edit.changes or {})[uri]]
    [change] = action.edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    return [
        (it.new_text, change.text_document.version) for it in change.edits if isinstance(it, types.TextEdit)
    ]


async def test_a_fix_for_a_reported_finding(client: LanguageClient, suite: Path, opened: Opener) -> None:
    path = suite / "eval.yaml"
    uri = opened(path, path.read_text(encoding="utf-8").replace("not_contains:", "not_contians:"))
    [finding] = await until_found(client, uri, 1)
    found = await _actions(client, uri, finding.range, types.CodeActionContext([finding]))
    best = found[0]
    assert (best.title, best.kind, best.is_preferred) == (
        "Change to 'not_contains'",
        types.CodeActionKind.QuickFix,
        True,
    )
    assert [it.code for it in best.diagnostics or []] == ["unknown-key"]
    assert [text for text, _ in _edits(best, uri)] == ["not_contains"]
    assert {version for _, version in _edits(best, uri)} <= {1, None}


async def test_fix_all_on_save(client: LanguageClient, suite: Path, opened: Opener) -> None:
    path = suite / "eval.yaml"
    uri = opened(path, path.read_text(encoding="utf-8").replace("not_contains:", "not_contians:"))
    [finding] = await until_found(client, uri, 1)
    context = types.CodeActionContext([], only=[types.CodeActionKind.SourceFixAll])
    [action] = await _actions(client, uri, finding.range, context)
    assert action.kind == "source.fixAll.waza"
    assert len(_edits(action, uri)) == 1


async def test_runs_where_the_editor_shows_no_lens(
    client: LanguageClient, suite: Path, opened: Opener
) -> None:
    uri = opened(suite / "eval.yaml", None)
    top = types.Range(types.Position(0, 0), types.Position(0, 0))
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), top, types.CodeActionContext([]))
    # lsprotocol reads an action with a command as a bare command; its title is right either way.
    assert [it.title for it in await client.text_document_code_action_async(params) or []] == ["▶ Run all"]
