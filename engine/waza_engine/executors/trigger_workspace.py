"""The folder that an agent works in while it is asked a trigger prompt."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from waza_engine.executors.base import TriggerRequest


@contextmanager
def workspace_of(request: TriggerRequest) -> Iterator[str]:
    """A temporary folder with the request's files in it; one that cannot be written there is left out."""
    with tempfile.TemporaryDirectory(prefix="waza-lsp-", ignore_cleanup_errors=True) as folder:
        root = Path(os.path.realpath(folder))
        for it in request.files:
            with suppress(OSError):
                path = root / it.target
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(it.content)
        yield str(root)
