"""Modules of the extension, for tests that call them in Node."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.editors.programs import MODE, needs
from tests.editors.vscode_package import EXTENSION

_ESBUILD = EXTENSION / "node_modules" / ".bin" / "esbuild"


def require_modules() -> None:
    """Skip or fail unless they can be bundled."""
    needs("node")
    if not _ESBUILD.is_file():
        stop = pytest.fail if MODE == "require" else pytest.skip
        stop("not installed: the packages that build the extension (run tests/editors/install-vscode.sh)")


def bundled(folder: Path, modules: Sequence[str], *options: str) -> Path:
    """Return one file for Node that exports what these modules export."""
    target = folder / "modules.cjs"
    source = "\n".join(f"export * from './src/{it}';" for it in modules)
    form = ["--bundle", "--platform=node", "--format=cjs", "--log-level=error", f"--outfile={target}"]
    subprocess.run([str(_ESBUILD), *form, *options], input=source.encode(), cwd=EXTENSION, check=True)
    return target
