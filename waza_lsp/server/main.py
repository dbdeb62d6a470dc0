"""`waza-lsp serve` on standard input and output. Nothing is imported here that the first answer does not need."""

import gc
import os
from typing import TYPE_CHECKING

from waza_lsp.server.put_off import put_off

if TYPE_CHECKING:
    from pathlib import Path

    from waza_lsp.server.compiled import Compiled

_NOT_YET = ("inspect", "ipaddress", "base64")
"""What `dataclasses`, `urllib.parse` and `yaml` import at once, and use for what nothing asks of them at the start."""


def serve_stdio(log_file: "Path | None" = None) -> None:
    """Answer an editor until it says that it is done."""
    # While modules are imported little is garbage, and looking for it takes a tenth of the time: that is done later.
    gc.set_threshold(500_000, 20, 100)
    for name in _NOT_YET:
        put_off(name)
    from waza_lsp.server.compiled import STARTS, WRITERS

    first = _compiled("start")
    first.serve(*STARTS)
    from waza_lsp.server.early import Early
    from waza_lsp.server.frames import Frames

    early = Early(Frames(0))
    if os.name != "nt":  # Windows cannot tell whether a pipe has something to read.
        early.run()
    log_to(log_file)
    if early.failure is not None:
        import logging

        logging.getLogger(__name__).error("An early answer failed", exc_info=early.failure)
    first.keep()
    rest = _compiled("methods")
    rest.serve(*WRITERS)
    from waza_lsp.server.start import go_on

    go_on(early, rest)


def _compiled(name: str) -> "Compiled":
    from waza_lsp.server.compiled import Compiled
    from waza_lsp.server.kept import Kept, usual_path

    path = usual_path(name)
    return Compiled(Kept(path) if path is not None else None)


def log_to(path: "Path | None" = None) -> None:
    """Log to a file, because editors show the standard error of a server as errors: a temporary one unless told."""
    import logging.handlers
    import tempfile
    from pathlib import Path

    path = path or Path(tempfile.gettempdir()) / "waza-lsp.log"
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=1_000_000, backupCount=1, delay=True)
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
