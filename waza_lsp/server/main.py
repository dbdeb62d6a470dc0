"""`waza-lsp serve` on standard input and output. Nothing is imported here that the first answer does not need."""

import gc
import os
import tempfile
from pathlib import Path

from waza_lsp.server.early import Early
from waza_lsp.server.frames import Frames


def serve_stdio(log_file: Path | None = None) -> None:
    """Answer an editor until it says that it is done."""
    # While modules are imported little is garbage, and looking for it takes a tenth of the time: that is done later.
    gc.set_threshold(500_000, 20, 100)
    early = Early(Frames(0))
    if os.name != "nt":  # Windows cannot tell whether a pipe has something to read.
        early.run()
    log_to(log_file)
    if early.failure is not None:
        import logging

        logging.getLogger(__name__).error("An early answer failed", exc_info=early.failure)
    from waza_lsp.server.compiled import WRITERS, Compiled, usual_path

    compiled = Compiled(usual_path())
    compiled.serve(*WRITERS)
    from waza_lsp.server.start import go_on

    go_on(early, compiled)


def log_to(path: Path | None = None) -> None:
    """Log to a file, because editors show the standard error of a server as errors: a temporary one unless told."""
    import logging.handlers

    path = path or Path(tempfile.gettempdir()) / "waza-lsp.log"
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=1_000_000, backupCount=1, delay=True)
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
