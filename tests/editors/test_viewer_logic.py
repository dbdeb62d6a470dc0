"""The trace viewer: its own tests, its rules, and that the built page is the one that its source gives."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.editors.programs import MODE, needs
from tests.editors.workspaces import CLIENTS
from waza_engine.reports.trace.page import viewer

VIEWER = CLIENTS / "viewer"
BUILT = CLIENTS.parent / "engine" / "waza_engine" / "reports" / "trace" / "viewer"
_LARGEST = 250_000
_FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|dangerouslySet|document\.write|\beval\(|new Function|\bstyle=['\"]"
    r"|\bfetch\(|XMLHttpRequest|WebSocket|https?:"
)


def require_modules() -> None:
    """Skip or fail unless the viewer can be built."""
    needs("node")
    if not (VIEWER / "node_modules" / ".bin" / "esbuild").is_file():
        stop = pytest.fail if MODE == "require" else pytest.skip
        stop("not installed: the packages that build the viewer (run tests/editors/install-vscode.sh)")


@pytest.mark.editor
def test_the_viewer_passes_its_own_tests() -> None:
    require_modules()
    for script in ("check", "test"):
        done = subprocess.run(
            ["npm", "run", "--silent", script], check=False, cwd=VIEWER, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


@pytest.mark.editor
def test_the_committed_viewer_is_built_from_its_source(tmp_path: Path) -> None:
    """After a change of the viewer: `npm run build` in editor-client/viewer."""
    require_modules()
    environment = {**os.environ, "WAZA_VIEWER_OUT": str(tmp_path)}
    subprocess.run(["node", "build.mjs"], cwd=VIEWER, env=environment, check=True, capture_output=True)
    built = {it.name: it.read_bytes() for it in tmp_path.iterdir()}
    assert built == {it.name: it.read_bytes() for it in BUILT.iterdir()}


def test_the_viewer_is_small_and_can_be_inlined() -> None:
    script, style, notices = viewer()
    assert len(script) + len(style) < _LARGEST
    assert script.isascii()
    assert "</script" not in script.lower()
    assert "<!--" not in script
    assert "</style" not in style.lower()
    assert "url(" not in style
    assert "@import" not in style
    packages = json.loads((VIEWER / "package.json").read_text(encoding="utf-8"))["dependencies"]
    for name, version in packages.items():
        assert f"{name} {version}\n" in notices


def test_the_viewer_never_makes_html_and_needs_no_network() -> None:
    sources = [*VIEWER.glob("src/**/*.ts"), *VIEWER.glob("src/**/*.tsx")]
    assert len(sources) > 20
    found = {it.name: _FORBIDDEN.findall(it.read_text(encoding="utf-8")) for it in sources}
    assert {name: them for name, them in found.items() if them} == {}


def test_the_packages_of_the_viewer_are_pinned_without_addresses() -> None:
    packages = json.loads((VIEWER / "package.json").read_text(encoding="utf-8"))
    pinned = {**packages["dependencies"], **packages["devDependencies"]}
    assert [it for it in pinned.values() if not re.fullmatch(r"\d+\.\d+\.\d+", it)] == []
    lock = json.loads((VIEWER / "package-lock.json").read_text(encoding="utf-8"))
    assert "resolved" not in json.dumps(lock)
    assert {name: lock["packages"][f"node_modules/{name}"]["version"] for name in pinned} == pinned
