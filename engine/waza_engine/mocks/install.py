"""Puts the mocks of a trial where its agent finds them: programs on the PATH, servers as commands to start.

All of it stands in a folder of its own outside the workspace, which graders and recordings would otherwise see.
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

from waza_engine.lib.files.temporary import temporary_folder
from waza_engine.mocks.command_name import is_command_name
from waza_engine.model.suite import CommandMock, McpMock
from waza_engine.model.trajectory import CommandInvocation

_LOG = "calls.jsonl"


@dataclass(frozen=True, slots=True)
class Installed:
    """The mocks of one trial. `environment` is for the agent's process, `servers` beat those of the same name."""

    folder: Path
    environment: Mapping[str, str]
    servers: Mapping[str, Any]

    def invocations(self) -> list[CommandInvocation]:
        """The calls of mocked programs so far."""
        try:
            lines = (self.folder / _LOG).read_text(encoding="utf-8").splitlines()
        except OSError:
            return []
        return [CommandInvocation.model_validate_json(it) for it in lines]


@contextmanager
def installed(
    commands: Iterable[CommandMock], servers: Iterable[McpMock], workspace: Path, path: str
) -> Iterator[Installed]:
    """The mocks, for as long as the trial goes on. `path` is the PATH without them.

    Raises:
        OSError: the temporary folder cannot be written.
        ValueError: a program's name is none, so that its file would stand somewhere else.

    """
    commands, servers = tuple(commands), tuple(servers)
    if not commands and not servers:
        yield Installed(Path(), {}, {})
        return
    with temporary_folder() as folder:
        environment = (
            {"PATH": os.pathsep.join([str(_programs(folder, commands, workspace)), path])} if commands else {}
        )
        yield Installed(
            folder, environment, {it.name: _server(folder, number, it) for number, it in enumerate(servers)}
        )


def _programs(folder: Path, commands: Iterable[CommandMock], workspace: Path) -> Path:
    programs = folder / "bin"
    programs.mkdir()
    for number, it in enumerate(commands):
        if not is_command_name(it.name):
            raise ValueError(f"{it.name!r} is no name of a program")
        mock = {"responses": list(it.responses), "workspace": str(workspace), "log": str(folder / _LOG)}
        spec = _written(folder / f"{number}.command.json", mock)
        argv = [*_python("command"), str(spec), it.name]
        if sys.platform == "win32":
            line = " ".join(f'"{part}"' for part in argv)
            (programs / f"{it.name}.cmd").write_text(f"@{line} %*\n", encoding="utf-8")
            continue
        program = programs / it.name
        program.write_text(f'#!/bin/sh\nexec {shlex.join(argv)} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    return programs


def _server(folder: Path, number: int, mock: McpMock) -> dict[str, Any]:
    # The name is any text: it must not say where the file stands.
    spec = _written(folder / f"{number}.mcp.json", {"name": mock.name, "tools": dict(mock.tools)})
    command, *args = _python("mcp_server")
    return {"type": "stdio", "command": command, "args": [*args, str(spec)]}


def _python(module: str) -> list[str]:
    """What starts a module of this package, wherever it is started: nothing of the agent's folder is imported."""
    root = str(Path(__file__).parents[2])
    code = f"import sys; sys.path.append({root!r}); from waza_engine.mocks.{module} import main; main()"
    return [sys.executable, "-P", "-c", code]


def _written(path: Path, data: Mapping[str, Any]) -> Path:
    path.write_text(json.dumps(data), encoding="utf-8")
    return path
