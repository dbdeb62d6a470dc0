"""`waza-lsp serve` on standard input and output. This module imports only what the first answer needs."""

import gc
import os
import sys
from typing import TYPE_CHECKING

from waza_lsp.lazy_import import import_lazily, skip_pydantic_plugins

if TYPE_CHECKING:
    from pathlib import Path

    from waza_lsp.server.startup.code_cache import CodeCache
    from waza_lsp.server.startup.early_answers import EarlyAnswers


_RARELY = (500_000, 20, 100)
_NOT_AT_FIRST = (
    "inspect",  # by dataclasses
    "copy",  # by dataclasses
    "ipaddress",  # by urllib.parse
    "base64",  # by yaml
    "bz2",  # by shutil
    "lzma",  # by shutil
    "difflib",  # for names similar to a misspelt one
)
_NOT_YET = (
    "pickle",  # by logging
    "secrets",  # by pydantic, and for names of temporary files
    "hashlib",  # for names of cache files
    "regex",  # for the few patterns that RE2 cannot match
)
"""Modules that others import at once but need only after the start."""


def serve_stdio(log_file: "Path | None" = None) -> None:
    """Answer an editor until it ends the session."""
    # Imports create little garbage, and looking for it takes a tenth of the time. It is collected later.
    gc.set_threshold(*_RARELY)
    for name in (*_NOT_AT_FIRST, *_NOT_YET):
        import_lazily(name)
    skip_pydantic_plugins()
    from waza_lsp.server.startup.code_cache import AT_FIRST, COMPILING, CodeCache

    first = CodeCache.of_user("start")
    first.intercept(*AT_FIRST)
    from waza_lsp.server.startup.early_answers import EarlyAnswers
    from waza_lsp.server.transport.framing import Frames

    early = EarlyAnswers(Frames(0))
    if os.name != "nt":  # Windows cannot tell whether a pipe has data.
        early.run()
    log_to(log_file)
    if early.failure is not None:
        import logging

        logging.getLogger(__name__).error("An early answer failed", exc_info=early.failure)
    first.save()
    rest = CodeCache.of_user("methods")
    rest.intercept(*COMPILING)
    _import_asyncio_without_tls()
    _import_protocol()
    _serve_session(early, rest)


def _serve_session(early: "EarlyAnswers", code_cache: "CodeCache") -> None:
    """Build the session and serve it, after what was answered early."""
    from waza_lsp.server.build import build_session
    from waza_lsp.server.memory import collect_rarely, share_one_heap
    from waza_lsp.server.transport.message_loop import serve

    session = build_session()
    session.code_cache = code_cache
    session.client.protocol.answered = early.answered
    session.client.protocol.ignore_responses(early.unanswered)
    session.publisher.mark_sent(early.published)
    collect_rarely()
    share_one_heap()
    serve(session.client, early.frames, early.waiting, session.end_children)


def _import_asyncio_without_tls() -> None:
    """Import asyncio as if Python had no TLS: the server opens no connections, and OpenSSL takes 4 MB."""
    if "ssl" not in sys.modules:
        sys.modules["ssl"] = None  # type: ignore[assignment]  # makes the import fail
        import asyncio  # noqa: F401

        del sys.modules["ssl"]


def _import_protocol() -> None:
    """Import the types of the protocol, which the early answers have deferred.

    lsprotocol creates each class twice. The first ones are garbage and would leave 8 MB of holes in the heap, so the
    import runs with frequent collections. Freezing older objects keeps these fast.
    """
    gc.freeze()
    gc.set_threshold(5_000, 10, 100)
    import linecache

    from lsprotocol import types

    types.Position  # noqa: B018  # the first access imports
    linecache.clearcache()  # attrs has stored the source of each generated method there.
    gc.freeze()
    gc.set_threshold(*_RARELY)


def log_to(path: "Path | None" = None) -> None:
    """Log to a file, by default the user's own, because editors show a server's standard error as errors."""
    import logging.handlers

    path = path or _log_file()
    if path is None:
        logging.basicConfig(level=logging.WARNING, handlers=[logging.NullHandler()], force=True)
        return
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=1_000_000, backupCount=1, delay=True)

    class WithoutSecrets(logging.Formatter):
        """The usual format; messages and tracebacks may quote endpoints and files."""

        def format(self, record: logging.LogRecord) -> str:
            # Imported late: most sessions log nothing.
            from waza_engine.lib.redaction import Redactor

            return Redactor.of(os.environ).text(super().format(record))

    handler.setFormatter(WithoutSecrets(logging.BASIC_FORMAT))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)


def _log_file() -> "Path | None":
    """Return the default log file, in a folder that only this user can enter; None if there is no such folder.

    The temporary folder is shared: another user could put a link there, or read what we write.
    """
    import stat

    from waza_engine.lib.files.temporary import state_folder
    from waza_engine.lib.system.users import is_own

    try:
        folder = state_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = folder.lstat()
        if not stat.S_ISDIR(about.st_mode) or not is_own(about):
            return None
        folder.chmod(0o700)
    except (OSError, RuntimeError):  # There is no home folder, or it cannot be written.
        return None
    return folder / "waza-lsp.log"
