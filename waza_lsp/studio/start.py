"""Start a studio: its port, its address, its browser, and its end."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from waza_engine.lib.system.programs import is_in_foreground
from waza_lsp.server.startup.main import log_to
from waza_lsp.studio.app import studio_app
from waza_lsp.studio.bridge import MAX_MESSAGE_BYTES
from waza_lsp.studio.session import StudioSession

HOST = "127.0.0.1"
_MOST_CONNECTIONS = 200
_PATIENCE_SECONDS = 3
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME", "BROWSER")


@dataclass(frozen=True, slots=True)
class StudioOptions:
    """What the person has chosen. `port` 0 is any free one."""

    folder: Path
    port: int = 0
    opens_browser: bool = True
    is_trusted: bool = False
    is_demo: bool = False
    start_file: str = ""


class PortError(Exception):
    """The port cannot be opened. The message says why."""


def serve_studio(options: StudioOptions, show_address: Callable[[str], None]) -> None:
    """Serve a folder until Ctrl-C or SIGTERM. `show_address` is called when the port is open.

    Raises:
        PortError: the port cannot be opened.

    """
    # A terminal is no place for what others send, such as broken requests.
    log_to()
    # Paths in reports are relative to the working directory.
    with _listen(options.port) as listener, contextlib.chdir(options.folder):
        session = StudioSession(
            options.folder,
            listener.getsockname()[1],
            is_trusted=options.is_trusted,
            is_demo=options.is_demo,
            start_file=options.start_file,
        )
        show_address(address := session.new_address())
        if options.opens_browser and _has_display():
            # In a thread: some of these programs only return when the browser ends.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        _show_addresses_on_demand(session, show_address)
        config = uvicorn.Config(
            studio_app(session),
            http="h11",
            ws="websockets-sansio",
            ws_max_size=MAX_MESSAGE_BYTES,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_graceful_shutdown=_PATIENCE_SECONDS,
        )
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_Server(config).serve(sockets=[listener]))


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End at a signal, but do not raise it again, as the library would: the caller has things to tidy up."""
        before = {it: signal.signal(it, self.handle_exit) for it in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name != "nt":  # There, the option would let two servers share a port.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        # The address is shown before the server accepts connections: they wait until then.
        listener.listen()
    except OSError as error:
        listener.close()
        raise PortError(f"Cannot listen on {HOST}:{port}: {error.strerror or error}") from error
    return listener


def _has_display() -> bool:
    """Whether a browser has a screen. On a terminal alone, a text browser would take it over."""
    return sys.platform in {"win32", "darwin"} or any(os.environ.get(it) for it in _DISPLAYS)


def _show_addresses_on_demand(session: StudioSession, show_address: Callable[[str], None]) -> None:
    """Show a new address whenever the person presses Enter in the terminal."""
    if not is_in_foreground():
        return

    def wait() -> None:
        # Not `sys.stdin`: Python waits for its lock at the end.
        while os.read(0, 1_000):
            show_address(session.new_address())

    threading.Thread(target=wait, daemon=True).start()
