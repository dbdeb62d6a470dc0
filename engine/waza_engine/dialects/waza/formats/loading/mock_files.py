"""Loads mocks for a run: reads their fixtures and writes structured output as strings.

See docs/reference/waza-formats.md, section 4.6.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from waza_engine.dialects.waza.checks.sequences import command_problems, tool_problems
from waza_engine.dialects.waza.formats.loading.mock_fixtures import (
    FixtureError,
    fixture_problems,
    fixture_tools,
)
from waza_engine.dialects.waza.formats.mocks import CommandMock as CommandEntry
from waza_engine.dialects.waza.formats.mocks import CommandResponse, CommandStep, McpTool
from waza_engine.dialects.waza.formats.mocks import McpMock as McpEntry
from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.lib.paths import is_inside
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain, plain_with_source
from waza_engine.model.suite import CommandMock, LoadError, McpMock
from waza_engine.project.reading import build


def mcp_mocks(
    entries: Iterable[McpEntry], path: Path, pointer: Pointer, eval_dir: Path
) -> tuple[McpMock, ...]:
    """Return the mocked servers of an eval or a task.

    Raises:
        LoadError: fixtures are missing or invalid.

    """
    found = []
    for index, it in enumerate(entries):
        tools = {**_fixtures(it, path, (*pointer, index, "fixtures"), eval_dir), **it.tools}
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


def refuse_bad_sequences(part: Mapping[str, Any], path: Path, base: Pointer = ()) -> None:
    """Check the sequences in the mocks of an eval or a task, whose data as written is `part`.

    Raises:
        LoadError: the first part of a sequence that waza refuses.

    """
    for key, problems in (("mcp_mocks", tool_problems), ("command_mocks", command_problems)):
        for place, mock in _mappings(part.get(key), (key,)):
            for at, it in _answering(mock, place):
                for response_at, response in _mappings(it.get("responses"), (*at, "responses")):
                    for problem in problems(plain_with_source(response)):
                        pointer = (*base, *response_at, *problem.pointer)
                        raise LoadError(path, problem.message, pointer)


def _answering(mock: Mapping[str, Any], place: Pointer) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
    """Yield the parts of a mock that have responses: a command itself, or the tools of a server."""
    yield place, mock
    tools = mock.get("tools")
    for name, it in tools.items() if isinstance(tools, dict) else ():
        if isinstance(it, dict):
            yield (*place, "tools", name), it


def _mappings(items: Any, place: Pointer) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
    for index, it in enumerate(items if isinstance(items, list) else ()):
        if isinstance(it, dict):
            yield (*place, index), it


def have_sequences(commands: Iterable[CommandMock], servers: Iterable[McpMock]) -> bool:
    """Whether any response of the mocks has a sequence."""
    responses = [
        *(response for it in commands for response in it.responses),
        *(response for it in servers for tool in it.tools.values() for response in tool["responses"]),
    ]
    return any(it["sequence"] for it in responses)


def _fixtures(entry: McpEntry, path: Path, pointer: Pointer, eval_dir: Path) -> dict[str, McpTool]:
    if not entry.fixtures:
        return {}
    folder = eval_dir / entry.fixtures
    if not folder.is_dir():
        raise LoadError(path, f"'fixtures': there is no directory {folder}", pointer)
    found: dict[str, McpTool] = {}
    files = sorted(folder.glob("*.json"))
    for file in files:
        try:
            tools = fixture_tools(regular_bytes(file).decode("utf-8-sig"), file.stem)
        except (OSError, ValueError, FixtureError) as error:
            raise LoadError(file, f"The fixture cannot be read: {error}") from error
        for name, tool in tools.items():
            if name in entry.tools:
                continue  # The eval's own tool replaces it before waza checks it.
            for problem in fixture_problems(tool):
                raise LoadError(file, f"{name}: {problem.message}")
            found[name] = build(McpTool, tool, file)
    if not files:
        raise LoadError(path, f"'fixtures': there is no JSON file in {folder}", pointer)
    return found


def _tool(tool: McpTool) -> dict[str, Any]:
    responses = [
        {
            "match": plain(it.match),
            "match_schema": plain(it.match_schema),
            "match_regex": dict(it.match_regex),
            "return": plain(it.return_),
            "error": it.error,
            "sequence": [
                {"return": plain(step.return_), "error": step.error, "delay_ms": step.delay_ms}
                for step in it.sequence or ()
            ],
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
        **_outputs(response, path, pointer, eval_dir),
        "sequence": [
            {**_outputs(it, path, (*pointer, "sequence", index), eval_dir), "delay_ms": it.delay_ms}
            for index, it in enumerate(response.sequence or ())
        ],
    }


def _outputs(
    answer: CommandResponse | CommandStep, path: Path, pointer: Pointer, eval_dir: Path
) -> Mapping[str, Any]:
    return {
        "stdout": _stdout(answer, path, pointer, eval_dir),
        "stderr": answer.stderr,
        "exit_code": answer.exit_code,
    }


def _stdout(response: CommandResponse | CommandStep, path: Path, pointer: Pointer, eval_dir: Path) -> str:
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
