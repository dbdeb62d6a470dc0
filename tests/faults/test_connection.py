"""The connection to the editor breaks: the server and all its children end within seconds."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.faults.leftovers import PATIENCE_SECONDS, finished, until, wait_for_nothing
from tests.faults.suites import Case
from tests.faults.wire import Wire
from tests.slow import first_quick
from waza_lsp.server.transport.connection import once

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for leftovers in /proc")

CASE = Case("waza", "command", trials=1, workers=2)


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


@pytest.mark.slow
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


@pytest.mark.parametrize("is_running", first_quick([False, True]))
def test_the_server_ends_when_nobody_reads_its_output(folder: Path, *, is_running: bool) -> None:
    silent = Wire(folder, reads=False)
    try:
        options = {"trusted": True}
        params = {"processId": None, "capabilities": {}, "initializationOptions": options}
        silent.send("initialize", params, number=1)
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


@pytest.mark.slow
def test_half_a_message_and_then_silence(wire: Wire) -> None:
    wire.begin()
    request = {"jsonrpc": "2.0", "id": 7, "method": "workspace/symbol", "params": {"query": ""}}
    wire.write(request)
    wire.write({**request, "id": 8}, part=0.5)
    assert wire.answer(7)
    assert wire.process.poll() is None
    wire.input.close()
    wire.wait()


@pytest.mark.slow
@pytest.mark.parametrize("sent", ["", "Content-Length: 5\r\n\r\n{"])
def test_the_input_ends_before_initialize(wire: Wire, sent: str) -> None:
    wire.input.write(sent.encode())
    wire.input.close()
    wire.wait()


@pytest.mark.parametrize("is_running", first_quick([False, True]))
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


@pytest.mark.slow
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

    # Two pages: the system says that nothing more can be written once the second has anything in it.
    fcntl.fcntl(wire.output.fileno(), fcntl.F_SETPIPE_SZ, 2 * 4096)
    for number in range(2, 60):
        wire.send("workspace/executeCommand", {"command": "no such command", "arguments": []}, number=number)

    def is_full() -> bool:
        (waiting,) = struct.unpack("i", fcntl.ioctl(wire.output.fileno(), termios.FIONREAD, bytes(4)))
        return bool(waiting > 4096)

    until(is_full)
    return is_full


@pytest.mark.slow
def test_a_killed_server_takes_everything_along(folder: Path, wire: Wire) -> None:
    wire.begin()
    wire.run()
    until_the_first_is_finished(folder)
    wire.process.kill()
    wire.process.wait()
    wait_for_nothing(wire.temporary)
    assert finished(folder / ".waza-lsp") == [[(0, 1)]]


def test_the_server_exits_once_however_many_threads_notice() -> None:
    left: list[int] = []
    leave = once(lambda: left.append(threading.get_ident()))
    threads = [threading.Thread(target=leave) for _ in range(20)]
    for it in threads:
        it.start()
    for it in threads:
        it.join()
    leave()
    assert len(left) == 1
