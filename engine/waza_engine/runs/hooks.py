"""Run the hook commands of a run and its tasks (docs/reference/waza-formats.md, section 4.3).

A command is split at white space and runs without a shell, by default in the directory where the run was started. A
blank command is always an error, even without `error_on_fail`. Hooks have no time limit. Cancelling the run, or the end
of this process, kills a running hook with its process group. Processes that a finished hook left behind keep running.
"""

import os
import tempfile
from asyncio.subprocess import DEVNULL, STDOUT
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from waza_engine.lib.process.child import Streams, child
from waza_engine.lib.process.environment import program_environment, withheld_note
from waza_engine.lib.process.sandbox import confined
from waza_engine.lib.process.shortage import ShortageError
from waza_engine.model.suite import Hook

_TAIL_BYTES = 2000


@dataclass(frozen=True, slots=True)
class HooksOutcome:
    """Result of a list of hooks: warnings, and the error that must stop the run or task (or "")."""

    warnings: tuple[str, ...] = ()
    error: str = ""


async def run_hooks(moment: str, hooks: Mapping[str, Sequence[Hook]], process_dir: Path) -> HooksOutcome:
    """Run the hooks of one moment (`before_run`, ...) in order. Stop at the first error."""
    warnings: list[str] = []
    for index, hook in enumerate(hooks.get(moment, ())):
        problem = await _hook_problem(hook, process_dir)
        if not problem:
            continue
        message = f"hooks.{moment}[{index}] {problem}"
        if hook.error_on_fail or not hook.command.strip():
            return HooksOutcome(tuple(warnings), message)
        warnings.append(message)
    return HooksOutcome(tuple(warnings))


async def _hook_problem(hook: Hook, process_dir: Path) -> str:
    argv = hook.command.split()
    if not argv:
        return "has a blank command"
    directory = process_dir / hook.working_directory
    try:
        exit_code, output = await _run_to_end(argv, directory)
    except (OSError, ValueError, ShortageError) as error:
        where = "" if directory.is_dir() else f"; the directory {directory} does not exist"
        return f"({hook.command}) could not be started: {getattr(error, 'strerror', None) or error}{where}"
    if exit_code in hook.exit_codes:
        return ""
    allowed = " or ".join(str(it) for it in hook.exit_codes)
    details = f": {output}" if output else ""
    if note := withheld_note(os.environ, output):
        details += f". {note}"
    return f"({hook.command}) ended with exit code {exit_code}, expected {allowed}{details}"


async def _run_to_end(argv: Sequence[str], directory: Path) -> tuple[int, str]:
    """Run a program to its end. Return its exit code (negative: a signal) and the end of its output."""
    # A file, not a pipe: a service that the hook leaves running would keep a pipe open forever.
    environment = program_environment(os.environ, directory=directory)
    with tempfile.TemporaryFile() as output:
        command = confined(argv, cwd=directory, environment=environment)
        streams = Streams(DEVNULL, output, STDOUT)
        async with child(command, cwd=directory, env=environment, streams=streams) as program:
            exit_code = await program.wait()
            program.spare_descendants()
        output.seek(max(0, output.seek(0, os.SEEK_END) - _TAIL_BYTES))
        return exit_code, output.read().decode("utf-8", "replace").strip()
