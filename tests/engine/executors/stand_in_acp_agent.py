"""A stand-in agent that speaks the Agent Client Protocol over stdio and executes its prompt, for the tests.

Prompts: `write TEXT` writes out.txt through the client, `call SERVER TOOL` calls a tool of an MCP server it was given,
`ask` asks for permission, `run COMMAND` runs a program, `sleep` never answers, `die` ends, `refuse` refuses, `fail
CODE` answers with an error, else it echoes.
"""

import json
import os
import subprocess
import sys
import time
from typing import Any

_servers: dict[str, Any] = {}
_place = {"cwd": ""}


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        parameters = request.get("params") or {}
        match request.get("method"):
            case "initialize":
                answer(request, {"protocolVersion": 1, "agentCapabilities": {}})
            case "session/new":
                _servers.update({it["name"]: it for it in parameters["mcpServers"]})
                _place["cwd"] = parameters["cwd"]
                answer(request, {"sessionId": "s-1"})
            case "session/prompt":
                text = "".join(it.get("text") or "" for it in parameters["prompt"])
                if text.startswith("fail "):
                    send({"id": request["id"], "error": {"code": int(text.split()[1]), "message": "no"}})
                    continue
                answer(
                    request,
                    {
                        "stopReason": done(text),
                        "usage": {"inputTokens": 7, "outputTokens": 2, "totalTokens": 9},
                    },
                )
            case _:
                pass


def done(text: str) -> str:
    word, _, rest = text.partition(" ")
    match word:
        case "write":
            ask(
                "fs/write_text_file",
                {"sessionId": "s-1", "path": f"{_place['cwd']}/out.txt", "content": rest},
            )
        case "call":
            server, tool = rest.split()
            tool_call(f"{server}/{tool}", called(_servers[server], tool))
        case "ask":
            outcome = ask(
                "session/request_permission",
                {
                    "sessionId": "s-1",
                    "toolCall": {"toolCallId": "p-1"},
                    "options": [
                        {"optionId": "no", "name": "No", "kind": "reject_once"},
                        {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
                    ],
                },
            )
            say(outcome["outcome"]["optionId"])
        case "run":
            ended = subprocess.run(
                rest.split(), capture_output=True, text=True, check=False
            )  # the test's own
            tool_call(rest, ended.stdout)
        case "sleep":
            say("sleeping")
            time.sleep(600)
        case "die":
            os._exit(3)
        case "refuse":
            return "refusal"
        case _:
            say(f"you said {text}")
    return "end_turn"


def called(server: dict[str, Any], tool: str) -> str:
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {}}}
    ended = subprocess.run(  # the server that the eval names
        [server["command"], *server["args"]],
        input=json.dumps(request) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    return str(json.loads(ended.stdout)["result"]["content"][0]["text"])


def tool_call(title: str, result: str) -> None:
    update(
        {
            "sessionUpdate": "tool_call",
            "toolCallId": "t-1",
            "title": title,
            "kind": "execute",
            "rawInput": {"x": 1},
        }
    )
    update(
        {
            "sessionUpdate": "tool_call_update",
            "toolCallId": "t-1",
            "status": "completed",
            "rawOutput": {"content": result},
        }
    )
    say(result)


def say(text: str) -> None:
    update({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})


def update(what: dict[str, Any]) -> None:
    send({"method": "session/update", "params": {"sessionId": "s-1", "update": what}})


def ask(method: str, parameters: dict[str, Any]) -> Any:
    send({"id": 99, "method": method, "params": parameters})
    return json.loads(sys.stdin.readline()).get("result")


def answer(request: dict[str, Any], result: Any) -> None:
    send({"id": request["id"], "result": result})


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
