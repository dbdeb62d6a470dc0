"""Work ends when the page no longer waits for it."""

import asyncio
from pathlib import Path
from typing import Any

import psutil
import pytest
from starlette.requests import Request

from waza_lsp.studio.requests import output_of, while_wanted
from waza_lsp.studio.session import RefusedError


def _request(leaves: asyncio.Event) -> Request:
    parts = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Any:
        if parts:
            return parts.pop()
        await leaves.wait()
        return {"type": "http.disconnect"}

    return Request({"type": "http", "method": "GET", "headers": []}, receive)


async def test_work_that_nobody_waits_for_is_cancelled() -> None:
    leaves, ended = asyncio.Event(), []

    async def work() -> None:
        leaves.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    with pytest.raises(RefusedError, match="no longer waits"):
        await while_wanted(_request(leaves), work())
    assert ended == [True]


async def test_an_error_of_the_work_is_that_of_the_request() -> None:
    async def work() -> None:
        raise RefusedError(422, "It cannot be audited.")

    with pytest.raises(RefusedError, match="cannot be audited"):
        await while_wanted(_request(asyncio.Event()), work())


@pytest.mark.slow
async def test_a_cancelled_command_leaves_no_process(tmp_path: Path) -> None:
    work = asyncio.create_task(output_of(tmp_path, "serve", "--tcp", "127.0.0.1:0"))
    for _ in range(1_000):
        if _servers():
            break
        await asyncio.sleep(0.01)
    assert _servers()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert not _servers()


def _servers() -> list[psutil.Process]:
    children = (it for it in psutil.Process().children() if it.status() != psutil.STATUS_ZOMBIE)
    return [it for it in children if "--tcp" in it.cmdline()]
