"""Read the bodies of requests, and run children of ours for as long as the page waits for them."""

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, TypeVar

from starlette.requests import Request

from waza_engine.lib.process.child import OutputLimitError, Streams, child, read_all
from waza_lsp.studio.session import RefusedError

_MAX_BODY_BYTES = 13_000_000
"""A text of 2 MB, if JSON writes each byte as six."""
_MAX_OUTPUT_BYTES = 64_000_000
_SECONDS = 600.0
_T = TypeVar("_T")


async def json_body(request: Request) -> dict[str, Any]:
    """Return the JSON object in the body of a request.

    Raises:
        RefusedError: the body is something else, or too large.

    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise RefusedError(415, "The body must be JSON.")
    parts, size = [], 0
    async for part in request.stream():
        parts.append(part)
        size += len(part)
        if size > _MAX_BODY_BYTES:
            raise RefusedError(413, "The body is too large.")
    try:
        found = json.loads(b"".join(parts))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise RefusedError(400, "The body must be a JSON object.")
    return found


def text_of(body: dict[str, Any], name: str) -> str:
    """Return a text of a body.

    Raises:
        RefusedError: it is missing, or no text.

    """
    found = body.get(name)
    if not isinstance(found, str):
        raise RefusedError(400, f"'{name}' must be a text.")
    return found


async def while_wanted(request: Request, work: Awaitable[_T]) -> _T:
    """Return the result of work, which is cancelled if the page no longer waits for it.

    Raises:
        RefusedError: nobody waits any more.

    """
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_leave(request))
    try:
        await asyncio.wait([working, leaving], return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise RefusedError(499, "The page no longer waits.")
        return working.result()
    finally:
        leaving.cancel()
        if not working.done():
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)


async def _leave(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def output_of(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Run `waza-lsp ARGUMENTS` in the folder, in a process of its own. Return its exit status, output and messages.

    Raises:
        RefusedError: it cannot be started, takes too long or prints too much.

    """
    command = [sys.executable, "-P", "-m", "waza_lsp", *arguments]
    streams = Streams(stdin=DEVNULL, stderr=PIPE)
    try:
        async with child(command, cwd=folder, streams=streams) as it, asyncio.timeout(_SECONDS):
            outputs = [read_all(stream, _MAX_OUTPUT_BYTES) for stream in (it.stdout, it.stderr)]
            out, err = await asyncio.gather(*outputs)
            return await it.wait(), out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
    except OutputLimitError:
        raise RefusedError(500, "The command prints too much.") from None
    except TimeoutError:
        raise RefusedError(504, f"Stopped after {_SECONDS:.0f} s.") from None
    except (OSError, ValueError) as error:
        raise RefusedError(500, f"The command cannot be started: {error}") from error
