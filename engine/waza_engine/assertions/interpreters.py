"""Start the child interpreters, with their limits and a minimal environment.

Python is the engine's own interpreter, isolated and without site packages; JavaScript is `node` from the PATH. Both get
only the environment variables that an interpreter needs to start.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from functools import partial
from importlib.resources import files
from typing import Any

from waza_engine.assertions.workers import Workers
from waza_engine.lib.process import run as processes

TIME_LIMIT_SECONDS = 10.0
"""The limit for all Python assertions of one grader together. waza has only the limit of the whole run."""
JAVASCRIPT_MILLISECONDS = 5_000
"""The limit for one JavaScript assertion, as in waza. Beyond it the assertion fails."""
_MEMORY_BYTES = 1 << 30
_OUTPUT_BYTES = 10_000_000
_NODE_HEAP_MB = 512
_NODE_DATA_BYTES = 2 << 30
_INHERITED = frozenset(
    ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "COMSPEC", "PATHEXT"]
)


class NodeMissingError(Exception):
    """`node`, which runs JavaScript assertions, is not installed."""


def python_workers(*, fork: bool = hasattr(os, "fork"), **limits: Any) -> Workers:
    """Return workers for Python expressions and patterns; `limits` replace the defaults."""
    settings = {
        "fork": fork,
        "seconds": TIME_LIMIT_SECONDS,
        "memory_bytes": _MEMORY_BYTES,
        "output_bytes": _OUTPUT_BYTES,
        **limits,
    }
    return Workers(partial(_start_python, json.dumps(settings)), once=not fork)


def javascript_workers() -> Workers:
    """Return workers for JavaScript expressions."""
    return Workers(_start_node)


def _start_python(settings: str) -> subprocess.Popen[bytes]:
    options = ["-I", "-S", "-X", "utf8", "-c"]
    command = [sys.executable, *options, _source("python_worker.py"), settings]
    return processes.start(command, env=_environment())


def _start_node() -> subprocess.Popen[bytes]:
    node = shutil.which("node")
    if node is None:
        raise NodeMissingError("JavaScript assertions need Node.js, but 'node' is not on the PATH")
    heap = f"--max-old-space-size={_NODE_HEAP_MB}"
    worker = processes.start([node, heap, "-e", _source("javascript_worker.js")], env=_environment())
    _limit_data(worker.pid)
    return worker


def _limit_data(pid: int) -> None:
    """Limit memory outside the JavaScript heap (array buffers). Only Linux can do that for another process."""
    if sys.platform == "linux":
        import resource

        with contextlib.suppress(OSError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_DATA, (_NODE_DATA_BYTES, _NODE_DATA_BYTES))
            resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.upper() in _INHERITED}


def _source(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
