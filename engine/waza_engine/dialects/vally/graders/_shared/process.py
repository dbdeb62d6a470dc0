"""Child processes of vally's graders: input, working directory, limits and `sub_path` checks.

See docs/reference/vally.md, sections 7.7 and 7.8.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from waza_engine.dialects.vally.fields import Text, has_placeholder, milliseconds
from waza_engine.dialects.vally.trajectory import metrics
from waza_engine.dialects.vally.trajectory.events import Event, events_of, message_events_of
from waza_engine.graders.base import GradeError, GradingContext
from waza_engine.lib.paths import escape_reason, is_directory, real_path
from waza_engine.lib.process import run as processes
from waza_engine.lib.process.environment import program_environment, withheld_note
from waza_engine.lib.process.run import ProcessResult
from waza_engine.lib.process.sandbox import confined
from waza_engine.model.findings import Finding
from waza_engine.model.schema_marks import marks
from waza_engine.rules.escaping_path import ESCAPING_PATH

_SAID_BYTES = 4000


def grader_input(context: GradingContext, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the input of a `program` grader as plain data."""
    stimulus = {"name": context.task.get("name"), "prompt": context.prompt, "rubric": list(context.rubric)}
    trajectory = {
        "id": context.session_id,
        "stimulus": stimulus,
        "events": list(known_events(context)),
        "metrics": _known_metrics(context),
        "output": context.output,
        "workDir": str(context.workspace_dir or ""),
        "metadata": {"sessionID": context.session_id},
        "workspaceStatus": context.workspace_status,
    }
    return {"trajectory": trajectory, "stimulus": stimulus, "config": dict(config)}


def known_events(context: GradingContext) -> list[Event]:
    """Return the events, without calls and skills if the executor did not record them."""
    try:
        return list(events_of(context))
    except GradeError:
        return list(message_events_of(context))


def _known_metrics(context: GradingContext) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, metric in _METRICS.items():
        try:
            found[name] = metric(context)
        except GradeError:
            continue
    spent = {"totalTokens": found.pop("tokens", None)}
    return {**found, "tokenUsage": spent, **(context.metrics or {})}


_METRICS = {
    "wallTimeMs": metrics.wall_time_ms,
    "turnCount": metrics.turn_count,
    "toolCallCount": metrics.tool_call_count,
    "errorCount": metrics.error_count,
    "tokens": metrics.tokens,
}

SubPath = Annotated[
    Text,
    Field(
        description="Subdirectory of the workspace to run in.",
        examples=["packages/core"],
        json_schema_extra=marks(path=("workspace", "directory")),
    ),
]
"""The option `sub_path`."""


class NoDirectoryError(Exception):
    """No directory to run in; the message gives the reason."""


def shell_line(line: str) -> list[str]:
    """Return the command that runs a line in the system's shell."""
    return ["cmd.exe", "/d", "/s", "/c", line] if sys.platform == "win32" else ["/bin/sh", "-c", line]


def directory_for(context: GradingContext, sub_path: str) -> Path:
    """Return the directory to start a child in: the workspace or, links resolved, a directory in it.

    Raises:
        NoDirectoryError: there is no such directory.

    """
    workspace = context.workspace_dir
    if workspace is None or context.workspace_status == "remote":
        raise NoDirectoryError("the workspace is not available")
    try:
        directory = real_path(workspace / sub_path)
    except (OSError, RuntimeError, ValueError) as error:
        raise NoDirectoryError(f"'{sub_path}' is not a directory: {error}") from error
    if not directory.is_relative_to(real_path(workspace)):
        raise NoDirectoryError(f"'{sub_path}' is not inside the workspace")
    if not is_directory(directory):
        raise NoDirectoryError(f"the workspace has no directory '{sub_path}'")
    return directory


def run_child(
    command: Sequence[str], cwd: Path, timeout: str, env: Mapping[str, str], workspace: Path | None
) -> ProcessResult:
    """Run a child process within the usual limits; `env` extends the environment of programs.

    In a sandbox it may change only the `workspace`.

    Raises:
        OSError: the child cannot be started.
        ValueError: an argument contains a NUL or a lone surrogate.

    """
    environment = program_environment(os.environ, env, directory=cwd)
    inside = confined(command, cwd=cwd, environment=environment, writable=[workspace])
    return processes.run(inside, cwd=cwd, seconds=(milliseconds(timeout) or 0) / 1000, env=environment)


def withheld_by(finished: ProcessResult) -> str:
    """Return a sentence about the credentials that a failed child names and did not get, or ""."""
    said = (finished.stdout[-_SAID_BYTES:] + finished.stderr[-_SAID_BYTES:]).decode("utf-8", "replace")
    return withheld_note(os.environ, said)


def abnormal_end(finished: ProcessResult, timeout: str) -> str:
    """Describe how a child was ended; empty if it exited by itself."""
    if finished.timed_out:
        return f"timed out after {timeout} and was stopped"
    return f"was killed by signal {-finished.status}" if finished.status < 0 else ""


def sub_path_refusals(sub_path: str) -> Iterator[Finding]:
    """Yield findings on `sub_path` that prevent a run."""
    is_root = not sub_path.strip("./") and ".." not in sub_path.split("/") and not sub_path.startswith("/")
    if has_placeholder(sub_path) or is_root:
        return
    if reason := escape_reason(sub_path):
        yield ESCAPING_PATH.at(
            ("sub_path",), f"{reason}: nothing is run. Use a directory of the workspace", refused=True
        )


_PASSES_WITHOUT_TESTS = re.compile(
    r"""(?<![\w./-])(?:
        (?:go|cargo|swift|mix)\s+test\b
      | (?:rspec|ctest)\b
      | (?:mvn|\./mvnw)\s.*\b(?:test|verify)\b
      | (?:gradle|\./gradlew)\s.*\b(?:test|check)\b
      | node\s+--test\b
    )
    | --pass-?with-?no-?tests\b""",
    re.VERBOSE | re.IGNORECASE,
)
"""Test runners, and a flag of others, with which a run without any test exits with status 0.

Not pytest, jest, vitest, mocha, playwright, deno, dart and dotnet, which fail then, nor `npm test` and `make test`,
which may run anything.
"""


def passes_without_tests(line: str) -> bool:
    """Whether a command line starts a test runner that exits with status 0 if it finds no tests."""
    return _PASSES_WITHOUT_TESTS.search(line[:2000]) is not None
