"""The tool `run`: the only one that starts agents. It exists only with --allow-run, in a folder that the user trusts."""

import os
import sys
from asyncio.subprocess import DEVNULL, STDOUT
from collections.abc import Sequence

from waza_engine.lib.process.child import Streams, child, read_tail
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
    command = [sys.executable, "-P", "-m", "waza_lsp", "run", os.fspath(folder.path(path)), *options]
    async with child(command, cwd=folder.root, streams=Streams(DEVNULL, stderr=STDOUT)) as run:
        # The end of the output has the verdict.
        text = (await read_tail(run.stdout, _MOST_BYTES)).decode("utf-8", "replace")
        status = await run.wait()
    if status not in _VERDICTS:
        raise ToolRefusedError(data("message of the run", text))
    return data("report of the run", text)
