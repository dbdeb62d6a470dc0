"""pygls's protocol with our own documents, which pygls counts the lines of wrongly, and with answers that are JSON already."""

import asyncio
import inspect
import json
import logging
from collections.abc import Generator
from typing import Any, NamedTuple

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

_Steps = Generator[Any, Any, None]
_log = logging.getLogger(__name__)
_sending: set[asyncio.Future[Any]] = set()
"""What is being written; without a reference it would not be finished."""


class Json(NamedTuple):
    """A result that is written already."""

    text: str


class OwnDocumentsProtocol(LanguageServerProtocol):
    """Hands document notifications to our handlers only; pygls keeps no second copy of the text."""

    answered: Any = None
    """The id of an `initialize` that has had its answer."""

    def notify_json(self, method: str, params: str) -> None:
        """Send a notification whose parameters are JSON."""
        self._send_json(f'{{"jsonrpc":"2.0","method":"{method}","params":{params}}}')

    def _send_response(self, msg_id: Any, result: Any = None, error: Any = None) -> None:
        if error is None and isinstance(result, types.InitializeResult) and msg_id == self.answered:
            self._result_types.pop(msg_id, None)
        elif error is None and isinstance(result, Json):
            self._result_types.pop(msg_id, None)
            self._send_json(f'{{"jsonrpc":"2.0","id":{json.dumps(msg_id)},"result":{result.text}}}')
        else:
            super()._send_response(msg_id, result, error)

    def _send_json(self, body: str) -> None:
        """Send a message of ASCII characters."""
        if self.writer is None:
            _log.error("Nobody to send a message to")
            return
        head = f"Content-Length: {len(body)}\r\n\r\n" if self._include_headers else ""
        sent = self.writer.write((head + body).encode("ascii"))
        if inspect.isawaitable(sent):
            task = asyncio.ensure_future(sent)
            _sending.add(task)
            task.add_done_callback(_sending.discard)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> _Steps:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> _Steps:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> _Steps:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *arguments: Any) -> _Steps:
        # pygls goes through the requests while those that it cancels leave, and then fails to say that it has ended.
        yield self.fm.features[types.SHUTDOWN], arguments, None
        current = self.msg_id
        for message, future in list(self._request_futures.items()):
            if message != current and not future.done():
                future.cancel()
        self._shutdown = True
