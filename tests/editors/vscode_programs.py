"""What has to be on the machine before a real VS Code can be driven."""

import importlib.util
import os
import shutil
from collections.abc import Iterator

import pytest

from tests.editors import vscode_cache

_INSTALL = "run tests/editors/install-vscode.sh"


def require_vscode() -> None:
    """Skip, or fail, a test for which a program is missing.

    `WAZA_LSP_EDITORS` says which: `auto` (the default) skips, `require` fails, `off` always skips.
    """
    mode = os.environ.get("WAZA_LSP_EDITORS", "auto")
    if mode == "off":
        pytest.skip("WAZA_LSP_EDITORS=off")
    if missing := ", ".join(_missing()):
        if mode == "require":
            pytest.fail(f"missing: {missing}", pytrace=False)
        pytest.skip(f"missing: {missing}")


def chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("google-chrome")


def _missing() -> Iterator[str]:
    if chromium() is None:
        yield f"chromium ({_INSTALL})"
    if not vscode_cache.is_installed():
        yield f"code-server ({_INSTALL})"
    if shutil.which("npm") is None:
        yield "npm"
    if importlib.util.find_spec("playwright") is None:
        yield "the Python package playwright"
