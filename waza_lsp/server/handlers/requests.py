"""What happens on requests: find the snapshot, call the feature, reply. The table is at the end."""

import asyncio
import functools
import itertools
import threading
import time
from collections.abc import Callable
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from waza_lsp.features.code_action import KINDS, code_action
from waza_lsp.features.code_lens import code_lens
from waza_lsp.features.completion import completion
from waza_lsp.features.completion_resolve import completion_resolve
from waza_lsp.features.definition import definition
from waza_lsp.features.diagnostics import findings
from waza_lsp.features.document_highlight import document_highlight
from waza_lsp.features.document_link import document_link
from waza_lsp.features.document_symbol import written_symbols
from waza_lsp.features.draft_actions import draft_actions, task_to_draft_for
from waza_lsp.features.folding_range import folding_range
from waza_lsp.features.hover import hover
from waza_lsp.features.inlay_hint import Hints, inlay_hint
from waza_lsp.features.linked_editing_range import linked_editing_range
from waza_lsp.features.prepare_rename import prepare_rename
from waza_lsp.features.references import references
from waza_lsp.features.rename import rename
from waza_lsp.features.run_actions import run_actions
from waza_lsp.features.selection_range import selection_range
from waza_lsp.features.semantic_tokens import LEGEND, semantic_tokens
from waza_lsp.features.will_rename_files import will_rename_files
from waza_lsp.features.workspace_symbol import workspace_symbol
from waza_lsp.schema.run_offers import Sort
from waza_lsp.schema.written_completion import written
from waza_lsp.server.coexistence import own_items
from waza_lsp.server.diagnostics.workspace import workspace_files
from waza_lsp.server.live.client import drafts_for
from waza_lsp.server.params import members_of, text_in
from waza_lsp.server.results.annotations import said_at
from waza_lsp.server.session import WazaServer
from waza_lsp.server.testing import tree as testview
from waza_lsp.server.transport.protocol import Json
from waza_lsp.suite.known_names import known_names
from waza_lsp.suite.not_passed import NotPassed
from waza_lsp.suite.renaming import CannotRename

METHOD = "waza/document"


def on_document(server: WazaServer, params: Any) -> dict[str, str] | None:
    """`{dialect, kind, reason}`, for the status line of an editor."""
    snapshot = server.documents.get(text_in(members_of(params), "uri"))
    found = snapshot.recognised if snapshot is not None else None
    if found is None:
        return None
    return {"dialect": found.form.dialect, "kind": found.form.kind, "reason": found.reason}


def on_hover(server: WazaServer, params: types.HoverParams) -> types.Hover | None:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return None
    said = said_at(server, snapshot, snapshot.place(params.position))
    return hover(
        snapshot,
        params.position,
        server.around(snapshot),
        generic="hover" not in server.beside,
        failed=[NotPassed(it.span, it.task, it.message, it.excerpt, it.names_task) for it in said],
        markdown=server.shows_markdown,
    )


def on_completion(server: WazaServer, params: types.CompletionParams) -> Json:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return Json("null")
    around = server.around(snapshot)
    known = functools.partial(known_names, snapshot=snapshot, around=around)
    found = completion(snapshot, params.position, server.completion_client, around, known)
    return Json(written(own_items(found, server.beside)))


def on_completion_resolve(server: WazaServer, item: types.CompletionItem) -> types.CompletionItem:
    return completion_resolve(item, markdown=server.completion_client.markdown)


def on_definition(server: WazaServer, params: types.DefinitionParams) -> list[types.Location]:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return []
    generic = "definition" not in server.beside
    return definition(snapshot, params.position, server.around(snapshot), generic=generic)


async def on_references(server: WazaServer, params: types.ReferenceParams) -> list[types.Location]:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return []
    declared = params.context.include_declaration
    find = functools.partial(references, snapshot, params.position, include_declaration=declared)
    return await asyncio.to_thread(find, server.around(snapshot))


