"""A VS Code server in a process group of its own, with data folders that are used once.

Fresh folders matter: VS Code brings unsaved editors of an earlier run back (hot exit).
"""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from tests.editors import vscode_cache

_QUIET = {
    "chat.disableAIFeatures": True,
    "editor.autoIndent": "keep",
    # Its lines lie over the text and catch the mouse.
    "editor.stickyScroll.enabled": False,
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "extensions.ignoreRecommendations": True,
    "files.autoSave": "off",
    "git.enabled": False,
    "security.workspace.trust.startupPrompt": "never",
    "telemetry.telemetryLevel": "off",
    "workbench.enableExperiments": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
}

# Without this the page asks a public gallery.
_NO_GALLERY = json.dumps({"serviceUrl": "", "itemUrl": "", "resourceUrlTemplate": ""})


@dataclass(frozen=True, slots=True)
class VSCode:
    port: int
    log: Path

    def page_url(self, folder: Path, file: str) -> str:
        """The address of a window on a folder, with one of its files open."""
        payload = [["openFile", f"vscode-remote://127.0.0.1:{self.port}{folder}/{file}"]]
        return f"http://127.0.0.1:{self.port}/?folder={quote(str(folder))}&payload={quote(json.dumps(payload))}"


@contextmanager
def running_vscode(
    home: Path, vsix: Path, settings: Mapping[str, object], *, trusted: bool = True, path: str | None = None
) -> Iterator[VSCode]:
    """VS Code with one extension and the user's settings; `path` replaces the search path for programs."""
    user = home / "data" / "User"
    user.mkdir(parents=True)
    (user / "settings.json").write_text(json.dumps({**_QUIET, **settings}), encoding="utf-8")
    folders = {"server-data-dir": "server", "user-data-dir": "data", "extensions-dir": "extensions"}
    command = [
        str(vscode_cache.node()),
        str(vscode_cache.server_main()),
        "--accept-server-license-terms",
        *(f"--{option}={home / folder}" for option, folder in folders.items()),
    ]
    environment = {**os.environ, "EXTENSIONS_GALLERY": _NO_GALLERY, **({"PATH": path} if path else {})}
    log = home / "vscode.log"
    with log.open("wb") as output:
        subprocess.run(
            [*command, "--install-extension", str(vsix)],
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=True,
            timeout=60,
        )
        port = _free_port()
        options = ["--host=127.0.0.1", f"--port={port}", "--without-connection-token"]
        options += ["--disable-telemetry", "--disable-experiments"]
        if trusted:
            options.append("--disable-workspace-trust")
        process = subprocess.Popen(
            [*command, *options], env=environment, stdout=output, stderr=output, start_new_session=True
        )
        try:
            _wait_until_up(process, port, log)
            yield VSCode(port, log)
        finally:
            # Its extension host and the language server are children that a plain kill leaves behind.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_up(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/version", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"VS Code did not start: {log.read_text(encoding='utf-8', errors='replace')}")
