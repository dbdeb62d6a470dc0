"""The protocol of pygls, with our own documents (pygls splits lines differently) and results that are already JSON."""

import asyncio
import inspect
import json
import logging
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs
from cattrs import Converter
from lsprotocol import _hooks, types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidRequest,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, default_converter
from pygls.protocol.language_server import lsp_method

from waza_lsp.server.transport.framing import frame

if TYPE_CHECKING:
    from cattrs import Converter
    from pygls.lsp.server import LanguageServer


_RESOLVED = "_resolved_forward_references"
"""The flag of lsprotocol that its types are resolved. There is no public name for it."""


def message_converter() -> Converter:
    """Return the converter of pygls, with each class of the protocol resolved at its first use.

    lsprotocol resolves all its 554 classes at every start, which takes a tenth of the time until the first hover. A
    session uses a fifth of them. A version of lsprotocol without this flag resolves them all.
    """
    # lsprotocol registers one of its hooks for the type of this field.
    _resolve(types.NotebookCellTextDocumentFilter)
    before = getattr(_hooks, _RESOLVED, False)
    setattr(_hooks, _RESOLVED, True)
    converter: Converter = default_converter()  # type: ignore[no-untyped-call]  # the library gives no type
    # A converter that is made later, without our hook, must resolve all types.
    setattr(_hooks, _RESOLVED, before)
    converter.register_structure_hook_func(_resolve, _never)
    converter.register_unstructure_hook_func(_resolve, _never)
    return converter


def _resolve(kind: type) -> bool:
    """Resolve the types of a class for the hooks that cattrs tries next. Always False: this hook handles no class."""
    if attrs.has(kind) and kind.__module__ == types.__name__:
        attrs.resolve_types(kind, types.ALL_TYPES_MAP, {})
    return False


def _never(*_: object) -> None:
    raise AssertionError("this hook handles no class")


_Steps = Generator[Any, Any, None]
_log = logging.getLogger(__name__)
_sending: set[asyncio.Future[Any]] = set()
"""Writes in progress. Without a reference they could be collected before they finish."""
_DOCUMENTS = frozenset(
    [types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE, types.TEXT_DOCUMENT_DID_CLOSE]
)
_GRACE_SECONDS = 0.001
"""How long deferred work waits where the server cannot see whether more messages are coming."""


class Json(NamedTuple):
    """A result that is already JSON."""

    text: str


class Later(NamedTuple):
    """A result that is computed when no more messages are coming, so that what the user waits for comes first."""

    find: Callable[[], Any]


@dataclass(eq=False, slots=True)
class _Waiting:
    """A request whose answer is deferred."""

    number: int | str
    find: Callable[[], Any]


