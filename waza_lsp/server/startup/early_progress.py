"""Show that the first check is still running, if it takes longer than half a second.

The check keeps its thread busy, so another thread shows the progress: it reads the response of the client meanwhile.
"""

import json
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from waza_lsp.server.transport.framing import Frames

REQUEST = "waza-first-check"
"""The id of the request for a progress, and its token."""
_PATIENCE_SECONDS = 0.5
_PAUSE_SECONDS = 0.02
"""How long the end of a check may wait for this thread."""


class EarlyProgress:
    """A work-done progress around a check, as a context manager.

    `token` is that of the client's request, if it has one. Otherwise the client is asked to show a progress of ours; if
    it declines, or answers only after the check, none is shown.
    """

    def __init__(
        self, frames: Frames, send: Callable[[dict[str, Any]], None], title: str, token: Any
    ) -> None:
        self.unread: list[bytes] = []
        """The messages that came meanwhile."""
        self.is_unanswered = False
        """Whether the client has yet to answer the request for a progress."""
        self._frames = frames
        self._send = send
        self._title = title
        self._token = token
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def _show(self) -> None:
        if self._done.wait(_PATIENCE_SECONDS):
            return
        token = self._token
        if token is None:
            token = REQUEST
            self._send(
                {"id": REQUEST, "method": "window/workDoneProgress/create", "params": {"token": token}}
            )
            self.is_unanswered = True
            if not self._is_accepted():
                return
        self._progress(token, {"kind": "begin", "title": self._title})
        self._done.wait()
        self._progress(token, {"kind": "end"})

    def _is_accepted(self) -> bool:
        """Read messages until the client answers. Returns whether it accepts the progress before the check ends."""
        while not self._done.is_set():
            if not self._frames.is_waiting(_PAUSE_SECONDS):
                continue
            if not self._frames.read():
                return False
            for body in self._frames.take():
                if (response := _response(body)) is None:
                    self.unread.append(body)
                else:
                    self.is_unanswered = False
                    if "error" in response:
                        return False
            if not self.is_unanswered:
                return True
        return False

    def _progress(self, token: Any, value: dict[str, str]) -> None:
        self._send({"method": "$/progress", "params": {"token": token, "value": value}})


def _response(body: bytes) -> dict[str, Any] | None:
    """Return the response to our request; None for other messages, and for those that are not valid."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if isinstance(message, dict) and message.get("id") == REQUEST and "method" not in message:
        return message
    return None
