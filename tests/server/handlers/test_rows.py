"""The table of requests: one function finds the document and responds if it is not open."""

import inspect
from typing import Any

import pytest
from lsprotocol import types

from waza_lsp.server.build import build_session
from waza_lsp.server.handlers.formatting import FORMATTING
from waza_lsp.server.handlers.request import Request
from waza_lsp.server.handlers.requests import REQUESTS, Row, handler_of

_ROWS = [it for it in (*REQUESTS, *FORMATTING) if isinstance(it, Row)]
_PARAMS = types.HoverParams(types.TextDocumentIdentifier("file:///closed.yaml"), types.Position(0, 0))


@pytest.mark.parametrize("row", _ROWS, ids=lambda it: it.method)
async def test_a_document_that_is_not_open_gets_the_empty_answer(row: Row) -> None:
    handler = handler_of(row, build_session())
    answer = handler(_PARAMS)
    assert inspect.isawaitable(answer) == inspect.iscoroutinefunction(row.answer)
    assert (await answer if inspect.isawaitable(answer) else answer) == row.absent
    assert row.absent in (None, [])


async def test_a_row_gets_the_document_and_the_parameters() -> None:
    session = build_session()
    uri = _PARAMS.text_document.uri
    session.documents.open(
        types.TextDocumentItem(uri, "yaml", 1, "name: a\n"), types.PositionEncodingKind.Utf16
    )
    seen: list[Any] = []

    def answer(request: Request) -> int:
        seen.append((request.session, request.snapshot, request.params))
        return 7

    async def answer_later(request: Request) -> int:
        return answer(request)

    assert handler_of(Row("x", answer), session)(_PARAMS) == 7
    assert await handler_of(Row("x", answer_later), session)(_PARAMS) == 7
    assert seen == [(session, session.documents.get(uri), _PARAMS)] * 2
