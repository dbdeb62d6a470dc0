"""Install the mocks of a trial: programs on the PATH, MCP servers as commands.

They are in a temporary folder outside the workspace, so that graders and recordings do not see them.
"""

import json
import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waza_engine.lib.files.safe_read import regular_text
from waza_engine.lib.files.temporary import temporary_folder
from waza_engine.mocks.command_name import is_command_name
from waza_engine.model.suite import CommandMock, McpMock
from waza_engine.model.trajectory import CommandInvocation

_LOG = "calls.jsonl"


@dataclass(frozen=True, slots=True)
class InstalledMocks:
    """The mocks of one trial. `environment` is for the agent's process; `servers` replace servers of the same name."""

    folder: Path
    environment: Mapping[str, str]
    servers: Mapping[str, Any]

    def invocations(self) -> list[CommandInvocation]:
        """Return the calls of mocked programs so far."""
        try:
            lines = regular_text(self.folder / _LOG).splitlines()
        except OSError:
            return []
        return [CommandInvocation.model_validate_json(it) for it in lines]


@contextmanager
def install_mocks(
    commands: Iterable[CommandMock], servers: Iterable[McpMock], workspace: Path, path: str
) -> Iterator[InstalledMocks]:
    """Install the mocks for the duration of a trial. `path` is the PATH without them.

    Raises:
        OSError: the temporary folder cannot be written.
        ValueError: a program's name is invalid, so its file would be in another place.

    """
    commands, servers = tuple(commands), tuple(servers)
    if not commands and not servers:
        yield InstalledMocks(Path(), {}, {})
        return
    with temporary_folder() as folder:
        environment = (
            {"PATH": os.pathsep.join([str(_programs(folder, commands, workspace)), path])} if commands else {}
        )
        yield InstalledMocks(
            folder, environment, {it.name: _server(folder, number, it) for number, it in enumerate(servers)}
        )


def _programs(folder: Path, commands: Iterable[CommandMock], workspace: Path) -> Path:
    programs = folder / "bin"
    programs.mkdir()
    for number, command in enumerate(commands):
        if not is_command_name(command.name):
            raise ValueError(f"{command.name!r} is not a valid name of a program")
        mock = {
            "responses": list(command.responses),
            "workspace": str(workspace),
            "log": str(folder / _LOG),
            "used": str(folder / f"{number}.command.used"),
        }
        spec = _write_json(folder / f"{number}.command.json", mock)
        argv = [*_python("command"), str(spec), command.name]
        if sys.platform == "win32":
            line = " ".join(f'"{part}"' for part in argv)
            (programs / f"{command.name}.cmd").write_text(f"@{line} %*\n", encoding="utf-8")
            continue
        program = programs / command.name
        program.write_text(f'#!/bin/sh\nexec {shlex.join(argv)} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    return programs


def _server(folder: Path, number: int, mock: McpMock) -> dict[str, Any]:
    # The name may be any text, so it must not be part of the path.
    used = str(folder / f"{number}.mcp.used")
    spec = _write_json(
        folder / f"{number}.mcp.json", {"name": mock.name, "tools": dict(mock.tools), "used": used}
    )
    command, *args = _python("mcp_server")
    return {"type": "stdio", "command": command, "args": [*args, str(spec)]}


def _python(module: str) -> list[str]:
    """The command that starts a module of this package from any directory, without imports from the agent's folder."""
    root = str(Path(__file__).parents[2])
    code = f"import sys; sys.path.append({root!r}); from waza_engine.mocks.{module} import main; main()"
    return [sys.executable, "-P", "-c", code]


def _write_json(path: Path, data: Mapping[str, Any]) -> Path:
    path.write_text(json.dumps(data), encoding="utf-8")
    return path
