"""Programs that tests of this folder drive: skipped with the name of what is missing, or required (CI)."""

import os
import shutil

import pytest

MODE = os.environ.get("WAZA_LSP_EDITORS", "auto")
"""`auto`: skip where a program is missing; `require`: fail instead; `off`: skip always."""

RAN: set[str] = set()
"""What tests have gone on with; told at the end, so that a run in which everything was skipped is seen as such."""


def needs(*programs: str) -> None:
    """Go on only when all programs are installed."""
    if MODE == "off":
        pytest.skip("editor tests are switched off (WAZA_LSP_EDITORS=off)")
    missing = [it for it in programs if shutil.which(it) is None]
    if missing and MODE == "require":
        pytest.fail(f"not installed: {', '.join(missing)}")
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    RAN.update(programs)
