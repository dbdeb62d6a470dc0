"""Protocol behaviour that the library lacks."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

from lsprotocol import types

from waza_lsp.server.build import build_session
from waza_lsp.server.transport.protocol import Json, Later


def test_an_answer_that_nobody_waits_for_any_more_is_no_error() -> None:
    async def answered() -> dict[Any, Any]:
        protocol = build_session().client.protocol
        waiting: Future[None] = Future()
        waiting.cancel()
        protocol._request_futures["x"] = waiting
        protocol.handle_message(protocol.structure_message({"jsonrpc": "2.0", "id": "x", "result": None}))
        return protocol._request_futures

    assert asyncio.run(answered()) == {}


def test_other_converters_of_the_process_know_all_types() -> None:
    code = (
        "from lsprotocol import converters, types; from waza_lsp.server.build import build_session; build_session();"
        "asked = {'processId': None, 'rootUri': None, 'capabilities': {'window': {'workDoneProgress': True}}};"
        "found = converters.get_converter().structure(asked, types.InitializeParams);"
        "print(found.capabilities.window.work_done_progress)"
    )
    ended = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.stderr) == ("True\n", "")


class Talk:
    """A server that responds to one request on demand, and its output."""

    def __init__(self, find: Callable[[], Any]) -> None:
        self.written: list[Any] = []
        self.late: list[Callable[[], None]] = []
        self.protocol = build_session().client.protocol
        self.protocol.set_writer(self, include_headers=False)
        self.protocol.later = self.late.append
        self.protocol.is_initialized = True
        self.protocol.fm.features[types.TEXT_DOCUMENT_DIAGNOSTIC] = lambda _: Later(find)

    def write(self, data: bytes) -> None:
        self.written.append(json.loads(data))

    def close(self) -> None: ...

    def say(self, method: str, params: Any, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if number is not None:
            message["id"] = number
        self.protocol.handle_message(self.protocol.structure_message(message))

    def ask(self, number: int) -> None:
        self.say(types.TEXT_DOCUMENT_DIAGNOSTIC, {"textDocument": {"uri": "file:///a"}}, number)

    def now(self) -> None:
        for do in self.late:
            do()
        self.late.clear()

    @property
    def answers(self) -> Iterator[tuple[Any, Any]]:
        """Return the ids of the responses, each with its result or error code."""
        for it in self.written:
            if "method" not in it:
                yield it["id"], it["error"]["code"] if "error" in it else it["result"]


def test_an_answer_that_is_put_off_comes_once() -> None:
    talk = Talk(lambda: Json("[1]"))
    talk.ask(1)
    talk.ask(2)
    assert talk.written == []
    talk.now()
    assert list(talk.answers) == [(1, [1]), (2, [1])]


def test_an_answer_that_is_put_off_can_be_cancelled() -> None:
    talk = Talk(lambda: Json("[1]"))
    talk.ask(1)
    talk.ask(2)
    talk.say(types.CANCEL_REQUEST, {"id": 1})
    cancelled = (1, types.LSPErrorCodes.RequestCancelled)
    assert list(talk.answers) == [cancelled]
    talk.now()
    talk.say(types.CANCEL_REQUEST, {"id": 2})
    assert list(talk.answers) == [cancelled, (2, [1])]


def test_an_answer_that_is_put_off_and_fails_is_an_error() -> None:
    talk = Talk(lambda: 1 / 0)
    talk.ask(1)
    talk.now()
    assert list(talk.answers) == [(1, types.ErrorCodes.InternalError)]


def test_a_server_that_shuts_down_leaves_no_answer_put_off() -> None:
    talk = Talk(lambda: Json("[1]"))

    async def shut_down() -> None:
        talk.ask(1)
        talk.say(types.SHUTDOWN, None, 2)
        talk.now()

    asyncio.run(shut_down())
    assert list(talk.answers) == [(1, types.LSPErrorCodes.RequestCancelled), (2, None)]


def test_before_initialize_requests_are_refused_and_notifications_dropped() -> None:
    talk = Talk(list)
    talk.protocol.is_initialized = False
    seen: list[Any] = []
    talk.protocol.fm.features[types.TEXT_DOCUMENT_DID_OPEN] = seen.append
    document = {"uri": "file:///a.yaml", "languageId": "yaml", "version": 1, "text": ""}
    talk.say(types.TEXT_DOCUMENT_DID_OPEN, {"textDocument": document})
    talk.say(types.TEXT_DOCUMENT_DIAGNOSTIC, {"textDocument": {"uri": "file:///a.yaml"}}, number=1)
    assert seen == []
    [refused] = talk.written
    assert (refused["id"], refused["error"]["code"]) == (1, -32002)
