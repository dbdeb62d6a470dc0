"""Loads mocks for a run: reads their fixtures and writes structured output as strings.

See docs/reference/waza-formats.md, section 4.6.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from waza_engine.dialects.waza.formats.mocks import CommandMock as CommandEntry
from waza_engine.dialects.waza.formats.mocks import CommandResponse, McpTool
from waza_engine.dialects.waza.formats.mocks import McpMock as McpEntry
from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.lib.paths import is_inside
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.suite import CommandMock, LoadError, McpMock
from waza_engine.project.reading import build


def mcp_mocks(entries: Iterable[McpEntry], eval_path: Path) -> tuple[McpMock, ...]:
    """Return the mocked servers of an eval.

    Raises:
        LoadError: fixtures are missing or invalid.

    """
    found = []
    for index, it in enumerate(entries):
        tools = {**_fixtures(it, eval_path, ("mcp_mocks", index, "fixtures")), **it.tools}
        found.append(McpMock(it.name.strip(), {name: _tool(tool) for name, tool in tools.items()}))
    return tuple(found)


def command_mocks(
    entries: Iterable[CommandEntry], path: Path, pointer: Pointer, eval_dir: Path
) -> tuple[CommandMock, ...]:
    """Return the mocked programs of an eval or a task.

    Raises:
        LoadError: a fixture is missing.

    """
    return tuple(
        CommandMock(
            it.name,
            tuple(
                _response(response, path, (*pointer, index, "responses", number), eval_dir)
                for number, response in enumerate(it.responses)
            ),
            it.expect_calls,
        )
        for index, it in enumerate(entries)
    )


def _fixtures(entry: McpEntry, eval_path: Path, pointer: Pointer) -> dict[str, McpTool]:
    if not entry.fixtures:
        return {}
    folder = eval_path.parent / entry.fixtures
    if not folder.is_dir():
        raise LoadError(eval_path, f"'fixtures': there is no directory {folder}", pointer)
    found: dict[str, McpTool] = {}
    for file in sorted(folder.glob("*.json")):
        try:
            data = json.loads(regular_bytes(file).decode("utf-8-sig"))
        except (OSError, ValueError) as error:
            raise LoadError(file, f"The fixture cannot be read: {error}") from error
        tools = data.get("tools") if isinstance(data, dict) else None
        for name, tool in (tools if isinstance(tools, dict) else {file.stem: data}).items():
            found[name] = build(McpTool, tool, file)
    if not found:
        raise LoadError(eval_path, f"'fixtures': there is no JSON file in {folder}", pointer)
    return found


def _tool(tool: McpTool) -> dict[str, Any]:
    responses = [
        {
            "match": plain(it.match),
            "match_schema": plain(it.match_schema),
            "match_regex": dict(it.match_regex),
            "return": plain(it.return_),
            "error": it.error,
        }
        for it in tool.responses
    ]
    return {"description": tool.description, "input_schema": plain(tool.input_schema), "responses": responses}


def _response(response: CommandResponse, path: Path, pointer: Pointer, eval_dir: Path) -> Mapping[str, Any]:
    return {
        "args": None if response.args is None else list(response.args),
        "args_regex": None if response.args_regex is None else list(response.args_regex),
        "environment": dict(response.environment),
        "workdir": response.workdir,
        "stdout": _stdout(response, path, pointer, eval_dir),
        "stderr": response.stderr,
        "exit_code": response.exit_code,
    }


def _stdout(response: CommandResponse, path: Path, pointer: Pointer, eval_dir: Path) -> str:
    if not response.fixture:
        value = plain(response.stdout)
        return value if isinstance(value, str) else "" if value is None else json.dumps(value) + "\n"
    file = eval_dir / response.fixture
    if not is_inside(file, eval_dir):
        raise LoadError(path, f"'fixture': '{response.fixture}' is outside {eval_dir}", (*pointer, "fixture"))
    try:
        return regular_bytes(file).decode("utf-8", "replace")
    except OSError as error:
        reason = f"'fixture': '{response.fixture}' cannot be read from {eval_dir}: {error.strerror}"
        raise LoadError(path, reason, (*pointer, "fixture")) from error
