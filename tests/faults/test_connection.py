"""The connection to the editor ends without a word: the server ends within seconds, with all it has started."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from tests.faults.leftovers import PATIENCE_SECONDS, finished, until, wait_for_nothing
from tests.faults.suites import Case, environment, performed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for leftovers in /proc")

CASE = Case("waza", "command", trials=1, workers=2)


class Wire:
    """A server process, and the bare messages that are exchanged with it."""

    def __init__(self, folder: Path, *, reads: bool = True) -> None:
        self.folder = folder
        self.temporary = folder / "tmp"
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "waza_lsp", "serve"],
            cwd=folder,
            env=environment(self.temporary, os.environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.got: queue.Queue[dict[str, Any]] = queue.Queue()
        if reads:
            threading.Thread(target=self._read, daemon=True).start()

    @property
    def input(self) -> IO[bytes]:
        assert self.process.stdin
        return self.process.stdin

    @property
    def output(self) -> IO[bytes]:
        assert self.process.stdout
        return self.process.stdout

    def begin(self, editor: int | None = None) -> None:
        """Go through the greetings; `editor` is the process that the server is told of."""
        capabilities = {"window": {"workDoneProgress": False}}
        folders = [{"uri": self.folder.as_uri(), "name": "here"}]
        params = {"processId": editor, "capabilities": capabilities, "workspaceFolders": folders}
        self.send("initialize", {**params, "initializationOptions": {"runEvents": True}}, number=1)
        self.answer(1)
        self.send("initialized", {})

    def run(self) -> None:
        """Have the suite run until its agents are at work."""
        text = (self.folder / "eval.yaml").read_text()
        item = {"uri": (self.folder / "eval.yaml").as_uri(), "languageId": "yaml", "version": 1, "text": text}
        self.send("textDocument/didOpen", {"textDocument": item})
        variables = {"uri": item["uri"]}
        self.send("workspace/executeCommand", {"command": "waza.runEval", "arguments": [variables]}, number=2)
        until(lambda: performed(self.folder) == 2)

    def send(self, method: str, params: Any, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self.write(message if number is None else {**message, "id": number})

    def write(self, message: dict[str, Any], part: float = 1.0) -> None:
        """Write a message, or only so much of it."""
        body = json.dumps(message).encode()
        data = f"Content-Length: {len(body)}\r\n\r\n".encode() + body
        self.input.write(data[: round(len(data) * part)])
        self.input.flush()

    def answer(self, number: int) -> dict[str, Any]:
        while True:
            message = self.got.get(timeout=PATIENCE_SECONDS)
            if message.get("id") == number and "method" not in message:
                return message

    def _read(self) -> None:
        length = 0
        while head := self.output.readline():
            if head.lower().startswith(b"content-length:"):
                length = int(head.split(b":")[1])
            elif head == b"\r\n":
                body = self.output.read(length)
                if len(body) == length:
                    self.got.put(json.loads(body))

    def wait(self) -> None:
        """See that the server has ended, with everything that it had started, and has nothing to complain about."""
        self.process.wait(PATIENCE_SECONDS)
        assert self.process.stderr
        assert self.process.stderr.read() == b""
        wait_for_nothing(self.temporary)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for it in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert it
            try:
                it.close()
            except OSError:
                continue


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A suite whose second agent never comes to an end, in an environment in which the server finds it."""
    CASE.written(tmp_path, seconds=3600)
    agent = tmp_path / "agent.sh"
    agent.write_text(agent.read_text().replace("sleep 3600\n", '[ "$WAZA_LSP_TASK" = a ] || sleep 3600\n'))
    monkeypatch.setenv("WAZA_LSP_AGENT_COMMAND", str(agent))
    return tmp_path


@pytest.fixture
def wire(folder: Path) -> Iterator[Wire]:
    found = Wire(folder)
    yield found
    found.close()


def until_the_first_is_finished(folder: Path) -> None:
    until(lambda: finished(folder / ".waza-lsp") == [[(0, 1)]])


