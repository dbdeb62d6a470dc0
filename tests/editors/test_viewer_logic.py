"""The rules of the trace viewer. `test_built_pages.py` runs its own tests, and builds it."""

import json
import re

from tests.editors.workspaces import CLIENTS
from waza_engine.reports.trace.page import viewer

VIEWER = CLIENTS / "viewer"
_LARGEST = 250_000
_FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|dangerouslySet|document\.write|\beval\(|new Function|\bstyle=['\"]"
    r"|\bfetch\(|XMLHttpRequest|WebSocket|https?:"
)


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
