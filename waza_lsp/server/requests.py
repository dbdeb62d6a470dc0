"""What happens on requests: find the snapshot, call the feature, reply. The table is at the end."""

from collections.abc import Callable
from typing import Any

from lsprotocol import types

from waza_lsp.features.code_action import KINDS, code_action
from waza_lsp.features.code_lens import code_lens
from waza_lsp.features.completion import completion
from waza_lsp.features.definition import definition
from waza_lsp.features.diagnostics import findings
from waza_lsp.features.document_highlight import document_highlight
from waza_lsp.features.document_link import document_link
from waza_lsp.features.document_symbol import document_symbol
from waza_lsp.features.folding_range import folding_range
from waza_lsp.features.hover import hover
from waza_lsp.features.references import references
from waza_lsp.features.selection_range import selection_range
from waza_lsp.server.app import WazaServer


def on_hover(server: WazaServer, params: types.HoverParams) -> types.Hover | None:
    snapshot = server.documents.get(params.text_document.uri)
    return hover(snapshot, params.position, server.around(snapshot)) if snapshot else None


def on_completion(server: WazaServer, params: types.CompletionParams) -> types.CompletionList | None:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return None
    return completion(snapshot, params.position, server.completion_client, server.disk(snapshot))


def on_definition(server: WazaServer, params: types.DefinitionParams) -> list[types.Location]:
    snapshot = server.documents.get(params.text_document.uri)
    return definition(snapshot, params.position, server.around(snapshot)) if snapshot else []


def on_references(server: WazaServer, params: types.ReferenceParams) -> list[types.Location]:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return []
    declared = params.context.include_declaration
    return references(snapshot, params.position, server.around(snapshot), include_declaration=declared)


def on_highlight(server: WazaServer, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    snapshot = server.documents.get(params.text_document.uri)
    return document_highlight(snapshot, params.position) if snapshot else []


def on_links(server: WazaServer, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    snapshot = server.documents.get(params.text_document.uri)
    return document_link(snapshot, server.disk(snapshot)) if snapshot else []


def on_symbols(server: WazaServer, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    snapshot = server.documents.get(params.text_document.uri)
    return document_symbol(snapshot) if snapshot else []


def on_folding(server: WazaServer, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    snapshot = server.documents.get(params.text_document.uri)
    return folding_range(snapshot) if snapshot else []


def on_selection(server: WazaServer, params: types.SelectionRangeParams) -> list[types.SelectionRange]:
    snapshot = server.documents.get(params.text_document.uri)
    return selection_range(snapshot, params.positions) if snapshot else []


def on_lens(server: WazaServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    snapshot = server.documents.get(params.text_document.uri)
    return code_lens(snapshot) if snapshot and server.settings.lens_run else []


def on_actions(server: WazaServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return []
    world = server.world(snapshot)
    return code_action(
        snapshot, params.range, params.context, lambda it: findings(it, world), server.action_client
    )


_TRIGGERS = [" ", "-", '"', "'", "/", "[", "{", ","]

REQUESTS: list[tuple[str, Callable[..., Any], Any]] = [
    (types.TEXT_DOCUMENT_HOVER, on_hover, None),
    (types.TEXT_DOCUMENT_COMPLETION, on_completion, types.CompletionOptions(trigger_characters=_TRIGGERS)),
    (types.TEXT_DOCUMENT_DEFINITION, on_definition, None),
    (types.TEXT_DOCUMENT_REFERENCES, on_references, None),
    (types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, on_highlight, None),
    (types.TEXT_DOCUMENT_DOCUMENT_LINK, on_links, None),
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, on_symbols, None),
    (types.TEXT_DOCUMENT_FOLDING_RANGE, on_folding, None),
    (types.TEXT_DOCUMENT_SELECTION_RANGE, on_selection, None),
    (types.TEXT_DOCUMENT_CODE_LENS, on_lens, None),
    (types.TEXT_DOCUMENT_CODE_ACTION, on_actions, types.CodeActionOptions(KINDS)),
]
