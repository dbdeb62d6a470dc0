"""The server on standard input and output, read and answered in one thread where the system can tell what has come.

pygls's own loop goes through three threads for each message.
"""

import asyncio
import functools
import json
import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcInvalidRequest

from waza_lsp.server.session import WazaServer
from waza_lsp.server.transport.connection import Output, once, when_closed, when_unread
from waza_lsp.server.transport.framing import Frames

_GRACE_SECONDS = 0.0005
"""How long what may wait waits for the next message: an editor asks for findings first, and then for what its user
is waiting for."""
_LONGEST_WAIT_SECONDS = 0.05


class Turns:
    """Everything is done in the event loop. `handle` is whether a message is over when it returns."""

    def __init__(self, handle: Callable[[bytes], bool], frames: Frames) -> None:
        self._handle = handle
        self._frames = frames
        self._pending: deque[bytes] = deque()
        self._late: deque[Callable[[], None]] = deque()
        self._is_busy = False
        self._until = self._latest = 0.0

    def read(self) -> bool:
        """Handle what has come in; False when no more will come."""
        if not self._frames.is_waiting(0):
            return True  # Since the loop has noticed, it was read in another turn.
        is_open = self._frames.read()
        self.take(self._frames.take())
        return is_open

    def take(self, bodies: Sequence[bytes]) -> None:
        """Handle these messages after those that are there."""
        self._pending.extend(bodies)
        if not self._is_busy:
            self._go_on()

    def wait_to_write(self, descriptor: int) -> None:
        """Wait until something can be written there; what comes in meanwhile is handled in another turn."""
        if self._frames.wait_to_write(descriptor):
            self._pending.extend(self._frames.take())
            if not self._is_busy:
                self._in_next_turn()

    def later(self, do: Callable[[], None]) -> None:
        """Do something once no more messages are on their way, or they have come without end for a while."""
        now = time.monotonic()
        self._until = now + _GRACE_SECONDS
        if not self._late:
            self._latest = now + _LONGEST_WAIT_SECONDS
        self._late.append(do)
        if not self._is_busy:
            self._in_next_turn()

    def _in_next_turn(self) -> None:
        self._is_busy = True
        asyncio.get_running_loop().call_soon(self._go_on)

    def _go_on(self) -> None:
        self._is_busy = True
        while not self._is_late and (self._pending or self._has_read_more()):
            if self._pending and not self._handle(self._pending.popleft()):
                # What it sets going is to begin before the next message is looked at.
                self._in_next_turn()
                return
        self._is_busy = False
        if self._late:
            do = self._late.popleft()
            if self._late or self._pending:
                self._in_next_turn()
            do()

    @property
    def _is_late(self) -> bool:
        return bool(self._late) and time.monotonic() > self._latest

    def _has_read_more(self) -> bool:
        """Whether there is something to wait with, and more came in meanwhile."""
        if not self._late or not self._frames.is_waiting(max(0.0, self._until - time.monotonic())):
            return False
        # At the end of the input nothing comes any more, however often one looks.
        is_open = self._frames.read()
        self._pending.extend(self._frames.take())
        return is_open


_log = logging.getLogger(__name__)
_INPUT = 0
_LEAVE_SECONDS = 3.0


def serve(server: WazaServer, frames: Frames, waiting: Sequence[bytes]) -> None:
    """Answer until the input ends, and leave; `waiting` are messages that were read already."""
    try:
        asyncio.run(_serve(server, frames, waiting))
    finally:
        server.end_children()


async def _serve(server: WazaServer, frames: Frames, waiting: Sequence[bytes]) -> None:
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    turns = Turns(functools.partial(_handle, server), frames)

    # Should something hang, an editor that does not read say, nobody is there any more to see it.
    giving_up = threading.Timer(_LEAVE_SECONDS, _give_up, [server])
    giving_up.daemon = True
    leave_soon = once(giving_up.start)  # Several may notice at the same time.

    def leave() -> None:
        leave_soon()
        # The loop may be over already.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(ended.set)

    server.leave = leave
    reads_itself = _read_in_loop(turns, leave)
    output = sys.stdout.fileno()
    server.protocol.set_writer(Output(output, leave, turns.wait_to_write if reads_itself else None))
    when_unread(output, leave)
    if reads_itself:
        server.protocol.later = turns.later
        when_closed(_INPUT, leave_soon)
    turns.take(waiting)
    if not reads_itself:
        _read_in_thread(frames, turns, leave)
    await ended.wait()
    server.end_children()
    # To close the loop would tear what is being started right now, and wait for what is done in threads.
    os._exit(0)


def _read_in_loop(turns: Turns, leave: Callable[[], None]) -> bool:
    """Read whenever something has come; False where the system cannot tell (Windows) or it is no pipe."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        try:
            is_open = turns.read()
        except OSError:
            _log.warning("The input cannot be read any more")
            is_open = False
        if not is_open:
            loop.remove_reader(_INPUT)
            leave()

    try:
        loop.add_reader(_INPUT, read)
    except (NotImplementedError, OSError):
        return False
    return True


def _read_in_thread(frames: Frames, turns: Turns, leave: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()

    def read() -> None:
        try:
            while frames.read():
                if bodies := frames.take():
                    loop.call_soon_threadsafe(turns.take, bodies)
        except OSError:
            _log.warning("The input cannot be read any more")
        finally:
            leave()

    threading.Thread(target=read, name="reader", daemon=True).start()


def _give_up(server: WazaServer) -> None:
    server.end_children()
    os._exit(1)


def _handle(server: WazaServer, body: bytes) -> bool:
    """Deal with a message; whether nothing of it is left that has to begin."""
    message: Any = None
    try:
        message = json.loads(body)
        return server.protocol.handle_message(server.protocol.structure_message(message))
    except JsonRpcInvalidParams as reason:
        server.protocol.refuse(message, reason)
    except Exception as error:  # noqa: BLE001  # the one place per message
        _log.exception("A message could not be handled")
        server.protocol.refuse(message, JsonRpcInvalidRequest())
        server.report_server_error(error, JsonRpcException)
    return False
