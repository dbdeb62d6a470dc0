"""Run a mocked MCP server over stdio: `python -m waza_engine.mocks.mcp_server MOCK.json`.

It implements the part of the protocol that an agent needs to list and call tools, one JSON object per line. A call gets
the first matching response; a call without one, of an unknown tool, or after the last step of a sequence gets a tool
error, which the agent can read (docs/reference/waza-formats.md, section 4.6; docs/reference/waza-newest.md, section 5).
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Lock, Thread
from typing import Any, TextIO

from waza_engine.lib.go.regexp import regex_matches
from waza_engine.mocks.sequence import EXHAUSTED, next_step, wait_for

_VERSION = "2025-06-18"
_METHOD_NOT_FOUND, _NO_JSON = -32601, -32700


def main() -> None:
    """Serve the mock in the file of the first argument until the input ends."""
    mock = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    serve(mock, sys.stdin, sys.stdout)


def serve(mock: Mapping[str, Any], requests: TextIO, replies: TextIO) -> None:
    """Answer every request, one per line. A delayed answer does not keep later requests waiting."""
    lock, delayed = Lock(), []

    def send(reply: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        wait_for(answer)
        with lock:
            replies.write(json.dumps(reply) + "\n")
            replies.flush()

    for line in requests:
        if not line.strip() or (made := _reply(mock, line)) is None:
            continue
        reply, answer = made
        if answer.get("delay_ms"):
            delayed.append(Thread(target=send, args=(reply, answer)))
            delayed[-1].start()
        else:
            send(reply, answer)
    for it in delayed:
        it.join()


def call_tool(mock: Mapping[str, Any], name: str, arguments: Any) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """Return the result of `tools/call` for a tool, and the answer of the mock that it was made from."""
    tool = mock["tools"].get(name)
    if tool is None:
        return _error(f"unknown tool: {name}"), {}
    for index, response in enumerate(tool.get("responses") or ()):
        if _matches(response, arguments):
            answer: Mapping[str, Any] | None = response
            if response.get("sequence"):
                number = list(mock["tools"]).index(name)
                answer = next_step(response["sequence"], Path(f"{mock['used']}.{number}.{index}"))
            if answer is None:
                return _error(f"{name}: {EXHAUSTED}"), {}
            error = answer.get("error")
            return _error(str(error)) if error else _result(answer.get("return")), answer
    return _error(f"no mocked response of {name} matches these arguments"), {}


def _error(message: str) -> dict[str, Any]:
    return _result(message, is_error=True)


def _reply(mock: Mapping[str, Any], line: str) -> tuple[dict[str, Any], Mapping[str, Any]] | None:
    """Return the reply to a request and the mocked answer that it contains, if any; None for a notification."""
    try:
        request = json.loads(line)
    except ValueError:
        return _message(None, error={"code": _NO_JSON, "message": "not valid JSON"}), {}
    if not isinstance(request, dict) or "id" not in request:
        return None
    if request.get("method") == "tools/call":
        parameters = request.get("params") or {}
        name, arguments = str(parameters.get("name") or ""), parameters.get("arguments") or {}
        result, answer = call_tool(mock, name, arguments)
        return _message(request["id"], result), answer
    return _result_of(mock, request), {}


def _result_of(mock: Mapping[str, Any], request: Mapping[str, Any]) -> dict[str, Any]:
    identity, parameters = request["id"], request.get("params") or {}
    match request.get("method"):
        case "initialize":
            return _message(identity, _introduction(mock, parameters))
        case "ping":
            return _message(identity, {})
        case "tools/list":
            return _message(identity, {"tools": [_tool_json(*it) for it in mock["tools"].items()]})
        case method:
            unknown = {"code": _METHOD_NOT_FOUND, "message": f"unknown method: {method}"}
            return _message(identity, error=unknown)


def _introduction(mock: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "protocolVersion": parameters.get("protocolVersion") or _VERSION,
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": mock["name"], "version": "0"},
    }


def _tool_json(name: str, tool: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "description": tool.get("description") or "",
        "inputSchema": tool.get("input_schema") or {"type": "object"},
    }


def _matches(response: Mapping[str, Any], arguments: Any) -> bool:
    expected, schema, patterns = (response.get(it) for it in ("match", "match_schema", "match_regex"))
    if expected is not None and expected != arguments:
        return False
    if schema is not None and not _is_valid(schema, arguments):
        return False
    values = arguments if isinstance(arguments, dict) else {}
    return all(
        key in values and regex_matches(pattern, _as_text(values[key])) is True
        for key, pattern in (patterns or {}).items()
    )


def _is_valid(schema: Any, arguments: Any) -> bool:
    from jsonschema import Draft202012Validator, exceptions  # only mocks with a schema pay for the import

    try:
        return bool(Draft202012Validator(schema).is_valid(arguments))
    except (exceptions.SchemaError, TypeError):
        return False


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _result(value: Any, *, is_error: bool = False) -> dict[str, Any]:
    result: dict[str, Any] = {"content": [{"type": "text", "text": _as_text(value)}], "isError": is_error}
    if isinstance(value, dict) and not is_error:
        result["structuredContent"] = value
    return result


def _message(identity: Any, result: Any = None, error: Any = None) -> dict[str, Any]:
    body = {"result": result} if error is None else {"error": error}
    return {"jsonrpc": "2.0", "id": identity, **body}


if __name__ == "__main__":
    main()
