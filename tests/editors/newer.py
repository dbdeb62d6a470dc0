"""Newer editors than those of the system, installed by `install-newer.sh`."""

import os
from pathlib import Path

import pytest

from tests.editors.programs import MODE, RAN

_LOADER = "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
_LIBRARIES = "usr/lib/x86_64-linux-gnu"
_RUNTIMES = {
    "nvim": ("VIMRUNTIME", "usr/share/nvim/runtime"),
    "hx": ("HELIX_RUNTIME", "usr/lib/hx/runtime"),
}


def newer(program: str) -> tuple[list[str], dict[str, str]]:
    """Return the command and the environment of an editor, or skip the test (fail it if editors are required)."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = base / "waza-lsp-editors" / "debian-trixie"
    if MODE == "off" or not (home / "complete").is_file():
        stop = pytest.fail if MODE == "require" else pytest.skip
        stop(f"not installed: a newer {program} (run tests/editors/install-newer.sh)")
    RAN.add(f"newer {program}")
    root = home / "root"
    # With its own loader and libraries: those of the system are older.
    command = [str(root / _LOADER), "--library-path", str(root / _LIBRARIES), str(root / "usr/bin" / program)]
    variable, folder = _RUNTIMES[program]
    return command, {variable: str(root / folder)}
