"""A chat endpoint that works and fails on command, for outages of judges."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, Any, dict[str, str]]
"""Status, body (JSON, or bytes as they are), headers. Status 0 resets the connection. `CUT` and `STALL` are no headers:
the answer ends in the middle of its body, or stands still there for these seconds."""
CUT, STALL = "cut", "stall"


def vote(word: str = "pass") -> Answer:
    """The answer of waza's judge that votes."""
    call = {"id": "c", "function": {"name": f"set_waza_grade_{word}", "arguments": '{"description": "d"}'}}
    return 200, {"choices": [{"message": {"content": "", "tool_calls": [call]}}]}, {}


def submit(score: float = 5) -> Answer:
    """The answer of vally's judge that submits a grade."""
    arguments = json.dumps({"score": score, "reasoning": "seen", "criteria": []})
    call = {"id": "c", "function": {"name": "submit_grade", "arguments": arguments}}
    return 200, {"choices": [{"message": {"content": "", "tool_calls": [call]}}]}, {}


TALK: Answer = (200, {"choices": [{"message": {"content": "All prompts passed"}}]}, {})


def refusal(status: int, headers: dict[str, str] | None = None) -> Answer:
    """An answer with an error status."""
    return status, {"error": {"message": f"no: {status}"}}, headers or {}


@dataclass
class Endpoint:
    """An endpoint whose answers `answer` chooses by the number of the request, from 0."""

    base_url: str
    answer: Callable[[int], Answer]
    requests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    is_over: threading.Event = field(default_factory=threading.Event)


@contextmanager
def endpoint(answer: Callable[[int], Answer]) -> Iterator[Endpoint]:
    """Provide an endpoint on this machine."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                number = len(here.requests)
                here.requests.append(body)
                here.paths.append(self.path)
                here.headers.append({name.lower(): value for name, value in self.headers.items()})
            messages = body["messages"]
            done = messages[-1]["role"] == "tool"
            status, data, headers = (
                (200, {"choices": [{"message": {"content": "done"}}]}, {}) if done else here.answer(number)
            )
            if not status:
                self.connection.close()
                return
            raw = data if isinstance(data, bytes) else json.dumps(data).encode()
            fault = {it: headers[it] for it in (CUT, STALL) if it in headers}
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(raw))}.items():
                if name not in fault:
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw[: len(raw) // 2] if fault else raw)
            if STALL in fault:
                here.is_over.wait(float(fault[STALL]))
            if fault:
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            pass

        def handle(self) -> None:
            with suppress(OSError, ValueError):
                super().handle()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    here = Endpoint(f"http://127.0.0.1:{server.server_port}/v1", answer)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield here
    finally:
        here.is_over.set()
        server.shutdown()
        server.server_close()
