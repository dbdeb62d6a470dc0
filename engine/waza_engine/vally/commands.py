"""Child processes of vally's graders: where they start, and what is wrong with a `sub_path` (vally.md, 7.7 and 7.8)."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from waza_engine import processes
from waza_engine.findings import Finding
from waza_engine.formats.model import marks
from waza_engine.graders.base import GradingContext
from waza_engine.paths import escape_reason, is_directory
from waza_engine.processes import Finished
from waza_engine.rules.escaping_path import ESCAPING_PATH
from waza_engine.vally.fields import Text
from waza_engine.vally_values import has_placeholder, milliseconds

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


def run_child(command: Sequence[str], cwd: Path, timeout: str, env: Mapping[str, str]) -> Finished:
    """Run a child under the limits of all children; `timeout` is a duration, `env` is added to our environment.

    Raises:
        OSError: it cannot be started.
        ValueError: an argument holds a NUL or a lone surrogate.

    """
    return processes.run(
        command, cwd=cwd, seconds=(milliseconds(timeout) or 0) / 1000, env={**os.environ, **env}
    )


def ending(finished: Finished, timeout: str) -> str:
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
