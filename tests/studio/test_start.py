"""The command: its output, its refusals and its end."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from click.testing import CliRunner
from websockets.sync.client import connect
from websockets.typing import Origin

from waza_lsp.cli import main

_COMMAND = [sys.executable, "-P", "-m", "waza_lsp", "studio", "--no-open"]


def test_a_missing_extra_names_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("waza_lsp.studio.start", "uvicorn"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    found = CliRunner().invoke(main, ["studio", str(tmp_path)])
    assert found.exit_code == 2
    assert "The package 'uvicorn' is not installed. Install it with: " in found.output


def test_a_port_in_use_and_two_folders_are_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        found = CliRunner().invoke(main, ["studio", str(tmp_path), "--no-open", "--port", port])
    assert (found.exit_code, found.stdout) == (2, "")
    assert (
        f"error: Cannot listen on 127.0.0.1:{port}: Address already in use. Choose another --port"
        in found.output
    )
    both = CliRunner().invoke(main, ["studio", str(tmp_path), "--demo"])
    assert both.exit_code == 2
    assert "--demo opens its own folder" in both.output


@pytest.fixture
def studio() -> Iterator[subprocess.Popen[str]]:
    """A process with the demo."""
    with subprocess.Popen(
        [*_COMMAND, "--demo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_studio_ends_with_its_servers_and_its_copy(
    studio: subprocess.Popen[str], ending: signal.Signals
) -> None:
    assert studio.stdout is not None
    assert studio.stderr is not None
    address = urlsplit(studio.stdout.readline().strip())
    host, origin = address.netloc, Origin(f"http://{address.netloc}")
    folder = Path(studio.stderr.readline().removeprefix("Serving ").partition(". Press")[0])
    assert (folder / "eval.yaml").is_file()
    answer = _answer(host, f"/?{address.query}", f"Host: {host}")
    assert answer.startswith("HTTP/1.1 303")
    cookie = answer.partition("set-cookie: ")[2].partition(";")[0]
    # Two hosts, one of them right; and one that is too long.
    for line in (f"Host: {host}\r\nHost: evil.example", "Host: evil.example", f"Host: {'a' * 100_000}"):
        refused = _answer(host, "/api/session", f"{line}\r\nCookie: {cookie}")
        assert refused.split()[1] in {"400", "403"}
    headers = {"Cookie": cookie}
    with connect(f"ws://{host}/lsp", origin=origin, additional_headers=headers, proxy=None) as page:
        page.send('{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}')
        assert "serverInfo" in str(page.recv(timeout=30))
        children = psutil.Process(studio.pid).children(recursive=True)
        assert any("serve" in it.cmdline() for it in children)
        os.kill(studio.pid, ending)
        status = studio.wait(timeout=20)
    assert not psutil.wait_procs(children, timeout=20)[1]
    assert status == (-ending if ending == signal.SIGKILL else 0)
    assert (studio.stdout.read(), studio.stderr.read()) == ("", "")
    for _ in range(100):
        if not folder.parent.exists():
            break
        time.sleep(0.05)  # After a SIGKILL, the guard process removes it.
    assert not folder.parent.exists()


@pytest.mark.slow
def test_enter_prints_a_new_address_and_ctrl_c_ends_the_studio(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty", reason="needs pseudo terminals")
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [*_COMMAND, str(tmp_path)])  # noqa: S606
    shown = ""

    def read_until(text: str, count: int) -> None:
        nonlocal shown
        while shown.count(text) < count:
            shown += os.read(terminal, 1_000).decode()

    try:
        read_until("or Enter for a new address.", 1)
        os.write(terminal, b"\n")
        read_until("or Enter for a new address.", 2)
        first, second = re.findall(r"http://(127\.0\.0\.1:\d+)/\?(\S+)", shown)
        assert first[0] == second[0]
        statuses = [
            _answer(host, f"/?{token}", f"Host: {host}").split()[1] for host, token in (first, second)
        ]
        assert statuses == ["403", "303"], "an unused address is no longer valid"
        os.write(terminal, b"\x03")
        assert os.waitpid(pid, 0)[1] == 0
    finally:
        os.close(terminal)


def _answer(host: str, path: str, headers: str) -> str:
    name, _, port = host.partition(":")
    with socket.create_connection((name, int(port)), timeout=10) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\n{headers}\r\nConnection: close\r\n\r\n".encode())
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
        return b"".join(parts).decode()