class OwnDocumentsProtocol(LanguageServerProtocol):
    """Passes document notifications only to our handlers, so that pygls keeps no second copy of the text."""

    answered: Any = None
    """The id of an `initialize` that was answered early."""
    is_initialized = False
    """Whether `initialize` has come."""
    last_message_at = 0.0
    """When the last message came, in the time of `time.monotonic` and of event loops."""

    def __init__(self, server: "LanguageServer", converter: "Converter") -> None:
        super().__init__(server, converter)
        self._is_plain: dict[Callable[..., Any], bool] = {}
        """Whether handlers are plain functions, which have finished when they return."""
        self._waiting: list[_Waiting] = []
        self._when_cancelled: dict[int | str, Callable[[], None]] = {}
        """What to do when the client cancels one of these requests."""
        self.later: Callable[[Callable[[], None]], None] = _after_a_grace
        """Does something when no more messages are coming, as far as the server can see."""

    def ignore_responses(self, numbers: Iterable[str]) -> None:
        """Ignore the responses to these requests, which were sent before this protocol existed."""
        for number in numbers:
            self._request_futures[number] = Future()
            self._request_futures[number].cancel()

    def notify_json(self, method: str, params: str) -> None:
        """Send a notification whose parameters are JSON."""
        self._send_json(f'{{"jsonrpc":"2.0","method":"{method}","params":{params}}}')

    def refuse(self, message: Any, reason: JsonRpcException) -> None:
        """Answer a message that cannot be handled. Notifications and responses get no answer."""
        is_message = isinstance(message, dict)
        number = message.get("id") if is_message else None
        if is_message and (number is None or "method" not in message or number == self.answered):
            return
        if not isinstance(number, int | str):
            number = None  # Not a valid id.
        error = {"code": reason.code, "message": reason.message}
        self._send_json(json.dumps({"jsonrpc": "2.0", "id": number, "error": error}))

    def handle_message(self, message: Any) -> bool:
        """Handle a message. Returns whether it has created no task that has yet to start."""
        self.last_message_at = time.monotonic()
        number, method = getattr(message, "id", None), getattr(message, "method", None)
        self.is_initialized = self.is_initialized or method == types.INITIALIZE
        if not self.is_initialized and method not in {None, types.EXIT}:
            self._refuse_uninitialized(number)
        elif self._shutdown and number is not None and hasattr(message, "method"):
            self._send_response(
                number, error=JsonRpcInvalidRequest("The server is shut down").to_response_error()
            )
        elif self._shutdown and method != types.EXIT:
            pass  # Late messages, such as responses to our requests, need no warning.
        elif self._shutdown or not hasattr(message, "method") or message.jsonrpc != self.VERSION:
            super().handle_message(message)
        # pygls takes longer to find out the kind of a message than most handlers run.
        elif (handler := self._plain_handler(message.method)) is not None:
            if hasattr(message, "id"):
                self._answer(message.id, handler, message.params)
            else:
                self._call(handler, message.params)
            return True
        elif hasattr(message, "id"):
            copy_context().run(self._handle_request, message.id, message.method, message.params)
        else:
            copy_context().run(self._handle_notification, message.method, message.params)
        return False

    def _refuse_uninitialized(self, number: int | str | None) -> None:
        """Refuse a request that comes before `initialize`. Notifications are dropped."""
        if number is not None:
            reason = JsonRpcServerNotInitialized("The first request must be 'initialize'")
            self._send_response(number, error=reason.to_response_error())

    def when_cancelled(self, do: Callable[[], None]) -> None:
        """Do something when the client cancels the request that is being handled, or now if it has."""
        number = self.msg_id
        future = None if number is None else self._request_futures.get(number)
        if number is not None and (future is None or future.cancelled()):
            do()
        elif number is not None and future is not None:
            self._when_cancelled[number] = do
            future.add_done_callback(lambda _: self._when_cancelled.pop(number, None))

    def _plain_handler(self, method: str) -> Callable[[Any], Any] | None:
        """Return our handler of a method if it is a plain function and pygls has no handler of its own."""
        handler = self.fm.features.get(method)
        if handler is None or (method not in _DOCUMENTS and method in self.fm.builtin_features):
            return None
        if handler not in self._is_plain:
            self._is_plain[handler] = not inspect.iscoroutinefunction(handler)
        return handler if self._is_plain[handler] else None

    def _call(self, handler: Callable[[Any], Any], params: Any) -> None:
        # Without the id that pygls draws for each notification: this one cannot be cancelled.
        try:
            handler(params)
        except Exception as error:  # noqa: BLE001  # the one place per notification
            self._check_handler_result(_failed_future(error))

    def _answer(self, number: int | str, handler: Callable[[Any], Any], params: Any) -> None:
        try:
            result = handler(params)
        except Exception as error:  # noqa: BLE001  # the one place per request
            self._send_handler_result(_failed_future(error), msg_id=number)
            return
        self._send_response(number, result)

    def _defer(self, number: int | str, find: Callable[[], Any]) -> None:
        waiting = _Waiting(number, find)
        self._waiting.append(waiting)
        self.later(partial(self._find, waiting))

    def _find(self, waiting: _Waiting) -> None:
        if waiting not in self._waiting:
            return  # It was cancelled.
        self._waiting.remove(waiting)
        self._answer(waiting.number, lambda _: waiting.find(), None)

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        # pygls answers a cancelled request at once, but lets its coroutine run on.
        if do := self._when_cancelled.pop(msg_id, None):
            do()
        waiting = next((it for it in self._waiting if it.number == msg_id), None)
        if waiting is None:
            super()._handle_cancel_notification(msg_id)
        else:
            self._cancel(waiting)

    def _cancel(self, waiting: _Waiting) -> None:
        self._waiting.remove(waiting)
        reason = JsonRpcRequestCancelled(f'Request with id "{waiting.number}" is canceled')
        self._send_response(waiting.number, error=reason.to_response_error())

    def _get_handler(self, feature_name: str) -> Callable[..., Any]:
        # pygls would keep a second copy of the text.
        features = self.fm.features if feature_name in _DOCUMENTS else {}
        handler: Callable[..., Any] = features.get(feature_name) or super()._get_handler(feature_name)
        return handler

    def _execute_handler(self, msg_id: Any, handler: Any, *more: Any, **named: Any) -> None:
        super()._execute_handler(msg_id, handler, *more, **named)
        future = self._request_futures.get(msg_id)
        if future is not None:
            # pygls releases the futures of requests, but keeps those of notifications forever.
            future.add_done_callback(lambda _: self._request_futures.pop(msg_id, None))

    def _handle_response(self, msg_id: Any, result: Any = None, error: Any = None) -> None:
        waiting = self._request_futures.get(msg_id)
        if waiting is not None and waiting.cancelled():
            # Nobody waits for this response any more, and pygls would report it as an error.
            self._request_futures.pop(msg_id)
        else:
            super()._handle_response(msg_id, result, error)

    def _send_handler_result(self, future: Any, *, msg_id: Any) -> None:
        refusal = None if future.cancelled() else future.exception()
        if isinstance(refusal, JsonRpcException):
            # An answer for the client, which pygls would log as an error of the server.
            self._request_futures.pop(msg_id, None)
            self._send_response(msg_id, error=refusal.to_response_error())
        else:
            super()._send_handler_result(future, msg_id=msg_id)

    def prepare(self, method: str) -> None:
        """Create the converters of such messages before the first one comes. Each takes milliseconds."""
        params_type, result_type = self.get_message_type(method), self.get_result_type(method)
        if params_type is not None:
            self._converter.get_structure_hook(params_type)
        if result_type is not None:
            self._converter.get_unstructure_hook(result_type)

    def _send_response(self, msg_id: Any, result: Any = None, error: Any = None) -> None:
        if error is None and isinstance(result, types.InitializeResult) and msg_id == self.answered:
            self._result_types.pop(msg_id, None)
        elif error is None and isinstance(result, Later):
            self._defer(msg_id, result.find)
        elif error is None and isinstance(result, Json):
            self._result_types.pop(msg_id, None)
            self._send_json(f'{{"jsonrpc":"2.0","id":{json.dumps(msg_id)},"result":{result.text}}}')
        else:
            super()._send_response(msg_id, result, error)

    def _send_json(self, body: str) -> None:
        """Send a message that consists of ASCII characters."""
        if self.writer is None:
            _log.error("There is no connection to send a message to")
            return
        data = body.encode("ascii")
        sent = self.writer.write(frame(data) if self._include_headers else data)
        if inspect.isawaitable(sent):
            task = asyncio.ensure_future(sent)
            _sending.add(task)
            task.add_done_callback(_sending.discard)

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *arguments: Any) -> _Steps:
        # pygls iterates over the requests while cancelled ones are removed, and then fails to answer.
        yield self.fm.features[types.SHUTDOWN], arguments, None
        current = self.msg_id
        for message, future in list(self._request_futures.items()):
            if message != current and not future.done():
                future.cancel()
        for waiting in list(self._waiting):
            self._cancel(waiting)
        self._shutdown = True


def _failed_future(error: Exception) -> Future[Any]:
    """Return the future that pygls creates for a handler that has failed."""
    future = Future[Any]()
    future.set_exception(error)
    return future


def _after_a_grace(do: Callable[[], None]) -> None:
    asyncio.get_running_loop().call_later(_GRACE_SECONDS, do)
