"""Tests of converting patterns between RE2 and JavaScript."""

import pytest

from waza_engine.convert.graders.patterns import behind_any_case, in_any_case, in_javascript, in_re2
from waza_engine.lib.go.regexp import regex_matches
from waza_engine.lib.js_regex import js_matches

TEXTS = [
    "",
    "a",
    "A1",
    "deploy done\n",
    "line\nTODO: x\nend",
    "  x-y_z  ",
    "a.b",
    "[x]",
    "p-12\tok",
    "ÄÖ",
    "aaa",
    "\\d",
]


@pytest.mark.parametrize(
    "pattern",
    [
        "a",
        "(?i)DEPLOY",
        "(?m)^TODO",
        r"\Aline",
        r"end\z",
        r"\Qa.b\E",
        "(?P<n>a)",
        "[[:alpha:]]+",
        r"\x{61}",
        "[^[:space:]]$",
        "a{2,3}",
    ],
)
def test_re2_in_javascript(pattern: str) -> None:
    made = in_javascript(pattern)
    assert made is not None
    assert [js_matches(made, it) for it in TEXTS] == [regex_matches(pattern, it) for it in TEXTS]


@pytest.mark.parametrize("pattern", [r"\pL", "(?U)a+", "a(?i)b", "(?m)\\Aa"])
def test_patterns_without_a_javascript_form(pattern: str) -> None:
    assert in_javascript(pattern) is None


@pytest.mark.parametrize(
    "pattern", ["a", "(?i)deploy", "(?m)^TODO", "(?<n>a)", "[^]", r"\u0061", r"[\w-]+$", r"\Aa"]
)
def test_javascript_in_re2(pattern: str) -> None:
    made = in_re2(pattern)
    assert made is not None
    assert [regex_matches(made, it) for it in TEXTS] == [js_matches(pattern, it) for it in TEXTS]


@pytest.mark.parametrize("pattern", ["(?=a)b", r"(a)\1", "(?<!a)b"])
def test_patterns_without_an_re2_form(pattern: str) -> None:
    assert in_re2(pattern) is None


@pytest.mark.parametrize(
    "pattern", ["a", "A|b", "(?s)x.y", "(?ms)^A", "(?i)DEPLOY", r"\[X\]", ".", "(a)(b)", " "]
)
def test_behind_any_case_and_back(pattern: str) -> None:
    there = behind_any_case(pattern)
    made = in_javascript(in_any_case(there))
    assert made is not None
    assert [js_matches(made, it) for it in TEXTS] == [regex_matches(f"(?i){there}", it) for it in TEXTS]


@pytest.mark.parametrize(
    "pattern", ["(?-i:a)(?i:B)", "(?-i:a)|(B)", "(?s-i:A)", "(?-s:A)", "(?i-i:A)", "(?-i:a\\)", "(?-i:)"]
)
def test_a_group_with_flags_before_which_another_stands(pattern: str) -> None:
    made = in_any_case(pattern)
    assert [regex_matches(made, it) for it in TEXTS] == [regex_matches(f"(?i){pattern}", it) for it in TEXTS]
