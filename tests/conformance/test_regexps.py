"""Patterns against what Go's `regexp` was measured to answer; the table also holds Node's answers, unused here."""

import json
from pathlib import Path
from typing import Any

import pytest

from waza_engine.lib.go.regexp import regex_error, regex_matches

_TABLE = json.loads((Path(__file__).parent / "regexp-cases.json").read_text())


@pytest.mark.parametrize("case", _TABLE["cases"], ids=lambda it: f"{it['pattern']!a}-{it['text']!a}")
def test_case(case: dict[str, Any]) -> None:
    pattern, expected = case["pattern"], case["go"]
    if "error" in expected:
        assert regex_error(pattern) is not None
        assert regex_matches(pattern, case["text"]) is None
    else:
        assert regex_error(pattern) is None
        assert regex_matches(pattern, case["text"]) is (expected["byte_span"] is not None)
