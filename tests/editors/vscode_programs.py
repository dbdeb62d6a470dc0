"""The programs that tests with a real VS Code need."""

import importlib.util
import shutil
from collections.abc import Iterator

import pytest

from tests.editors import vscode_cache
from tests.editors.programs import MODE, RAN, needs

_INSTALL = "run tests/editors/install-vscode.sh"


def require_vscode() -> None:
    """Skip or fail unless all of them are installed."""
    needs("npm")
    if missing := ", ".join(_missing()):
        stop = pytest.fail if MODE == "require" else pytest.skip
        stop(f"not installed: {missing}")
    RAN.add("VS Code")


def chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("google-chrome")


def _missing() -> Iterator[str]:
    if chromium() is None:
        yield f"chromium ({_INSTALL})"
    if not vscode_cache.is_installed():
        yield f"code-server ({_INSTALL})"
    if importlib.util.find_spec("playwright") is None:
        yield "the Python package playwright"
