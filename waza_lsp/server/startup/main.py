"""`waza-lsp serve` on standard input and output. Nothing is imported here that the first answer does not need."""

import gc
import os
import sys
from typing import TYPE_CHECKING

from waza_lsp.lazy_import import put_off

if TYPE_CHECKING:
    from pathlib import Path


_RARELY = (500_000, 20, 100)
_NOT_AT_FIRST = (
    "inspect",  # by dataclasses
    "copy",  # by dataclasses
    "ipaddress",  # by urllib.parse
    "base64",  # by yaml
    "bz2",  # by shutil
    "lzma",  # by shutil
    "difflib",  # for names that are near to a misspelt one
)
_NOT_YET = (
    "pickle",  # by logging
    "secrets",  # by pydantic, and for names of temporary files
    "hashlib",  # for the names of what is kept
    "regex",  # for the few patterns that RE2 cannot match
)
"""What is imported at once, and used for what nothing asks of it at the start."""


def serve_stdio(log_file: "Path | None" = None) -> None:
    """Answer an editor until it says that it is done."""
    # While modules are imported little is garbage, and looking for it takes a tenth of the time: that is done later.
    gc.set_threshold(*_RARELY)
    for name in _NOT_AT_FIRST:
        put_off(name)
    from waza_lsp.server.startup.code_cache import STARTS, WRITERS, Compiled

    first = Compiled.usual("start")
    first.serve(*STARTS)
    from waza_lsp.server.startup.early_answers import Early
    from waza_lsp.server.transport.framing import Frames

    early = Early(Frames(0))
    if os.name != "nt":  # Windows cannot tell whether a pipe has something to read.
        early.run()
    for name in _NOT_YET:
        put_off(name)
    log_to(log_file)
    if early.failure is not None:
        import logging

        logging.getLogger(__name__).error("An early answer failed", exc_info=early.failure)
    first.keep()
    rest = Compiled.usual("methods")
    rest.serve(*WRITERS)
    _without_tls()
    _with_protocol()
    from waza_lsp.server.build import go_on

    go_on(early, rest)


def _without_tls() -> None:
    """Import asyncio as where Python has no TLS: nothing here connects to anything, and OpenSSL takes 4 MB."""
    if "ssl" not in sys.modules:
        sys.modules["ssl"] = None  # type: ignore[assignment]  # that is how an import is refused
        import asyncio  # noqa: F401

        del sys.modules["ssl"]


def _with_protocol() -> None:
    """Import the types of the protocol, an early answer having put them off.

    Each class of theirs is made twice. The first ones are garbage that would stay as holes in the heap, 8 MB of them, if
    it were not looked for meanwhile; and that is quick only if nothing older is looked through each time.
    """
    gc.freeze()
    gc.set_threshold(5_000, 10, 100)
    import linecache

    from lsprotocol import types

    types.Position  # noqa: B018  # the first look imports
    linecache.clearcache()  # attrs has put the text of each method there that it wrote.
    gc.freeze()
    gc.set_threshold(*_RARELY)


def log_to(path: "Path | None" = None) -> None:
    """Log to a file, because editors show the standard error of a server as errors: a temporary one unless told."""
    import logging.handlers
    import tempfile
    from pathlib import Path

    path = path or Path(tempfile.gettempdir()) / "waza-lsp.log"
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=1_000_000, backupCount=1, delay=True)
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
