"""Run git for reading. The user's repository is never changed, and nothing that belongs to a repository is executed."""

import os
from pathlib import Path

from waza_engine.lib.process import run as processes
from waza_engine.lib.process.run import OUTPUT_LIMIT, ProcessResult

_SECONDS = 120.0
_GIT = (
    "git",
    # Hooks of the repository or of the user's templates must not run, nor the program that watches its files.
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"),
    # A folder that only looks like a repository may bring settings that name programs.
    *("-c", "safe.bareRepository=explicit"),
    *("-c", "advice.detachedHead=false"),
)


def git(
    directory: Path, *arguments: str, stdin: bytes = b"", output_limit: int = OUTPUT_LIMIT
) -> ProcessResult:
    """Run git in a directory and return how it ended.

    Raises:
        OSError: git cannot be started.
        ValueError: an argument contains a NUL or a lone surrogate.

    """
    # If we run inside a git hook, GIT_DIR and the like would point git to the wrong repository.
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    # A partial clone would fetch what it lacks, with the programs of its settings.
    environment |= {"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    return processes.run(
        [*_GIT, *arguments],
        cwd=directory,
        seconds=_SECONDS,
        stdin=stdin,
        env=environment,
        output_limit=output_limit,
    )
