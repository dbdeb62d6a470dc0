"""A VS Code server in its own process group, with temporary data folders.

Fresh folders matter: VS Code brings unsaved editors of an earlier run back (hot exit).
"""

import http.client
import json
import os
import signal
import socket
import subprocess
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from tests.editors import vscode_cache

_QUIET = {
    "chat.disableAIFeatures": True,
    "editor.autoIndent": "keep",
    "editor.cursorBlinking": "solid",
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
    group: int
    """The process group, which includes the extension host and the language servers."""

    def page_url(self, folder: Path, file: str) -> str:
        """Return the URL of a window on a folder with one open file."""
        host = f"127.0.0.1:{self.port}"
        payload = json.dumps([["openFile", f"vscode-remote://{host}{folder}/{file}"]])
        return f"http://{host}/?folder={quote(str(folder))}&payload={quote(payload)}"


@contextmanager
def running_vscode(
    home: Path,
    vsix: Path,
    settings: Mapping[str, object],
    *,
    trusted: bool = True,
    environment: Mapping[str, str] = {},
) -> Iterator[VSCode]:
    """Start VS Code with one extension, its settings, and extra environment variables.

    Folders in `home/extensions` are extensions, too. The extension is unpacked there, unless it is installed.
    """
    if not any((home / "extensions").glob("waza-lsp.waza-lsp-*")):
        _unpack(vsix, home / "extensions" / "waza-lsp.waza-lsp-1.0.0")
    # Settings that name programs count for one machine only, and are ignored among the user's.
    for name, values in ("User", _QUIET), ("Machine", settings):
        (home / "data" / name).mkdir(parents=True, exist_ok=True)
        (home / "data" / name / "settings.json").write_text(json.dumps(values), encoding="utf-8")
    variables = {**os.environ, "EXTENSIONS_GALLERY": _NO_GALLERY, **environment}
    log = home / "vscode.log"
    with log.open("ab") as output:
        port = _free_port()
        options = ["--host=127.0.0.1", f"--port={port}", "--without-connection-token"]
        # Without the last one, variables such as PATH come from a login shell.
        options += ["--disable-telemetry", "--disable-experiments", "--force-disable-user-env"]
        # Otherwise the extension host of a closed window lives on for hours.
        options.append("--reconnection-grace-time=60")
        if trusted:
            options.append("--disable-workspace-trust")
        process = subprocess.Popen(
            [*_command(home), *options], env=variables, stdout=output, stderr=output, start_new_session=True
        )
        try:
            _wait_until_up(process, port, log)
            yield VSCode(port, log, process.pid)
        finally:
            # Its extension host and the language server are children that a plain kill leaves behind.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def install(home: Path, vsix: Path) -> None:
    """Install the extension as users do. It takes seconds."""
    command = [*_command(home), "--install-extension", str(vsix)]
    variables = {**os.environ, "EXTENSIONS_GALLERY": _NO_GALLERY}
    subprocess.run(command, env=variables, capture_output=True, check=True, timeout=60)


def _unpack(vsix: Path, folder: Path) -> None:
    with zipfile.ZipFile(vsix) as package:
        package.extractall(folder, [it for it in package.namelist() if it.startswith("extension/")])
    for it in [*(folder / "extension").iterdir()]:
        it.rename(folder / it.name)


def _command(home: Path) -> list[str]:
    folders = {"server-data-dir": "server", "user-data-dir": "data", "extensions-dir": "extensions"}
    return [
        str(vscode_cache.node()),
        str(vscode_cache.server_main()),
        "--accept-server-license-terms",
        *(f"--{option}={home / folder}" for option, folder in folders.items()),
    ]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_up(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and process.poll() is None:
        try:
            # Not urllib: it would ask the proxy that the environment names.
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
                connection.request("GET", "/version")
                connection.getresponse().read()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"VS Code did not start: {log.read_text(encoding='utf-8', errors='replace')}")
