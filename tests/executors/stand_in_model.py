"""A model endpoint on loopback that plays a script: what the Copilot CLI and Claude Code talk to in these tests.

It speaks chat completions and, at a path that ends with `/messages`, the Messages API. A step is a text, or a tool call (name, arguments). The number of assistant messages so far chooses the step: the CLI adds
messages of the user by itself, so those cannot be counted.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Step = str | tuple[str, dict[str, Any]]


@dataclass
class StandInModel:
    """What it will say (as `script` or `decide` have it), what it was asked, and how long it thinks about it."""

    script: list[Step] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    delay_seconds: float = 0.0
    decide: Callable[[dict[str, Any]], Step] | None = None
    url: str = ""

    def environment(self, home: Path) -> dict[str, str]:
        """What makes a Copilot CLI use this model, offline, with a state of its own."""
        return {
            "COPILOT_HOME": str(home),
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": self.url,
            "COPILOT_PROVIDER_API_KEY": "stand-in-key",
            "COPILOT_MODEL": "stand-in",
        }

    def claude_environment(self, home: Path) -> dict[str, str]:
        """What makes Claude Code use this model, and nothing else of the network, with a state of its own."""
        return {
            "HOME": str(home),
            "CLAUDE_CONFIG_DIR": str(home / ".claude"),
            "ANTHROPIC_BASE_URL": self.url.removesuffix("/v1"),
            "ANTHROPIC_API_KEY": "stand-in-key",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def tools(self) -> set[str]:
        """The names of the tools that were offered."""
        every = [it for request in self.requests for it in request.get("tools", [])]
        return {str(it.get("function", it)["name"]) for it in every}

    def message(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer of the Messages API to one request. Requests without tools are not part of the script."""
        done, step = self._step(request) if request.get("tools") else (0, "ok")
        block: dict[str, Any] = {"type": "text", "text": step}
        if not isinstance(step, str):
            block = {"type": "tool_use", "id": f"toolu_{done}", "name": step[0], "input": step[1]}
        return {
            "id": f"msg_{done}",
            "type": "message",
            "role": "assistant",
            "model": request["model"],
            "content": [block],
            "stop_reason": "end_turn" if isinstance(step, str) else "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 3},
        }

    def _step(self, request: dict[str, Any]) -> tuple[int, Step]:
        self.requests.append(request)
        time.sleep(self.delay_seconds)
        done = sum(it["role"] == "assistant" for it in request["messages"])
        return done, self.decide(request) if self.decide else self.script[min(done, len(self.script) - 1)]

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The completion for one request."""
        done, step = self._step(request)
        message: dict[str, Any] = {"role": "assistant", "content": step}
        if not isinstance(step, str):
            function = {"name": step[0], "arguments": json.dumps(step[1])}
            calls = [{"id": f"call-{done}", "type": "function", "function": function}]
            message = {"role": "assistant", "content": None, "tool_calls": calls}
        finish = "stop" if isinstance(step, str) else "tool_calls"
        return {
            "id": "x",
            "object": "chat.completion",
            "model": "stand-in",
            "created": 1,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13},
        }


def as_stream(answer: dict[str, Any]) -> bytes:
    """The same answer as server-sent events, in one piece."""
    choice = answer["choices"][0]
    calls = [{**it, "index": i} for i, it in enumerate(choice["message"].get("tool_calls", []))]
    delta = {**choice["message"], **({"tool_calls": calls} if calls else {})}
    chunk = {**answer, "object": "chat.completion.chunk"}
    pieces = [
        {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}], "usage": None},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]},
    ]
    return "".join(f"data: {it}\n\n" for it in (*map(json.dumps, pieces), "[DONE]")).encode()


def as_message_stream(answer: dict[str, Any]) -> bytes:
    """An answer of the Messages API as server-sent events, each block in one piece."""
    block = answer["content"][0]
    if block["type"] == "text":
        start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    end = {"stop_reason": answer["stop_reason"], "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**answer, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {it['type']}\ndata: {json.dumps(it)}\n\n" for it in events).encode()


@contextmanager
def stand_in_model() -> Iterator[StandInModel]:
    """The model, being served."""
    model = StandInModel()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            streams = bool(request.get("stream"))
            is_message = self.path.partition("?")[0].endswith("/messages")
            answer = model.message(request) if is_message else model.answer(request)
            stream = as_message_stream if is_message else as_stream
            data = stream(answer) if streams else json.dumps(answer).encode()
            try:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream" if streams else "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                pass  # the agent was ended in the meantime

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    model.url = f"http://127.0.0.1:{server.server_port}/v1"
    yield model
    server.shutdown()
    server.server_close()
