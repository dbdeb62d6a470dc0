"""Formatting requests, offered only while the setting is on: with two formatters, editors ask which one to use."""

from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from waza_lsp.features.formatting import formatting
from waza_lsp.features.on_type_formatting import on_type_formatting
from waza_lsp.server.handlers.request import Request
from waza_lsp.server.handlers.requests import Row, handler_of
from waza_lsp.server.session import Session

_ID = "waza-formatting"
_ENTER = "\n"
_YAML = "**/*.{yaml,yml}"
Edits = list[types.TextEdit]


def _document(request: Request) -> Edits:
    return formatting(request.snapshot) if _is_on(request.session) else []


def _range(request: Request) -> Edits:
    return formatting(request.snapshot, request.params.range) if _is_on(request.session) else []


def _after_enter(request: Request) -> Edits:
    return on_type_formatting(request.snapshot, request.params.position) if _is_on(request.session) else []


FORMATTING: list[Row] = [
    Row(types.TEXT_DOCUMENT_FORMATTING, _document, absent=[]),
    Row(types.TEXT_DOCUMENT_RANGE_FORMATTING, _range, absent=[]),
    Row(
        types.TEXT_DOCUMENT_ON_TYPE_FORMATTING,
        _after_enter,
        [],
        types.DocumentOnTypeFormattingOptions(_ENTER),
    ),
]


def offer_formatting(session: Session) -> None:
    """Offer formatting during `initialize` to clients that do not support registration later."""
    if not _can_register(session):
        handle_formatting(session)


def handle_formatting(session: Session) -> None:
    """Handle formatting requests. After `initialize`, this offers nothing to the client."""
    lsp = session.client.lsp
    for row in FORMATTING:
        if row.method not in lsp.protocol.fm.features:
            lsp.feature(row.method, row.options)(handler_of(row, session))


async def update_formatting(session: Session) -> None:
    """Register or unregister formatting, as the settings say now."""
    client = session.client
    if _is_on(session) == client.formats or not _can_register(session):
        return
    client.formats = _is_on(session)
    try:
        if client.formats:
            await client.lsp.client_register_capability_async(types.RegistrationParams(_registrations()))
        else:
            gone = [types.Unregistration(f"{_ID}-{it.method}", it.method) for it in FORMATTING]
            await client.lsp.client_unregister_capability_async(types.UnregistrationParams(gone))
    except JsonRpcException:
        return  # The client refuses. Its requests would still be answered.


def _registrations() -> list[types.Registration]:
    # Not for SKILL.md, for which an editor may have another formatter.
    selector = [types.TextDocumentFilterPattern(_YAML, scheme="file")]
    enter = types.DocumentOnTypeFormattingRegistrationOptions(_ENTER, document_selector=selector)
    options_of: dict[str, Any] = {types.TEXT_DOCUMENT_ON_TYPE_FORMATTING: enter}
    plain = types.TextDocumentRegistrationOptions(selector)
    methods = [it.method for it in FORMATTING]
    return [types.Registration(f"{_ID}-{it}", it, options_of.get(it, plain)) for it in methods]


def _is_on(session: Session) -> bool:
    configuration = session.configuration
    return configuration.settings.format_enable and "formatting" not in configuration.beside


def _can_register(session: Session) -> bool:
    document = session.client.capabilities.text_document
    able = document.formatting if document is not None else None
    return able is not None and bool(able.dynamic_registration)
