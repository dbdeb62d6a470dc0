"""Commands around a run and its tasks (docs/reference/waza-formats.md, section 4.3).

A command is split at white space and executed without a shell, in the directory that the run was started in unless
it names another. A blank command is an error whatever `error_on_fail` says. Hooks have no time limit; a cancelled
run kills the one that is running, with its whole process group; so does the end of this process, however it comes.
What a hook has left running when it ended is the user's own.
"""

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from waza_engine.lib.process import reaper
from waza_engine.lib.process.spawn import start_program
from waza_engine.model.suite import Hook

_TAIL_BYTES = 2000


@dataclass(frozen=True, slots=True)
class HooksOutcome:
    """What became of a list of hooks: problems to tell, and the one that must stop what comes after (or "")."""

    warnings: tuple[str, ...] = ()
    error: str = ""


async def run_hooks(moment: str, hooks: Mapping[str, Sequence[Hook]], process_dir: Path) -> HooksOutcome:
    """Run the hooks for one moment (`before_run`, ...) in order, up to the first one that must not fail."""
    warnings: list[str] = []
    for index, hook in enumerate(hooks.get(moment, ())):
        problem = await _hook_problem(hook, process_dir)
        if not problem:
            continue
        told = f"hooks.{moment}[{index}] {problem}"
        if hook.error_on_fail or not hook.command.strip():
            return HooksOutcome(tuple(warnings), told)
        warnings.append(told)
    return HooksOutcome(tuple(warnings))


async def _hook_problem(hook: Hook, process_dir: Path) -> str:
    argv = hook.command.split()
    if not argv:
        return "has a blank command"
    directory = process_dir / hook.working_directory
    try:
        exit_code, output = await _run_to_end(argv, directory)
    except (OSError, ValueError) as error:
        where = "" if directory.is_dir() else f"; the directory {directory} does not exist"
        return f"({hook.command}) could not be started: {getattr(error, 'strerror', None) or error}{where}"
    if exit_code in hook.exit_codes:
        return ""
    allowed = " or ".join(str(it) for it in hook.exit_codes)
    said = f": {output}" if output else ""
    return f"({hook.command}) ended with exit code {exit_code}, expected {allowed}{said}"


async def _run_to_end(argv: Sequence[str], directory: Path) -> tuple[int, str]:
    """Run a program to its end: its exit code (negative: the signal) and the end of what it printed."""
    # A file, not a pipe: a service that a hook starts and leaves running would keep a pipe open for ever.
    with tempfile.TemporaryFile() as output:
        process = await start_program(
            *argv,
            cwd=directory,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            exit_code = await process.wait()
        except asyncio.CancelledError:
            _kill_group(process)
            await process.wait()
            raise
        finally:
            reaper.unwatch(process.pid)
        output.seek(max(0, output.seek(0, os.SEEK_END) - _TAIL_BYTES))
        return exit_code, output.read().decode("utf-8", "replace").strip()


def _kill_group(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
