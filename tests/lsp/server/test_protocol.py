"""What the library's protocol does not do by itself."""

import asyncio
from concurrent.futures import Future
from typing import Any

from waza_lsp.server.start import create_server


def test_an_answer_that_nobody_waits_for_any_more_is_no_error() -> None:
    async def answered() -> dict[Any, Any]:
        protocol = create_server().protocol
        waiting: Future[None] = Future()
        waiting.cancel()
        protocol._request_futures["x"] = waiting
        protocol.handle_message(protocol.structure_message({"jsonrpc": "2.0", "id": "x", "result": None}))
        return protocol._request_futures

    assert asyncio.run(answered()) == {}
