"""Serve standard input and output: messages are handled in order, and in one thread where the system supports it.

The loop of pygls passes each message through three threads.
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

from waza_lsp.server.transport.client import Client
from waza_lsp.server.transport.connection import Output, once, when_closed, when_unread
from waza_lsp.server.transport.framing import Frames

_GRACE_SECONDS = 0.0015
"""How long deferred work waits for the next message. Editors request diagnostics first, and then what the user is
waiting for."""
_LONGEST_WAIT_SECONDS = 0.05


class Turns:
    """Handles messages in order, and deferred work when no more messages are coming. Runs in the event loop.

    `handle` returns whether a message is completely handled.
    """

    def __init__(self, handle: Callable[[bytes], bool], frames: Frames) -> None:
        self._handle = handle
        self._frames = frames
        self._pending: deque[bytes] = deque()
        self._late: deque[Callable[[], None]] = deque()
        self._is_busy = False
        self._until = self._latest = 0.0

    def read(self) -> bool:
        """Handle the input. Returns False at its end."""
        if not self._frames.is_waiting(0):
            return True  # Another turn has read the input since the loop noticed it.
        is_open = self._frames.read()
        self.take(self._frames.take())
        return is_open

    def take(self, bodies: Sequence[bytes]) -> None:
        """Handle these messages after those that already wait."""
        self._pending.extend(bodies)
        if not self._is_busy:
            self._go_on()

    def wait_to_write(self, descriptor: int) -> None:
        """Wait until the descriptor is writable. Input that comes meanwhile is handled in another turn."""
        if self._frames.wait_to_write(descriptor):
            self._pending.extend(self._frames.take())
            if not self._is_busy:
                self._in_next_turn()

    def later(self, do: Callable[[], None]) -> None:
        """Do something when no more messages are coming, or at the latest after a while."""
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
                # Let the tasks that it has created start before the next message.
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
        """Whether more input came while deferred work waits."""
        if not self._late or not self._frames.is_waiting(max(0.0, self._until - time.monotonic())):
            return False
        # At the end of the input, select reports input but there is none.
        is_open = self._frames.read()
        self._pending.extend(self._frames.take())
        return is_open


_log = logging.getLogger(__name__)
_INPUT = 0
_LEAVE_SECONDS = 3.0


def serve(client: Client, frames: Frames, waiting: Sequence[bytes], end: Callable[[], None]) -> None:
    """Answer until the input ends, then exit. `waiting` are messages that were read already."""
    try:
        asyncio.run(_serve(client, frames, waiting, end))
    finally:
        end()


async def _serve(client: Client, frames: Frames, waiting: Sequence[bytes], end: Callable[[], None]) -> None:
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    turns = Turns(functools.partial(_handle, client), frames)

    # If something hangs after the editor has gone, such as a write, nobody else ends the process.
    timeout = threading.Timer(_LEAVE_SECONDS, _give_up, [end])
    timeout.daemon = True
    leave_soon = once(timeout.start)  # Several threads may notice the end at the same time.

    def leave() -> None:
        leave_soon()
        # The loop may be closed already.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(ended.set)

    client.leave = leave
    reads_itself = _read_in_loop(turns, leave)
    output = sys.stdout.fileno()
    client.protocol.set_writer(Output(output, leave, turns.wait_to_write if reads_itself else None))
    when_unread(output, leave)
    if reads_itself:
        client.protocol.later = turns.later
        when_closed(_INPUT, leave_soon)
    turns.take(waiting)
    if not reads_itself:
        _read_in_thread(frames, turns, leave)
    await ended.wait()
    end()
    # Closing the loop would break processes that are just starting, and wait for threads.
    os._exit(0)


def _read_in_loop(turns: Turns, leave: Callable[[], None]) -> bool:
    """Read the input when it is readable. Returns False if the system does not report that (Windows) or it is not a pipe."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        try:
            is_open = turns.read()
        except OSError:
            _log.warning("The input is no longer readable")
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
            _log.warning("The input is no longer readable")
        finally:
            leave()

    threading.Thread(target=read, name="reader", daemon=True).start()


def _give_up(end: Callable[[], None]) -> None:
    end()
    os._exit(1)


def _handle(client: Client, body: bytes) -> bool:
    """Handle a message. Returns whether it has created no task that has yet to start."""
    message: Any = None
    try:
        message = json.loads(body)
        return client.protocol.handle_message(client.protocol.structure_message(message))
    except JsonRpcInvalidParams as reason:
        client.protocol.refuse(message, reason)
    except Exception as error:  # noqa: BLE001  # the one place per message
        _log.exception("A message could not be handled")
        client.protocol.refuse(message, JsonRpcInvalidRequest())
        client.lsp.report_server_error(error, JsonRpcException)
    return False
