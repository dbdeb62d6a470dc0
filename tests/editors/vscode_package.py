"""The extension as users get it: the packaged file, not the checkout."""

import shutil
import subprocess
from pathlib import Path

EXTENSION = Path(__file__).parents[2] / "editor-client" / "vscode"


def build_vsix(folder: Path) -> Path:
    """Build in a copy, so that nothing is written into the checkout."""
    source = folder / "extension"
    ignored = shutil.ignore_patterns("node_modules", "dist", "*.vsix")
    shutil.copytree(EXTENSION, source, ignore=ignored)
    if (EXTENSION / "node_modules").is_dir():
        (source / "node_modules").symlink_to(EXTENSION / "node_modules")
    else:
        _npm(source, "ci", "--loglevel=error")
    vsix = folder / "waza-lsp.vsix"
    _npm(source, "run", "package", "--", "--out", str(vsix))
    return vsix


def _npm(folder: Path, *arguments: str) -> None:
    done = subprocess.run(["npm", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
