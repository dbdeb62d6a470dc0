"""The built pages, the trace viewer and the studio: their own tests, their packages, and that their source gives these bytes."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.editors.programs import MODE, needs
from tests.editors.workspaces import CLIENTS

ROOT = CLIENTS.parent
PAGES = {
    "viewer": ROOT / "engine/waza_engine/reports/trace/viewer",
    "studio": ROOT / "waza_lsp/studio/page",
}
_LARGEST = 1_500_000
"""Bytes that all built pages may add to the wheel before it is packed."""


def require_modules(page: str) -> None:
    """Skip or fail unless the page can be built."""
    needs("node")
    if not (CLIENTS / page / "node_modules" / ".bin" / "esbuild").is_file():
        stop = pytest.fail if MODE == "require" else pytest.skip
        stop(f"not installed: the packages that build the {page} (run tests/editors/install-vscode.sh)")


def files_of(folder: Path) -> Mapping[str, bytes]:
    return {it.relative_to(folder).as_posix(): it.read_bytes() for it in folder.rglob("*") if it.is_file()}


@pytest.mark.editor
@pytest.mark.parametrize("page", PAGES)
def test_a_page_passes_its_own_tests(page: str) -> None:
    require_modules(page)
    for script in ("check", "test"):
        done = subprocess.run(
            ["npm", "run", "--silent", script],
            check=False,
            cwd=CLIENTS / page,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


@pytest.mark.editor
@pytest.mark.parametrize("page", PAGES)
def test_a_committed_page_is_built_from_its_source(page: str, tmp_path: Path) -> None:
    """After a change: `npm run build` in the page's folder. The studio has the viewer in it."""
    require_modules(page)
    environment = {**os.environ, f"WAZA_{page.upper()}_OUT": str(tmp_path)}
    subprocess.run(
        ["node", "build.mjs"], cwd=CLIENTS / page, env=environment, check=True, capture_output=True
    )
    assert files_of(tmp_path) == files_of(PAGES[page])


def test_the_pages_are_small() -> None:
    sizes = {page: sum(map(len, files_of(folder).values())) for page, folder in PAGES.items()}
    assert min(sizes.values()) > 100_000
    assert sum(sizes.values()) < _LARGEST


@pytest.mark.parametrize("page", PAGES)
def test_the_packages_of_a_page_are_pinned_without_addresses_and_named_with_their_licences(page: str) -> None:
    packages = json.loads((CLIENTS / page / "package.json").read_text(encoding="utf-8"))
    pinned = {**packages["dependencies"], **packages["devDependencies"]}
    assert [it for it in pinned.values() if not re.fullmatch(r"\d+\.\d+\.\d+", it)] == []
    lock = json.loads((CLIENTS / page / "package-lock.json").read_text(encoding="utf-8"))
    assert "resolved" not in json.dumps(lock)
    assert {name: lock["packages"][f"node_modules/{name}"]["version"] for name in pinned} == pinned
    (notices,) = PAGES[page].rglob("THIRD-PARTY-NOTICES.txt")
    text = notices.read_text(encoding="utf-8")
    types_only = {"vscode-languageserver-types"}
    assert [
        it
        for it in packages["dependencies"].items()
        if f"{it[0]} {it[1]}\n" not in text and it[0] not in types_only
    ] == []


def test_the_studio_has_no_inline_script_or_style() -> None:
    text = (PAGES["studio"] / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", text) == []
    assert text.count("__CSP_NONCE__") == 1
