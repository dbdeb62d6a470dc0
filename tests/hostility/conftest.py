"""A fresh victim for every attack."""

from pathlib import Path

import pytest

from tests.forked import keep_warm
from tests.hostility.bait import CANARY, Victim


@pytest.fixture(autouse=True)
def _warm() -> None:
    # A test before this one may have ended it.
    keep_warm()


@pytest.fixture
def victim(tmp_path: Path) -> Victim:
    outside = tmp_path / "outside" / "secret.txt"
    outside.parent.mkdir()
    outside.write_text(CANARY, encoding="utf-8")
    victim = Victim(tmp_path / "workspace", outside)
    victim.write_suite()
    return victim
