"""The packaged extension, as users install it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

EXTENSION = Path(__file__).parents[2] / "editor-client" / "vscode"


def build_vsix(folder: Path) -> Path:
    """Build in a copy to leave the checkout unchanged, with a wheel of the checkout."""
    source = folder / "extension"
    ignored = shutil.ignore_patterns("node_modules", "dist", "*.vsix")
    shutil.copytree(EXTENSION, source, ignore=ignored)
    if (EXTENSION / "node_modules").is_dir():
        (source / "node_modules").symlink_to(EXTENSION / "node_modules")
    else:
        _npm(source, "ci", "--loglevel=error")
    wheel = ["-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(
        [sys.executable, *wheel], cwd=EXTENSION.parents[1], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    [built] = folder.glob("*.whl")
    vsix = folder / "waza-lsp.vsix"
    _npm(source, "run", "package", "--", "--out", str(vsix), WAZA_LSP_WHEEL=str(built), PYTHON=sys.executable)
    return vsix


def build_yaml_stand_in(extensions: Path) -> None:
    """Create an extension that claims YAML files, in an extensions folder."""
    source, target = Path(__file__).parent / "yaml_stand_in", extensions / "redhat.vscode-yaml-1.0.0"
    target.mkdir(parents=True)
    shutil.copy(source / "package.json", target)
    packages = EXTENSION / "node_modules"
    options = ["--bundle", "--external:vscode", "--platform=node", "--format=cjs"]
    done = subprocess.run(
        [
            packages / ".bin" / "esbuild",
            source / "extension.ts",
            *options,
            f"--outfile={target}/extension.js",
        ],
        env={**os.environ, "NODE_PATH": str(packages)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def _npm(folder: Path, *arguments: str, **variables: str) -> None:
    done = subprocess.run(
        ["npm", *arguments],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
