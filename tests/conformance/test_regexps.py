"""Patterns against what Go's `regexp` was measured to answer; the table also holds Node's answers, unused here."""

import json
from pathlib import Path
from typing import Any

from tests.each import check_each
from waza_engine.lib.go.regexp import regex_error, regex_matches

_TABLE = json.loads((Path(__file__).parent / "regexp-cases.json").read_text())


def test_cases() -> None:
    check_each(((f"{it['pattern']!a}-{it['text']!a}", it) for it in _TABLE["cases"]), check_case)


def check_case(case: dict[str, Any]) -> None:
    pattern, expected = case["pattern"], case["go"]
    if "error" in expected:
        assert regex_error(pattern) is not None
        assert regex_matches(pattern, case["text"]) is None
    else:
        assert regex_error(pattern) is None
        assert regex_matches(pattern, case["text"]) is (expected["byte_span"] is not None)
