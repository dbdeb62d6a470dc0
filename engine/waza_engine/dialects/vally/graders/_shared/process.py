"""Child processes of vally's graders: where they start, and what is wrong with a `sub_path`.

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
from waza_engine.dialects.vally.trajectory.events import Event, events_of, spoken_events_of
from waza_engine.graders.base import GradeError, GradingContext
from waza_engine.lib.paths import escape_reason, is_directory
from waza_engine.lib.process import run as processes
from waza_engine.lib.process.run import ProcessResult
from waza_engine.model.findings import Finding
from waza_engine.model.schema_marks import marks
from waza_engine.rules.escaping_path import ESCAPING_PATH


def grader_input(context: GradingContext, config: Mapping[str, Any]) -> dict[str, Any]:
    """The input as plain data."""
    stimulus = {"name": context.task.get("name"), "prompt": context.prompt, "rubric": list(context.rubric)}
    trajectory = {
        "id": context.session_id,
        "stimulus": stimulus,
        "events": list(known_events(context)),
        "metrics": _measures(context),
        "output": context.output,
        "workDir": str(context.workspace_dir or ""),
        "metadata": {"sessionID": context.session_id},
        "workspaceStatus": context.workspace_status,
    }
    return {"trajectory": trajectory, "stimulus": stimulus, "config": dict(config)}


def known_events(context: GradingContext) -> list[Event]:
    """The events; without calls and skills when the executor of the recording does not know them."""
    try:
        return list(events_of(context))
    except GradeError:
        return list(spoken_events_of(context))


def _measures(context: GradingContext) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, measure in _MEASURES.items():
        try:
            found[name] = measure(context)
        except GradeError:
            continue
    spent = {"totalTokens": found.pop("tokens", None)}
    return {**found, "tokenUsage": spent, **(context.metrics or {})}


_MEASURES = {
    "wallTimeMs": metrics.wall_time_ms,
    "turnCount": metrics.turn_count,
    "toolCallCount": metrics.tool_call_count,
    "errorCount": metrics.error_count,
    "tokens": metrics.tokens,
}

SubPath = Annotated[
    Text,
    Field(
        description="The directory below the workspace to run in.",
        examples=["packages/core"],
        json_schema_extra=marks(path=("workspace", "directory")),
    ),
]
"""The option `sub_path`."""


class NoPlaceError(Exception):
    """There is no directory to run in; the text says why."""


def shell_line(line: str) -> list[str]:
    """The command that has a line read by the system's shell."""
    return ["cmd.exe", "/d", "/s", "/c", line] if sys.platform == "win32" else ["/bin/sh", "-c", line]


def directory_for(context: GradingContext, sub_path: str) -> Path:
    """The directory that a child starts in: the workspace or one below it, also when links are followed.

    Raises:
        NoPlaceError: there is none.

    """
    workspace = context.workspace_dir
    if workspace is None or context.workspace_status == "remote":
        raise NoPlaceError("there is no workspace here")
    try:
        place = (workspace / sub_path).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise NoPlaceError(f"'{sub_path}' is no directory: {error}") from error
    if not place.is_relative_to(workspace.resolve()):
        raise NoPlaceError(f"'{sub_path}' is not inside the workspace")
    if not is_directory(place):
        raise NoPlaceError(f"the workspace has no directory '{sub_path}'")
    return place


def run_child(command: Sequence[str], cwd: Path, timeout: str, env: Mapping[str, str]) -> ProcessResult:
    """Run a child under the limits of all children; `timeout` is a duration, `env` is added to our environment.

    Raises:
        OSError: it cannot be started.
        ValueError: an argument holds a NUL or a lone surrogate.

    """
    return processes.run(
        command, cwd=cwd, seconds=(milliseconds(timeout) or 0) / 1000, env={**os.environ, **env}
    )


def ending(finished: ProcessResult, timeout: str) -> str:
    """How a child ended that did not end with a status of its own; empty when it did."""
    if finished.timed_out:
        return f"took longer than {timeout} and was stopped"
    return f"was ended by signal {-finished.status}" if finished.status < 0 else ""


def sub_path_refusals(sub_path: str) -> Iterator[Finding]:
    """Yield what forbids a run in the option `sub_path`."""
    is_root = not sub_path.strip("./") and ".." not in sub_path.split("/") and not sub_path.startswith("/")
    if has_placeholder(sub_path) or is_root:
        return
    if reason := escape_reason(sub_path):
        yield ESCAPING_PATH.at(
            ("sub_path",), f"{reason}: nothing is run. Name a directory of the workspace", refused=True
        )


_RUNNERS = re.compile(
    r"""(?<![\w./-])(?:
        (?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:test|t)\b
      | (?:npx\s+|pnpm\s+exec\s+|yarn\s+)?(?:jest|vitest|mocha|ava|playwright\s+test)\b
      | (?:pytest|py\.test|tox|nox|rspec|phpunit|ctest)\b
      | python[\d.]*\s+-m\s+(?:pytest|unittest)\b
      | (?:go|cargo|dotnet|deno|swift|mix|flutter|dart)\s+test\b
      | (?:mvn|\./mvnw)\s.*\b(?:test|verify)\b
      | (?:gradle|\./gradlew)\s.*\b(?:test|check)\b
      | node\s+--test\b
      | make\s+(?:test|check)\b
    )""",
    re.VERBOSE,
)


def runs_tests(line: str) -> bool:
    """Whether a command line starts a test runner."""
    return _RUNNERS.search(line[:2000]) is not None
