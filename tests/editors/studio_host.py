"""A studio with its own process, for tests and pictures in a browser."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SECONDS_TO_END = 20


@contextmanager
def running_studio(home: Path, *options: str) -> Iterator[str]:
    """Start `waza-lsp studio --demo`, and yield the address that it prints. `home` holds what it would write elsewhere."""
    environment = {
        **os.environ,
        "XDG_STATE_HOME": str(home),
        "XDG_CACHE_HOME": str(home),
        "TMPDIR": str(home),
    }
    command = [sys.executable, "-m", "waza_lsp", "studio", "--demo", "--no-open", *options]
    with tempfile.TemporaryFile() as told:
        studio = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=told, env=environment, text=True
        )
        try:
            assert studio.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", studio.stdout.readline())
            told.seek(0)
            assert found, told.read().decode()
            yield found[0]
        finally:
            studio.send_signal(signal.SIGINT)
            try:
                studio.wait(_SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                studio.kill()
                studio.wait()
                raise
            finally:
                assert studio.stdout is not None
                studio.stdout.close()
