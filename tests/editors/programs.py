"""Programs that these tests need. If one is missing, the tests are skipped, or fail in CI."""

import os
import shutil

import pytest

MODE = os.environ.get("WAZA_LSP_EDITORS", "auto")
"""`auto`: skip where a program is missing; `require`: fail instead; `off`: skip always."""

RAN: set[str] = set()
"""The programs that tests have used. The final report lists them, which reveals a run that skipped everything."""


def needs(*programs: str) -> None:
    """Skip or fail unless all programs are installed."""
    if MODE == "off":
        pytest.skip("editor tests are switched off (WAZA_LSP_EDITORS=off)")
    missing = [it for it in programs if shutil.which(it) is None]
    if missing and MODE == "require":
        pytest.fail(f"not installed: {', '.join(missing)}")
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    RAN.update(programs)
