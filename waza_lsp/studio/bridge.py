"""A page's WebSocket and its language server: one `waza-lsp serve` per socket, one JSON message per text frame.

The child trusts what this bridge says, never what the page says: the bridge writes `trusted`, the folder and the process id
into `initialize`. Messages about paths outside of the folder do not reach the child.
"""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from waza_engine.lib.paths import is_inside, path_from_uri
from waza_engine.lib.process.child import Child, Streams, start_child
from waza_lsp.server.transport.framing import FramingError, bodies_in, frame
from waza_lsp.studio.files import is_of_git
from waza_lsp.studio.session import StudioSession

MAX_MESSAGE_BYTES = 16_000_000
MAX_SOCKETS = 16
_MAX_ANSWER_BYTES = 64_000_000
_GRACE_SECONDS = 1.0
"""How long a child may take to end its own children once its input is closed."""
_DONE, _UNSUPPORTED, _TOO_LARGE, _FAILED, _TOO_MANY, _TRUST_CHANGED = 1000, 1003, 1009, 1011, 1013, 4403
_OUTSIDE = "This path is outside of the folder that the studio shows."
_MAX_DEPTH = 100


class _Close(Exception):  # noqa: N818  # not an error: it carries the reason to both tasks' end
    """The socket is to be closed."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Bridges:
    """The open sockets of a studio."""

    def __init__(self, session: StudioSession) -> None:
        self._session = session
        self._open = 0

    async def serve(self, socket: WebSocket) -> None:
        """Join a socket with a new language server until one of them ends."""
        await socket.accept()
        if self._open >= MAX_SOCKETS:
            await _close(socket, _Close(_TOO_MANY, "Too many tabs are open. Close some of them."))
            return
        self._open += 1
        try:
            end = await _Bridge(self._session, socket).run()
        finally:
            self._open -= 1
        await _close(socket, end)


class _Bridge:
    """One socket and its child."""

    def __init__(self, session: StudioSession, socket: WebSocket) -> None:
        self._session = session
        self._socket = socket

    async def run(self) -> _Close:
        """Convey messages until one side ends. Return how the socket is to be closed."""
        try:
            # A socket that sends no message gets no process.
            first = await self._receive()
            child = await start_child(
                [sys.executable, "-P", "-m", "waza_lsp", "serve"],
                cwd=self._session.folder,
                streams=Streams(line_limit=_MAX_ANSWER_BYTES),
            )
        except (_Close, *_ENDS) as error:
            return _end_of(error)
        try:
            return await self._convey(first, child)
        finally:
            # Once its input is closed, it ends its own children.
            await child.end(grace=_GRACE_SECONDS)

    async def _convey(self, first: dict[str, Any], child: Child) -> _Close:
        trusted = asyncio.Event()
        self._session.on_trust.add(trusted.set)
        tasks = [
            asyncio.create_task(self._to_child(first, child)),
            asyncio.create_task(self._to_page(child)),
            asyncio.create_task(_when_trusted(trusted)),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return _end_of(next(it.exception() for it in tasks if it in done))
        finally:
            self._session.on_trust.discard(trusted.set)
            for it in tasks:
                it.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _receive(self) -> dict[str, Any]:
        """Return the next message of the page that its server may have."""
        while True:
            try:
                text = await self._socket.receive_text()
            except KeyError:
                raise _Close(_UNSUPPORTED, "Messages are text.") from None
            if len(text) > MAX_MESSAGE_BYTES:
                raise _Close(_TOO_LARGE, "The message is too large.")
            message = _message(text)
            refusal = refused(message, self._session.folder)
            if refusal is None:
                return message
            if refusal:
                await self._socket.send_text(refusal)

    async def _to_child(self, message: dict[str, Any], child: Child) -> None:
        while True:
            if message.get("method") == "initialize":
                # Not earlier: trust may begin while the child is being started.
                message = completed(message, self._session)
            body = json.dumps(message).encode()
            child.stdin.write(frame(body))
            await child.stdin.drain()
            message = await self._receive()

    async def _to_page(self, child: Child) -> None:
        try:
            async for body in bodies_in(child.stdout, _MAX_ANSWER_BYTES):
                # A page that does not read makes this wait, and so only its own child.
                await self._socket.send_text(body.decode("utf-8", "replace"))
        except FramingError:
            raise _Close(_FAILED, "The language server has sent something else than messages.") from None
        status = await child.wait()
        raise _Close(_DONE, "") if status == 0 else _Close(_FAILED, "The language server has ended.")


def completed(message: Mapping[str, Any], session: StudioSession) -> dict[str, Any]:
    """Return an `initialize` with what only the studio decides."""
    given = message.get("params")
    params = given if isinstance(given, dict) else {}
    options = params.get("initializationOptions")
    uri = session.folder.as_uri()
    own = {
        "initializationOptions": {
            **(options if isinstance(options, dict) else {}),
            "trusted": session.is_trusted,
        },
        "processId": os.getpid(),
        "rootPath": str(session.folder),
        "rootUri": uri,
        "workspaceFolders": [{"uri": uri, "name": session.folder.name}],
    }
    return {**message, "params": {**params, **own}}


async def _when_trusted(trusted: asyncio.Event) -> None:
    await trusted.wait()
    raise _Close(_TRUST_CHANGED, "The folder is trusted now. Connect again.")


_ENDS = (WebSocketDisconnect, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)
"""What ends one of the two sides."""


def _end_of(error: BaseException | None) -> _Close:
    if isinstance(error, _Close):
        return error
    if error is not None and not isinstance(error, _ENDS):
        raise error
    return _Close(_FAILED, "The connection to the language server has ended.")


async def _close(socket: WebSocket, end: _Close) -> None:
    with contextlib.suppress(RuntimeError, OSError, WebSocketDisconnect):
        await socket.close(end.code, end.reason)


def _message(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    # A list would be a batch, which LSP does not have.
    if not isinstance(found, dict):
        raise _Close(_UNSUPPORTED, "A message is one JSON object.")
    return found


def refused(message: dict[str, Any], folder: Path) -> str | None:
    """Return the answer to a message about a path outside of the folder ("" for a notification); None if it is fine."""
    if message.get("method") == "initialize" or all(
        _is_in(it, folder) for it in _places(message.get("params"))
    ):
        return None
    if "id" not in message or "method" not in message:
        return ""
    error = {"code": -32602, "message": _OUTSIDE}
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error})


def _places(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the places that a message names: members called `uri`, `newUri` and so on, and `directory`."""
    if depth > _MAX_DEPTH:
        raise _Close(_UNSUPPORTED, "The message is nested too deeply.")
    members = value.items() if isinstance(value, dict) else ()
    for name, it in members:
        if isinstance(it, str) and (name.lower().endswith("uri") or name == "directory"):
            yield it if name != "directory" else f"directory:{it}"
        else:
            yield from _places(it, depth + 1)
    for it in value if isinstance(value, list) else ():
        yield from _places(it, depth + 1)


def _is_in(place: str, folder: Path) -> bool:
    path: Path | None
    if place.startswith("directory:"):
        path = folder / place.removeprefix("directory:")
    else:
        try:
            path = path_from_uri(place)
        except ValueError:
            return False
    # Other schemes, such as `untitled:`, are no files.
    return path is None or (is_inside(path, folder) and not is_of_git(path, folder))
