"""What stands on pages and in manifests is true together: links lead somewhere, modules exist, there is one version."""

import json
import re
from pathlib import Path

from waza_engine.version import __version__

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")]
PAGES += (ROOT / "editor-client").glob("*/README.md")
_CODE = [ROOT, ROOT / "engine", ROOT / "waza_lsp", ROOT / "engine" / "waza_engine"]
_MODULE = re.compile(r"`([a-z_]+/[\w/]+\.py)`")
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


def test_links_between_pages_lead_somewhere() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {target}#{heading}"
        for page in PAGES
        for target, heading in _LINK.findall(page.read_text(encoding="utf-8"))
        if not _leads_somewhere(page, target, heading)
    ]
    assert not broken


def test_modules_on_pages_exist() -> None:
    # Pages for contributors name those that they tell how to add.
    named = [
        (page, it)
        for page in PAGES
        if page.parent.name != "contributing"
        for it in _MODULE.findall(page.read_text(encoding="utf-8"))
    ]
    assert len(named) > 40
    assert [
        f"{page.relative_to(ROOT)}: {it}" for page, it in named if not any((at / it).exists() for at in _CODE)
    ] == []


def _leads_somewhere(page: Path, target: str, heading: str) -> bool:
    path = (page.parent / target).resolve() if target else page
    if not path.exists() or not heading:
        return path.exists()
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return heading in {re.sub(r"[^\w\- ]", "", it.lower()).replace(" ", "-") for it in headings}


def test_one_version_stands_everywhere() -> None:
    extension = ROOT / "editor-client/vscode"
    lock = json.loads((extension / "package-lock.json").read_text(encoding="utf-8"))
    capabilities = json.loads(
        (ROOT / "waza_lsp/server/startup/capabilities.json").read_text(encoding="utf-8")
    )
    stated = {
        "package.json": json.loads((extension / "package.json").read_text(encoding="utf-8"))["version"],
        "package-lock.json": lock["version"],
        "package-lock.json, packages": lock["packages"][""]["version"],
        "capabilities.json": capabilities["serverInfo"]["version"],
        "guide.md": _found(r"waza-lsp-([\d.]+)\.vsix", "docs/guide.md"),
        "check.md": _found(r"rev: v([\d.]+)", "docs/check.md"),
        "CHANGELOG.md": _found(r"^## \[([\d.]+)\]", "CHANGELOG.md"),
    }
    assert stated == dict.fromkeys(stated, __version__)


def _found(pattern: str, page: str) -> str:
    found = re.search(pattern, (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else "not there"
