"""Start the child interpreters, with their limits and a minimal environment.

Python is the engine's own interpreter, isolated and without site packages; JavaScript is `node` from the PATH. Both get
only the environment variables that an interpreter needs to start.
"""

import json
import os
import shutil
import subprocess
import sys
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.assertions.workers import Workers
from waza_engine.lib.process import run as processes
from waza_engine.lib.system.linux import limit_data

TIME_LIMIT_SECONDS = 10.0
"""The limit for all Python assertions of one grader together. waza has only the limit of the whole run."""
JAVASCRIPT_MILLISECONDS = 5_000
"""The limit for one JavaScript assertion, as in waza. Beyond it the assertion fails."""
_MEMORY_BYTES = 1 << 30
_OUTPUT_BYTES = 10_000_000
_NODE_HEAP_MB = 512
_NODE_OPTIONS = (
    f"--max-old-space-size={_NODE_HEAP_MB}",
    "--disallow-code-generation-from-strings",
    "--frozen-intrinsics",
    "--no-warnings",
)
_ABOUT_NODE = """
const known = process.allowedNodeEnvironmentFlags;
const permission = ["--permission", "--experimental-permission"].find((it) => known.has(it)) ?? "";
process.report.excludeNetwork = true;
console.log(JSON.stringify([permission, process.report.getReport().sharedObjects]));
"""
_ABOUT_SECONDS = 30.0
_NODE_FILES = ("/etc/ld.so.cache", "/etc/ssl/openssl.cnf", "/usr/share/nodejs")
"""What Node.js reads besides its libraries; Debian keeps parts of it as files."""
_ISOLATED = ("-I", "-S", "-X", "utf8", "-c")
"""Options of Python for an interpreter that sees nothing of its surroundings."""
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
    # The interpreter of a virtual environment reads a file outside of the wall to find the real one.
    interpreter = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
    command = [interpreter, *_ISOLATED, _source("python_worker.py"), settings]
    return processes.start(_behind_wall(command, python=True), env=_environment())


def _start_node() -> subprocess.Popen[bytes]:
    node = shutil.which("node")
    if node is None:
        raise NodeMissingError("JavaScript assertions need Node.js, but 'node' is not on the PATH")
    about = _node(os.path.realpath(node))
    command = [about.path, *about.options, "-e", _source("javascript_worker.js")]
    worker = processes.start(_behind_wall(command, read=about.files), env=_environment())
    # Memory outside the JavaScript heap (array buffers).
    limit_data(worker.pid, _NODE_DATA_BYTES)
    return worker


def _behind_wall(command: list[str], *, python: bool = False, read: tuple[str, ...] = ()) -> list[str]:
    """Return the command that builds the wall and then becomes `command`; itself where no wall can be built."""
    if sys.platform != "linux":
        return command
    settings = json.dumps({"python": python, "read": read, "threads_only": not python})
    return [sys.executable, *_ISOLATED, _source("wall.py"), settings, *command]


class _Node(NamedTuple):
    """An installed Node.js: its real path, its options, and the files that it reads when it starts."""

    path: str
    options: tuple[str, ...]
    files: tuple[str, ...]


@cache
def _node(path: str) -> _Node:
    """Ask Node.js for the libraries it has loaded, and whether it has permissions of its own."""
    environment = {**_environment(), "NODE_OPTIONS": ""}
    done = processes.run(
        [path, "-e", _ABOUT_NODE], cwd=Path(path).parent, seconds=_ABOUT_SECONDS, env=environment
    )
    try:
        permission, libraries = json.loads(done.stdout)
    except ValueError as error:
        raise NodeMissingError(f"JavaScript assertions need Node.js, but '{path}' does not work") from error
    # Without code from strings, no object of the interpreter's own realm leads to `process`.
    options = (*_NODE_OPTIONS, *([permission] if permission else []))
    return _Node(path, options, (*libraries, *_NODE_FILES))


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.upper() in _INHERITED}


def _source(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
