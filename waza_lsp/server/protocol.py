"""pygls's protocol with our own documents, which pygls counts the lines of wrongly, and with answers that are JSON already."""

import asyncio
import inspect
import json
import logging
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any, NamedTuple

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

_Steps = Generator[Any, Any, None]
_log = logging.getLogger(__name__)
_sending: set[asyncio.Future[Any]] = set()
"""What is being written; without a reference it would not be finished."""
_DOCUMENTS = frozenset(
    [types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE, types.TEXT_DOCUMENT_DID_CLOSE]
)


class Json(NamedTuple):
    """A result that is written already."""

    text: str


class OwnDocumentsProtocol(LanguageServerProtocol):
    """Hands document notifications to our handlers only; pygls keeps no second copy of the text."""

    answered: Any = None
    """The id of an `initialize` that has had its answer."""
    asked_at = 0.0
    """When the last message came, by `time.monotonic`, which event loops count by, too."""

    def notify_json(self, method: str, params: str) -> None:
        """Send a notification whose parameters are JSON."""
        self._send_json(f'{{"jsonrpc":"2.0","method":"{method}","params":{params}}}')

    def refuse(self, message: Any, reason: JsonRpcException) -> None:
        """Answer a message that cannot be handled; nobody waits for an answer to a notification or a response."""
        is_message = isinstance(message, dict)
        number = message.get("id") if is_message else None
        if is_message and (number is None or "method" not in message or number == self.answered):
            return
        if not isinstance(number, int | str):
            number = None  # No id that anybody could have given.
        error = {"code": reason.code, "message": reason.message}
        self._send_json(json.dumps({"jsonrpc": "2.0", "id": number, "error": error}))

    def handle_message(self, message: Any) -> None:
        self.asked_at = time.monotonic()
        number = getattr(message, "id", None)
        if self._shutdown and number is not None and hasattr(message, "method"):
            self._send_response(
                number, error=JsonRpcInvalidRequest("The server is shut down").to_response_error()
            )
        elif self._shutdown or not hasattr(message, "method") or message.jsonrpc != self.VERSION:
            super().handle_message(message)
        # pygls finds out what kind of message it is in more time than most handlers take.
        elif hasattr(message, "id"):
            copy_context().run(self._handle_request, message.id, message.method, message.params)
        else:
            copy_context().run(self._handle_notification, message.method, message.params)

    def _get_handler(self, feature_name: str) -> Callable[..., Any]:
        # pygls would keep a second copy of the text.
        features = self.fm.features if feature_name in _DOCUMENTS else {}
        handler: Callable[..., Any] = features.get(feature_name) or super()._get_handler(feature_name)
        return handler

    def _handle_notification(self, method_name: str, params: Any) -> None:
        handler = self.fm.features.get(method_name)
        is_ours = method_name in _DOCUMENTS or method_name not in self.fm.builtin_features
        if handler is None or not is_ours or inspect.iscoroutinefunction(handler):
            super()._handle_notification(method_name, params)
            return
        # Without the number that pygls draws for each: nobody can cancel what is done at once.
        try:
            handler(params)
        except Exception as error:  # noqa: BLE001  # the one place per notification
            failed = Future[Any]()
            failed.set_exception(error)
            self._check_handler_result(failed)

    def _execute_handler(self, msg_id: Any, handler: Any, *more: Any, **named: Any) -> None:
        super()._execute_handler(msg_id, handler, *more, **named)
        future = self._request_futures.get(msg_id)
        if future is not None:
            # pygls does so for requests, and holds what it has of notifications for ever.
            future.add_done_callback(lambda _: self._request_futures.pop(msg_id, None))

    def _handle_response(self, msg_id: Any, result: Any = None, error: Any = None) -> None:
        waiting = self._request_futures.get(msg_id)
        if waiting is not None and waiting.cancelled():
            # Who asked does not wait any more; the library would take the answer for an error.
            self._request_futures.pop(msg_id)
        else:
            super()._handle_response(msg_id, result, error)

    def _send_handler_result(self, future: Any, *, msg_id: Any) -> None:
        refusal = None if future.cancelled() else future.exception()
        if isinstance(refusal, JsonRpcException):
            # Meant for who asked; the library would log it as an error of the server.
            self._request_futures.pop(msg_id, None)
            self._send_response(msg_id, error=refusal.to_response_error())
        else:
            super()._send_handler_result(future, msg_id=msg_id)

    def prepare(self, method: str) -> None:
        """Have what reads and writes such messages made, before the first one comes: it takes milliseconds for each."""
        asked, answered = self.get_message_type(method), self.get_result_type(method)
        if asked is not None:
            self._converter.get_structure_hook(asked)
        if answered is not None:
            self._converter.get_unstructure_hook(answered)

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

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *arguments: Any) -> _Steps:
        # pygls goes through the requests while those that it cancels leave, and then fails to say that it has ended.
        yield self.fm.features[types.SHUTDOWN], arguments, None
        current = self.msg_id
        for message, future in list(self._request_futures.items()):
            if message != current and not future.done():
                future.cancel()
        self._shutdown = True
