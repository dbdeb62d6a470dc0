"""The tool `run`: the only one that starts agents. It exists only with --allow-run, in a folder that the user trusts."""

import asyncio
import os
import sys
from collections.abc import Sequence

from waza_engine.lib.process import reaper
from waza_engine.lib.process.reaper import kill_session
from waza_engine.lib.process.spawn import start_program
from waza_lsp.cli.mcp.folder import Folder, ToolRefusedError, data

_VERDICTS = frozenset([0, 1, 3])
_MOST_BYTES = 8_000_000


async def run_eval(folder: Folder, path: str, tasks: Sequence[str], executor: str) -> str:
    """Run an eval in a process of its own and return its report. A cancelled call ends the process and what it started.

    Raises:
        ToolRefusedError: the path is wrong, or the run could not be done.

    """
    options = [option for it in tasks for option in ("--task", it)]
    options += ["--executor", executor] if executor else []
    process = await start_program(
        *(sys.executable, "-P", "-m", "waza_lsp", "run", os.fspath(folder.path(path)), *options),
        cwd=folder.root,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        text = await _read(process)
        status = await process.wait()
    finally:
        if process.returncode is None:
            kill_session(process.pid)
        reaper.unwatch(process.pid)
    if status not in _VERDICTS:
        raise ToolRefusedError(data("message of the run", text))
    return data("report of the run", text)


async def _read(process: asyncio.subprocess.Process) -> str:
    """Return the end of the output, which has the verdict."""
    if process.stdout is None:
        return ""
    kept = b""
    while part := await process.stdout.read(65_536):
        kept = (kept + part)[-_MOST_BYTES:]
    return kept.decode("utf-8", "replace")
