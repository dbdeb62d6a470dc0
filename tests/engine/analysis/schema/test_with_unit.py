"""Lengths of time as they are written by slips, and what was meant."""

import pytest

from waza_engine.analysis.schema.fixes import duration_with_unit

UNITS = ("s", "m", "ms", "h")


@pytest.mark.parametrize(
    ("written", "meant"),
    [("1800", "1800s"), ("2m40s", "160s"), ("5 minutes", "5m"), ("1.5s", "1500ms"), ("2min", "2m"), ("30S", "30s"), ("1h30m", "5400s")],
)  # fmt: skip
def test_what_was_meant(written: str, meant: str) -> None:
    assert duration_with_unit(written, UNITS) == meant


@pytest.mark.parametrize("written", ["soon", "", "m5", "5 apples", "5m or so", "9" * 400 + "s"])
def test_what_is_no_time(written: str) -> None:
    assert duration_with_unit(written, UNITS) is None


def test_without_units_nothing_is_guessed() -> None:
    assert duration_with_unit("1800", ()) is None