def on_prepare_rename(
    server: WazaServer, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder | None:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return None
    generic = "rename" not in server.beside
    return prepare_rename(snapshot, params.position, server.around(snapshot), generic=generic)


async def on_rename(server: WazaServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return None
    try:
        return await asyncio.to_thread(
            rename, snapshot, params.position, params.new_name, server.around(snapshot), server.edit_client
        )
    except CannotRename as reason:
        raise JsonRpcException(str(reason), types.LSPErrorCodes.RequestFailed) from reason


async def on_moved_files(server: WazaServer, params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
    around = server.workspace_around()
    return await asyncio.to_thread(will_rename_files, params.files, around, server.edit_client)


async def on_workspace_symbols(
    server: WazaServer, params: types.WorkspaceSymbolParams
) -> list[types.WorkspaceSymbol]:
    stop = threading.Event()
    paths = itertools.takewhile(lambda _: not stop.is_set(), workspace_files(server))
    try:
        return await asyncio.to_thread(
            lambda: list(workspace_symbol(params.query, paths, server.workspace_around()))
        )
    finally:
        stop.set()  # The thread of a cancelled request ends at its next file.


def on_linked_editing(
    server: WazaServer, params: types.LinkedEditingRangeParams
) -> types.LinkedEditingRanges | None:
    snapshot = server.documents.get(params.text_document.uri)
    return linked_editing_range(snapshot, params.position, server.around(snapshot)) if snapshot else None


def on_hints(server: WazaServer, params: types.InlayHintParams) -> list[types.InlayHint]:
    snapshot = server.documents.get(params.text_document.uri)
    it = server.settings
    wanted = Hints(it.inlay_matches, it.inlay_weights, it.inlay_inherited, it.inlay_flags, it.inlay_defaults)
    return inlay_hint(snapshot, params.range, server.around(snapshot), wanted) if snapshot else []


def on_tokens(server: WazaServer, params: types.SemanticTokensParams) -> types.SemanticTokens | None:
    snapshot = server.documents.get(params.text_document.uri)
    return semantic_tokens(snapshot) if snapshot else None


def on_range_tokens(
    server: WazaServer, params: types.SemanticTokensRangeParams
) -> types.SemanticTokens | None:
    snapshot = server.documents.get(params.text_document.uri)
    return semantic_tokens(snapshot, params.range) if snapshot else None


def on_highlight(server: WazaServer, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    snapshot = server.documents.get(params.text_document.uri)
    return document_highlight(snapshot, params.position) if snapshot else []


def on_links(server: WazaServer, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    snapshot = server.documents.get(params.text_document.uri)
    return document_link(snapshot, server.around(snapshot)) if snapshot else []


def on_symbols(server: WazaServer, params: types.DocumentSymbolParams) -> Json:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None or "symbols" in server.beside:
        return Json("[]")
    return Json(written_symbols(snapshot, nested=server.nests_symbols))


def on_folding(server: WazaServer, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    snapshot = server.documents.get(params.text_document.uri)
    return folding_range(snapshot) if snapshot and "folding" not in server.beside else []


def on_selection(server: WazaServer, params: types.SelectionRangeParams) -> list[types.SelectionRange]:
    snapshot = server.documents.get(params.text_document.uri)
    return (
        selection_range(snapshot, params.positions) if snapshot and "selection" not in server.beside else []
    )


def on_lens(server: WazaServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return []
    it = server.settings
    shown = {
        Sort.RUN: it.lens_run,
        Sort.RUN_FAILED: it.lens_run_failed,
        Sort.GRADE: it.lens_grade,
        Sort.RESULT: it.lens_result,
    }
    wanted = [sort for sort, is_shown in shown.items() if is_shown]
    found = code_lens(snapshot, server.results.standings(server, snapshot), wanted, time.time())
    return server.lenses.kept(snapshot, found)


async def on_actions(server: WazaServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return []
    world, at, context = server.world(snapshot), params.range, params.context
    standings = server.results.standings(server, snapshot)
    found = [
        *code_action(snapshot, at, context, lambda it: findings(it, world), server.edit_client),
        *run_actions(snapshot, at, context, standings, time.time()),
    ]
    task = task_to_draft_for(snapshot, at, context)
    drafts = await drafts_for(server, snapshot, task) if task is not None else []
    if task is not None and drafts and server.documents.get(snapshot.uri) is snapshot:
        changes = server.edit_client.document_changes
        found += draft_actions(snapshot, task, drafts, document_changes=changes)
    return found


_MOVED = types.FileOperationRegistrationOptions(
    [types.FileOperationFilter(types.FileOperationPattern("**/*"), scheme="file")]
)
_TRIGGERS = [" ", "-", '"', "'", "/", "[", "{", ",", "\\", "*", "."]
_COMPLETION = types.CompletionOptions(trigger_characters=_TRIGGERS, resolve_provider=True)

REQUESTS: list[tuple[str, Callable[..., Any], Any]] = [
    (types.TEXT_DOCUMENT_HOVER, on_hover, None),
    (types.TEXT_DOCUMENT_COMPLETION, on_completion, _COMPLETION),
    (types.COMPLETION_ITEM_RESOLVE, on_completion_resolve, None),
    (types.TEXT_DOCUMENT_DEFINITION, on_definition, None),
    (types.TEXT_DOCUMENT_REFERENCES, on_references, None),
    (types.TEXT_DOCUMENT_PREPARE_RENAME, on_prepare_rename, None),
    (types.TEXT_DOCUMENT_RENAME, on_rename, types.RenameOptions(prepare_provider=True)),
    (types.WORKSPACE_WILL_RENAME_FILES, on_moved_files, _MOVED),
    (types.WORKSPACE_SYMBOL, on_workspace_symbols, None),
    (types.TEXT_DOCUMENT_LINKED_EDITING_RANGE, on_linked_editing, None),
    (types.TEXT_DOCUMENT_INLAY_HINT, on_hints, None),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, on_tokens, LEGEND),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, on_range_tokens, LEGEND),
    (types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, on_highlight, None),
    (types.TEXT_DOCUMENT_DOCUMENT_LINK, on_links, None),
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, on_symbols, None),
    (types.TEXT_DOCUMENT_FOLDING_RANGE, on_folding, None),
    (types.TEXT_DOCUMENT_SELECTION_RANGE, on_selection, None),
    (types.TEXT_DOCUMENT_CODE_LENS, on_lens, None),
    (testview.METHOD, testview.on_tests, None),
    (METHOD, on_document, None),
    (types.TEXT_DOCUMENT_CODE_ACTION, on_actions, types.CodeActionOptions(KINDS)),
]
