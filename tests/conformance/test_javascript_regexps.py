"""Patterns against what Node's `RegExp` answered: a measured table, and many made-up patterns recorded the same way."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.each import check_each
from waza_engine.lib.js_regex import js_error, js_matches
from waza_engine.lib.js_regex.matching import build_matcher
from waza_engine.lib.js_regex.parser import parse_pattern
from waza_engine.lib.js_regex.syntax import JsPatternError

_HERE = Path(__file__).parent
_TABLE: list[dict[str, Any]] = json.loads((_HERE / "regexp-cases.json").read_text("utf-8"))["cases"]
_RECORDED: list[list[Any]] = json.loads((_HERE / "javascript-regexp-cases.json").read_text("utf-8"))["cases"]
_NEWER = {"(?i:A)b"}
"""Node 20 refuses these, newer engines do not, and neither do we: they are noted."""


def _answer(pattern: str, text: str, *, leading_flags: bool) -> bool | str:
    try:
        return build_matcher(parse_pattern(pattern, leading_flags=leading_flags)).span(text) is not None
    except JsPatternError:
        return "error"


def test_the_measured_table() -> None:
    check_each(((f"{it['pattern']!a}-{it['text']!a}", it) for it in _TABLE), check_case)


def check_case(case: dict[str, Any]) -> None:
    answer = _answer(case["pattern"], case["text"], leading_flags=False)
    if case["pattern"] in _NEWER:
        assert (case["node20"]["none"], answer) == ("error", True)
    else:
        assert answer == case["node20"]["none"]


@pytest.mark.slow
def test_recorded_answers() -> None:
    wrong = []
    for pattern, flags, text, expected in _RECORDED:
        answer = _answer(f"(?{flags}){pattern}" if flags else pattern, text, leading_flags=bool(flags))
        if answer != expected:
            wrong.append((pattern, flags, text, expected, answer))
    assert not wrong


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_leading_flags_are_those_of_a_regexp() -> None:
    """What vally does: cut the group off and hand the letters over."""
    cases = [("a.b", "s", "a\nb"), ("^b$", "m", "a\r\nb"), ("É", "i", "é"), ("x$", "im", "X\u2028")]
    script = (
        "console.log(JSON.stringify(JSON.parse(process.argv[1]).map(([p,f,t])=>new RegExp(p,f).test(t))))"
    )
    done = subprocess.run(
        ["node", "-e", script, json.dumps(cases)], capture_output=True, check=True, timeout=60
    )
    assert json.loads(done.stdout) == [
        js_matches(f"(?{flags}){pattern}", text) for pattern, flags, text in cases
    ]


def test_a_pattern_from_a_file_with_flags() -> None:
    assert js_matches("(?im)^error", "x\nERROR") is True
    assert js_matches("(?i", "x") is None
    problem = js_error("abc(?i)d")
    assert problem is not None
    assert (problem.position, "very start" in problem.message) == (3, True)
