"""The YAML language server of VS Code's YAML extension, and a client for it.

It is kept in a cache folder outside the checkout and installed by npm when it is not there yet.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import pytest

VERSION = "2.0.0"
_STAMP = "complete"


def require_yaml_server() -> Path:
    """Return the program. If it is missing, the test is skipped or fails: `WAZA_LSP_EDITORS` is `auto`, `require` or `off`."""
    mode = os.environ.get("WAZA_LSP_EDITORS", "auto")
    if mode == "off":
        pytest.skip("WAZA_LSP_EDITORS=off")
    if problem := _installed():
        if mode == "require":
            pytest.fail(problem, pytrace=False)
        pytest.skip(problem)
    return _program()


def yaml_server() -> tuple[Path, str]:
    """Return the program, installed if needed, and the reason why it is unusable, if any."""
    return _program(), _installed()


def _program() -> Path:
    return _folder() / "node_modules" / "yaml-language-server" / "bin" / "yaml-language-server"


def _folder() -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "waza-lsp-editors" / f"yaml-language-server-{VERSION}"


def _installed() -> str:
    """Install it if needed and return the error, if any. Parallel installs are safe: each moves a complete folder."""
    missing = [it for it in ("node", "npm") if shutil.which(it) is None]
    if missing:
        return f"missing: {', '.join(missing)}"
    folder = _folder()
    if _is_whole(folder):
        return ""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as new:
        package = f"yaml-language-server@{VERSION}"
        command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        result = subprocess.run(
            [*command, "--prefix", new, package], cwd=new, capture_output=True, text=True, check=False
        )
        if result.returncode:
            return f"npm cannot install {package}: {result.stderr.strip().splitlines()[-1:]}"
        Path(new, _STAMP).touch()
        try:
            Path(new).rename(folder)
        except OSError:
            if not _is_whole(folder):
                shutil.rmtree(folder)
                Path(new).rename(folder)
    return ""


def _is_whole(folder: Path) -> bool:
    """A folder without the stamp comes from an interrupted attempt."""
    return (folder / _STAMP).is_file()


@dataclass
class YamlServer:
    """A running server. Each document gets a new name, so that its findings cannot belong to another."""

    process: "subprocess.Popen[bytes]"
    folder: Path
    _count: int = 0
    _ids: int = 0
    _received: list[dict[str, Any]] = field(default_factory=list)

    def findings(self, text: str, schema: Path) -> list[str]:
        """Return the findings of a document as `line: message`, lines counted from one."""
        self._count += 1
        uri = (self.folder / f"document{self._count}.yaml").as_uri()
        text = f"# yaml-language-server: $schema={schema.as_uri()}\n{text}"
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        while True:
            message = self._read()
            found = message.get("params", {})
            if message.get("method") == "textDocument/publishDiagnostics" and found["uri"] == uri:
                return [f"{it['range']['start']['line']}: {it['message']}" for it in found["diagnostics"]]

    def request(self, method: str, params: Any) -> Any:
        """Send a request and return its result."""
        self._ids += 1
        self._write({"id": self._ids, "method": method, "params": params})
        while True:
            message = self._read()
            if message.get("id") == self._ids and "method" not in message:
                return message.get("result")

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._write({"method": method, "params": params})

    def _read(self) -> dict[str, Any]:
        """Return the next message. Requests of the server get a response."""
        message = _read_message(self.process.stdout)
        if "id" in message and "method" in message:
            asked = (
                message["params"].get("items", ()) if message["method"] == "workspace/configuration" else ()
            )
            # Without this the server looks for schemas in the network.
            answers = [{"schemaStore": {"enable": False}, "validate": True} for _ in asked]
            self._write({"id": message["id"], "result": answers or None})
        return message

    def _write(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()


def _read_message(stream: IO[bytes] | None) -> dict[str, Any]:
    assert stream is not None
    length = 0
    while line := stream.readline().strip():
        name, _, value = line.partition(b":")
        length = int(value) if name.lower() == b"content-length" else length
    if not length:
        raise EOFError("the YAML server has ended")
    message: dict[str, Any] = json.loads(stream.read(length))
    return message


@contextmanager
def running_yaml_server(folder: Path) -> Iterator[YamlServer]:
    """Start a server, and stop it at the end."""
    command = ["node", str(require_yaml_server()), "--stdio"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        server = YamlServer(process, folder)
        try:
            server.request(
                "initialize", {"processId": os.getpid(), "rootUri": folder.as_uri(), "capabilities": {}}
            )
            server.notify("initialized", {})
            yield server
        finally:
            process.kill()