def test_the_input_ends_during_a_run(folder: Path, wire: Wire) -> None:
    wire.begin()
    wire.run()
    until_the_first_is_finished(folder)
    wire.input.close()
    wire.wait()
    # What was finished is there, and the rest can be done.
    CASE.written(folder, seconds=0)
    again = subprocess.run(
        [sys.executable, "-m", "waza_lsp", "run", "eval.yaml", "--resume"],
        cwd=folder,
        check=False,
        timeout=60,
    )
    assert again.returncode == 0
    assert finished(folder / ".waza-lsp") == [CASE.wanted]


@pytest.mark.parametrize("is_running", [False, True])
def test_nobody_reads_any_more(folder: Path, *, is_running: bool) -> None:
    silent = Wire(folder, reads=False)
    try:
        silent.send("initialize", {"processId": None, "capabilities": {}}, number=1)
        assert silent.output.read(1)
        silent.send("initialized", {})
        if is_running:
            silent.run()
            until_the_first_is_finished(folder)
        silent.output.close()
        # Its input stays open, and nothing comes there.
        silent.wait()
    finally:
        silent.close()


def test_half_a_message_and_then_silence(wire: Wire) -> None:
    wire.begin()
    request = {"jsonrpc": "2.0", "id": 7, "method": "workspace/symbol", "params": {"query": ""}}
    wire.write(request)
    wire.write({**request, "id": 8}, part=0.5)
    assert wire.answer(7)
    assert wire.process.poll() is None
    wire.input.close()
    wire.wait()


@pytest.mark.parametrize("sent", ["", "Content-Length: 5\r\n\r\n{"])
def test_it_ends_before_it_has_begun(wire: Wire, sent: str) -> None:
    wire.input.write(sent.encode())
    wire.input.close()
    wire.wait()


@pytest.mark.parametrize("is_running", [False, True])
def test_the_editor_is_killed_while_others_hold_the_connection(
    folder: Path, wire: Wire, *, is_running: bool
) -> None:
    editor = subprocess.Popen(["sleep", "3600"])
    wire.begin(editor.pid)
    if is_running:
        wire.run()
        until_the_first_is_finished(folder)
    wire.send("workspace/symbol", {"query": ""}, number=3)
    assert wire.answer(3)
    # Nobody waits for it, so its number stays; we hold both ends of the server open.
    os.kill(editor.pid, signal.SIGKILL)
    wire.wait()
    editor.wait()


def test_an_editor_of_another_container_is_not_missed(wire: Wire) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    wire.begin(gone.pid)
    wire.send("workspace/symbol", {"query": ""}, number=3)
    assert wire.answer(3)


def test_an_editor_that_does_not_read_holds_no_server_up(folder: Path) -> None:
    wire = Wire(folder, reads=False)
    try:
        wire.send("initialize", {"processId": None, "capabilities": {}}, number=1)
        stuck = _until_the_pipe_is_full(wire)
        assert stuck()
        os.kill(wire.process.pid, 0)
        threading.Thread(target=wire.input.close, daemon=True).start()
        wire.process.wait(PATIENCE_SECONDS)
        wait_for_nothing(wire.temporary)
    finally:
        wire.close()


def _until_the_pipe_is_full(wire: Wire) -> Callable[[], bool]:
    """Ask for so much that the server stands still, because nobody takes its answers."""
    import fcntl
    import struct
    import termios

    fcntl.fcntl(wire.output.fileno(), fcntl.F_SETPIPE_SZ, 4096)
    for number in range(2, 60):
        wire.send("workspace/executeCommand", {"command": "no such command", "arguments": []}, number=number)

    def is_full() -> bool:
        (waiting,) = struct.unpack("i", fcntl.ioctl(wire.output.fileno(), termios.FIONREAD, bytes(4)))
        return bool(waiting > 3000)

    until(is_full)
    return is_full


def test_a_killed_server_takes_everything_along(folder: Path, wire: Wire) -> None:
    wire.begin()
    wire.run()
    until_the_first_is_finished(folder)
    wire.process.kill()
    wire.process.wait()
    wait_for_nothing(wire.temporary)
    assert finished(folder / ".waza-lsp") == [[(0, 1)]]
