"""A line to a real server process, on which messages are sent without waiting, and everything that comes back is kept."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

Message = dict[str, Any]
COMMAND = [sys.executable, "-P", "-m", "waza_lsp", "serve"]
_PATIENCE_SECONDS = 120
"""How long a busy machine may take for what takes a moment; a hang takes longer."""


class LineError(AssertionError):
    """The server did what no server may do."""


class Line:
    """One server. Requests of the server are answered at once, by a thread of its own, as an editor would."""

    def __init__(self, root: Path, scratch: Path, capabilities: Message, options: Message) -> None:
        scratch.mkdir(parents=True, exist_ok=True)
        self._stderr, self._log = scratch / "stderr", scratch / "log"
        self.answers: dict[Any, list[Message]] = defaultdict(list)
        self.sent: dict[Any, str] = {}
        """The methods of the requests, by id."""
        self.cancelled: set[Any] = set()
        self.ill_formed: set[Any] = set()
        """The requests with parameters that are not as the protocol has them."""
        self.published: dict[str, Message] = {}
        self.notes: list[Message] = []
        self.count = 0
        """How many messages were sent."""
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._numbers = 0
        with self._stderr.open("wb") as errors:
            self._process = subprocess.Popen(
                [*COMMAND, "--log-file", str(self._log)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=root,
                env={**os.environ},
            )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        start = {
            "processId": None,
            "rootUri": root.as_uri(),
            "workspaceFolders": [{"uri": root.as_uri(), "name": root.name}],
            "capabilities": capabilities,
            "initializationOptions": options,
        }
        self.ask("initialize", start)

    def send(self, method: str, params: Any) -> Any:
        """Send a request without waiting for its answer; its id, numbers and words by turns."""
        self._numbers += 1
        number = self._numbers if self._numbers % 7 else f"r{self._numbers}"
        self.sent[number] = method
        self._write({"id": number, "method": method, "params": params})
        return number

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._write({"method": method, "params": params})

    def cancel(self, number: Any) -> None:
        """Take a request back; it may have been answered already."""
        self.cancelled.add(number)
        self.tell("$/cancelRequest", {"id": number})

    def ask(self, method: str, params: Any) -> Any:
        """Send a request and wait for its result."""
        number = self.send(method, params)
        self.wait_for(lambda: bool(self.answers[number]), f"the answer to {method}")
        answer = self.answers[number][0]
        if "error" in answer:
            raise LineError(f"{method} {json.dumps(params)[:500]}: {answer['error']}")
        return answer["result"]

    def settle(self) -> None:
        """Wait until every request has its answer."""
        self.wait_for(
            lambda: all(self.answers.get(it) for it in self.sent),
            lambda: f"answers to {[(it, m) for it, m in self.sent.items() if not self.answers.get(it)][:9]}",
        )

    def wait_for(self, is_there: Callable[[], bool], what: str | Callable[[], str]) -> None:
        """Wait until something has come."""
        ends = time.monotonic() + _PATIENCE_SECONDS
        with self._changed:
            while not is_there():
                self._changed.wait(1)
                if time.monotonic() > ends or not (self._reader.is_alive() or is_there()):
                    said = what if isinstance(what, str) else what()
                    raise LineError(f"The server does not send {said}; {self._troubles()}")

    def end(self) -> None:
        """Shut the server down and judge the whole talk."""
        self.ask("shutdown", None)
        self.leave()

    def leave(self) -> None:
        """The same for a server that is shut down."""
        self.tell("exit", None)
        status = self._process.wait(_PATIENCE_SECONDS)
        self._reader.join(_PATIENCE_SECONDS)
        if status or (troubles := self._troubles()):
            raise LineError(f"ended with {status}; {troubles}")
        self._judge_answers()

    def seconds(self) -> float:
        """The time that the server has worked so far (Linux); a busy machine does not count."""
        worked = (
            Path(f"/proc/{self._process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        )
        return (int(worked[11]) + int(worked[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def process_id(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        """End the process in any case."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._reader.join(_PATIENCE_SECONDS)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def _judge_answers(self) -> None:
        for number, found in self.answers.items():
            if len(found) != 1:
                raise LineError(
                    f"{self.sent.get(number)} ({number}) was answered {len(found)} times: {found}"
                )
            if number not in self.sent:
                raise LineError(f"an answer to a request that nobody sent: {found}")
            error = found[0].get("error")
            if error is not None and error["code"] not in self._expected(number):
                raise LineError(f"{self.sent[number]} ({number}): {error}")

    def _expected(self, number: Any) -> set[int]:
        """The errors that may be the answer to a request."""
        found = set(_EXPECTED.get(self.sent[number], ()))
        if number in self.cancelled:
            found.add(_CANCELLED)
        if number in self.ill_formed:
            found.add(_BAD_PARAMS)
        return found

    def _troubles(self) -> str:
        """What the server has said of errors of its own: on standard error, in its log, in messages to the user."""
        said = [
            it.read_text(encoding="utf-8", errors="replace")
            for it in (self._stderr, self._log)
            if it.exists()
        ]
        records = re.split(r"^(?=(?:WARNING|ERROR|CRITICAL):)", "\n".join(said), flags=re.MULTILINE)
        found = [it for it in records if it.strip() and not it.startswith(_HARMLESS)]
        found += [json.dumps(it) for it in list(self.notes) if _is_trouble(it)]
        return "\n".join(found)[-6000:]

    def _write(self, message: Message) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def write(self, content: bytes) -> None:
        """Send the body of a message as it is."""
        pipe = self._process.stdin
        assert pipe is not None
        self.count += 1
        with self._writing:
            pipe.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
            pipe.flush()

    def _read(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None
        while True:
            length = 0
            while line := pipe.readline().strip():
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            if not length:
                break
            self._take(json.loads(pipe.read(length)))
        with self._changed:
            self._changed.notify_all()

    def _take(self, message: Message) -> None:
        method: str | None = message.get("method")
        params: Any = message.get("params")
        if method is not None and "id" in message:
            self._write({"id": message["id"], "result": _RESULTS.get(method or "")})
        with self._changed:
            if method == "textDocument/publishDiagnostics":
                self.published[params["uri"]] = params
            elif method is not None:
                self.notes.append(message)
            else:
                self.answers[message.get("id")].append(message)
            self._changed.notify_all()


_CANCELLED = -32800
_UNKNOWN_METHOD, _BAD_PARAMS, _REFUSED = -32601, -32602, -32803
_FORMATTING = tuple(f"textDocument/{it}" for it in ("formatting", "rangeFormatting", "onTypeFormatting"))
_EXPECTED: dict[str, set[int]] = {
    "textDocument/rename": {_REFUSED},
    "waza/unheardOf": {_UNKNOWN_METHOD},
    "textDocument/diagnostic": {_UNKNOWN_METHOD},
    "workspace/diagnostic": {_UNKNOWN_METHOD},
    **{it: {_UNKNOWN_METHOD} for it in _FORMATTING},
    "workspace/executeCommand": {_UNKNOWN_METHOD, _BAD_PARAMS},
}
_RESULTS: dict[str, Any] = {"workspace/configuration": [None], "workspace/applyEdit": {"applied": True}}
_ERROR = 1
_LOGGER = "pygls.protocol.json_rpc"
_HARMLESS = (
    *(
        f"WARNING:{_LOGGER}:{it}"
        for it in ("Cancel notification for", "Failed to handle request", "Ignoring")
    ),
    f"ERROR:{_LOGGER}:Unable to deserialize message",
    "WARNING:pygls.protocol.language_server:Ignoring",
)
"""What is logged about mistakes of the editor."""


def _is_trouble(note: Message) -> bool:
    params = note.get("params") or {}
    if note["method"] == "window/logMessage":
        return params.get("type") == _ERROR or "Traceback" in params.get("message", "")
    return note["method"] == "window/showMessage" and "rror in server" in params.get("message", "")


def peak_memory(process_id: int) -> float:
    """The most memory that a process has had so far, in MB (Linux); 0 for one that has ended."""
    try:
        status = Path(f"/proc/{process_id}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    return int((status.partition("VmHWM:")[2].split() or ["0"])[0]) / 1000
