"""The messages of an editor in the order in which they came, and what is done when no more are on their way."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence

from waza_lsp.server.frames import Frames

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
