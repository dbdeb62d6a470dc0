"""Tests of the mocked MCP server: its tools, the results of calls, and the protocol as a process."""

import json
import os
import subprocess
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from waza_engine.mocks.install import install_mocks
from waza_engine.mocks.mcp_server import call_tool, serve
from waza_engine.model.suite import McpMock

TOOLS: dict[str, Any] = {
    "find": {
        "description": "Finds users",
        "input_schema": {"type": "object", "properties": {"id": {"type": "integer"}}},
        "responses": [
            {"match": {"id": 7}, "return": {"name": "Ada"}},
            {"match_regex": {"query": "(?i)^inv"}, "return": ["a", "b"]},
            {
                "match_schema": {"required": ["id"], "properties": {"id": {"minimum": 100}}},
                "error": "too big",
            },
        ],
    },
    "ping": {"responses": [{"return": "pong"}]},
}


def text(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])


@pytest.mark.parametrize(
    ("tool", "arguments", "message", "is_error"),
    [
        ("find", {"id": 7}, '{"name":"Ada"}', False),
        ("find", {"id": 7, "more": 1}, "no mocked response of find matches these arguments", True),
        ("find", {"query": "INVOICE"}, '["a","b"]', False),
        ("find", {"id": 200}, "too big", True),
        ("find", {}, "no mocked response of find matches these arguments", True),
        ("ping", {}, "pong", False),
        ("ping", {"any": "thing"}, "pong", False),
        ("nope", {}, "unknown tool: nope", True),
    ],
)
def test_the_first_matching_response_is_returned(
    tool: str, arguments: dict[str, Any], message: str, *, is_error: bool
) -> None:
    result, _ = call_tool({"tools": TOOLS}, tool, arguments)
    assert (text(result), result["isError"]) == (message, is_error)


def test_a_broken_schema_or_pattern_matches_nothing() -> None:
    tools = {
        "t": {"responses": [{"match_schema": {"type": 5}}, {"match_regex": {"a": "("}}, {"return": "last"}]}
    }
    assert text(call_tool({"tools": tools}, "t", {"a": "("})[0]) == "last"


def talk(*requests: dict[str, Any] | str) -> list[dict[str, Any]]:
    replies = StringIO()
    lines = (it if isinstance(it, str) else json.dumps({"jsonrpc": "2.0", **it}) for it in requests)
    serve({"name": "users", "tools": TOOLS}, StringIO("\n".join(lines) + "\n"), replies)
    return [json.loads(it) for it in replies.getvalue().splitlines()]


def test_only_requests_are_answered() -> None:
    first, listed, unknown, broken = talk(
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2024-11-05"}},
        {"method": "notifications/initialized"},
        "",
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "resources/list"},
        "{",
    )
    assert first["result"]["protocolVersion"] == "2024-11-05"
    assert first["result"]["serverInfo"]["name"] == "users"
    assert [it["name"] for it in listed["result"]["tools"]] == ["find", "ping"]
    assert listed["result"]["tools"][1]["inputSchema"] == {"type": "object"}
    assert unknown["error"]["code"] == -32601
    assert broken["error"]["code"] == -32700


def test_it_is_a_program_that_imports_nothing_of_the_agent_s_folder(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('wrong module')", encoding="utf-8")
    with install_mocks((), [McpMock("users", TOOLS)], tmp_path, "") as mocks:
        server = mocks.servers["users"]
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ping"}}
        done = subprocess.run(
            [server["command"], *server["args"]],
            cwd=tmp_path,
            input=json.dumps(call) + "\n",
            capture_output=True,
            text=True,
            check=True,
            timeout=20,
            env={"PATH": os.environ["PATH"]},
        )
    assert json.loads(done.stdout)["result"]["content"][0]["text"] == "pong"


def call(identity: int, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"id": identity, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def converse(server: dict[str, Any], *requests: dict[str, Any]) -> list[tuple[int, str, bool]]:
    """Return identity, text and error flag of each reply of a new process of a mocked server."""
    lines = "".join(json.dumps({"jsonrpc": "2.0", **it}) + "\n" for it in requests)
    done = subprocess.run(
        [server["command"], *server["args"]],
        input=lines,
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    replies = [json.loads(it) for it in done.stdout.splitlines()]
    return [(it["id"], text(it["result"]), it["result"]["isError"]) for it in replies]


def test_each_call_takes_the_next_step_of_a_sequence_also_of_another_process(tmp_path: Path) -> None:
    steps = [{"error": "down"}, {"return": {"id": 7}}, {"return": None}]
    tools = {
        "create": {"responses": [{"match": {"title": "Door"}, "sequence": steps}, {"return": "other"}]},
        "find": {"responses": [{"sequence": [{"return": 1}]}]},
    }
    with install_mocks((), [McpMock("tracker", tools)], tmp_path, "") as mocks:
        server = mocks.servers["tracker"]
        door = call(1, "create", title="Door")
        assert converse(server, door, call(2, "create"), call(3, "find")) == [
            (1, "down", True),
            (2, "other", False),
            (3, "1", False),
        ]
        assert converse(server, door, door, door) == [
            (1, '{"id":7}', False),
            (1, "null", False),
            (1, "create: the mocked sequence is exhausted: no step is left for this call", True),
        ]


def test_a_delayed_step_does_not_keep_other_calls_waiting(tmp_path: Path) -> None:
    tools = {"slow": {"responses": [{"sequence": [{"return": "late", "delay_ms": 300}, {"return": "next"}]}]}}
    with install_mocks((), [McpMock("tracker", tools)], tmp_path, "") as mocks:
        replies = converse(mocks.servers["tracker"], call(1, "slow"), call(2, "slow"))
    assert replies == [(2, "next", False), (1, "late", False)]
