"""A chat endpoint on loopback that plays a script: what the Copilot CLI talks to in these tests.

A step is a text, or a tool call (name, arguments). The number of assistant messages so far chooses the step: the CLI adds
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

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The completion for one request."""
        self.requests.append(request)
        time.sleep(self.delay_seconds)
        done = sum(it["role"] == "assistant" for it in request["messages"])
        step = self.decide(request) if self.decide else self.script[min(done, len(self.script) - 1)]
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


@contextmanager
def stand_in_model() -> Iterator[StandInModel]:
    """The model, being served."""
    model = StandInModel()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer, streams = model.answer(request), bool(request.get("stream"))
            data = as_stream(answer) if streams else json.dumps(answer).encode()
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
