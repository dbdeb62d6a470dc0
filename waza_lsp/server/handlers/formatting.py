"""Formatting is offered only while it is switched on: editors ask which formatter to use as soon as there are two."""

import functools
from collections.abc import Callable
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from waza_lsp.features.formatting import formatting
from waza_lsp.features.on_type_formatting import on_type_formatting
from waza_lsp.server.session import WazaServer

_ID = "waza-formatting"
Edits = list[types.TextEdit]


def on_formatting(server: WazaServer, params: types.DocumentFormattingParams) -> Edits:
    snapshot = server.documents.get(params.text_document.uri)
    return formatting(snapshot) if snapshot and _is_on(server) else []


def on_range_formatting(server: WazaServer, params: types.DocumentRangeFormattingParams) -> Edits:
    snapshot = server.documents.get(params.text_document.uri)
    return formatting(snapshot, params.range) if snapshot and _is_on(server) else []


def on_enter(server: WazaServer, params: types.DocumentOnTypeFormattingParams) -> Edits:
    snapshot = server.documents.get(params.text_document.uri)
    return on_type_formatting(snapshot, params.position) if snapshot and _is_on(server) else []


_ENTER = "\n"
_HANDLERS: dict[str, tuple[Callable[..., Edits], Any]] = {
    types.TEXT_DOCUMENT_FORMATTING: (on_formatting, None),
    types.TEXT_DOCUMENT_RANGE_FORMATTING: (on_range_formatting, None),
    types.TEXT_DOCUMENT_ON_TYPE_FORMATTING: (on_enter, types.DocumentOnTypeFormattingOptions(_ENTER)),
}


def offer_formatting(server: WazaServer) -> None:
    """While initializing: offer it for good to clients that cannot be told later."""
    if not _can_be_told(server):
        answer_formatting(server)


def answer_formatting(server: WazaServer) -> None:
    """Answer who asks; once the server is initialized, this offers nothing to anybody."""
    for method, (handler, options) in _HANDLERS.items():
        if method not in server.protocol.fm.features:
            server.feature(method, options)(functools.partial(handler, server))


async def update_formatting(server: WazaServer) -> None:
    """Offer it, or take the offer back, as the settings want it now."""
    if _is_on(server) == server.formats or not _can_be_told(server):
        return
    server.formats = _is_on(server)
    try:
        if server.formats:
            await server.client_register_capability_async(types.RegistrationParams(_registrations()))
        else:
            gone = [types.Unregistration(f"{_ID}-{it}", it) for it in _HANDLERS]
            await server.client_unregister_capability_async(types.UnregistrationParams(gone))
    except JsonRpcException:
        return  # The client has changed its mind; a request would still be answered.


def _registrations() -> list[types.Registration]:
    enter = types.DocumentOnTypeFormattingRegistrationOptions(_ENTER)
    options_of = {types.TEXT_DOCUMENT_ON_TYPE_FORMATTING: enter}
    plain = types.TextDocumentRegistrationOptions()
    return [types.Registration(f"{_ID}-{it}", it, options_of.get(it, plain)) for it in _HANDLERS]


def _is_on(server: WazaServer) -> bool:
    return server.settings.format_enable and "formatting" not in server.beside


def _can_be_told(server: WazaServer) -> bool:
    document = server.client_capabilities.text_document
    able = document.formatting if document is not None else None
    return able is not None and bool(able.dynamic_registration)
