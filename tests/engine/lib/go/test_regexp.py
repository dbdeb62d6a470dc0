"""Patterns that google-re2 and Go treat differently (docs/reference/waza-graders.md, sections 4.1 and 13.6)."""

import pytest

from waza_engine.lib.go.regexp import is_catch_all, regex_error, regex_matches
from waza_engine.lib.go.text import decode, fold, trim, without_surrogates

_UNASSIGNED = "\u0378"


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"^\pl$", "a", True),
        (r"^\p{greek}$", "\u03b1", True),
        (r"^\p{Letter}$", "é", True),
        (r"^\p{ upper-case_LETTER }$", "É", True),
        (r"^\p{LC}$", "é", True),
        (r"^\P{LC}$", "1", True),
        (r"^[\p{LC}1]$", "1", True),
        (r"^[^\P{LC}]$", "1", False),
        (r"^[\P{LC}]$", "a", False),
        (r"^\p{ASCII}$", "é", False),
        (r"^[\P{ascii}]$", "é", True),
        (r"^\p{Cn}$", _UNASSIGNED, True),
        (r"^\p{C}$", _UNASSIGNED, True),
        (r"^\p{C}$", "\x01", True),
        (r"^[\pCa]$", _UNASSIGNED, True),
        (r"^[\p{^C}]$", _UNASSIGNED, False),
        (r"^\p{Assigned}$", "a", True),
        (r"^\P{^assigned}$", "a", True),
        (r"^[\P{Assigned}]$", _UNASSIGNED, True),
        (r"^\p{old italic}$", "\U00010300", True),
        (r"^\p{any}$", "x", True),
        (r"\Q\C\p{nope}(?P<é>\E$", r"\C\p{nope}(?P<é>", True),
        (r"\\C", r"\C", True),
        (r"[]\]\[(?P<é>]{3}", "é<P", True),
        (r"(?P<n>a)(?P<n>b)", "ab", True),
        (r"\p{L}{1000}", "a" * 1000, True),
        (r"[[:alpha:]\pN]{2}", "a1", True),
        ("(?i)K", "\u212a", True),
        ("a\x00b", "a\x00b", True),
        ("\ud800", "x\udfffy", True),
    ],
)
def test_what_go_accepts(pattern: str, text: str, found: bool) -> None:
    assert regex_error(pattern) is None
    assert regex_matches(pattern, text) is found


@pytest.mark.parametrize(
    "pattern",
    [
        r"\C",
        r"[\C]",
        r"a\C{2}",
        "(?P<é>a)",
        "(?<é>a)",
        r"\p{Greek",
        r"\p",
        r"\p{}",
        r"\p{IsGreek}",
        r"[\p{Nope}]",
        r"\p{Script=Greek}",
        "a{1001}",
        "(a{1000}){2}",
        "(?x)a",
        r"\Z",
        "a++",
        "(?<=a)b",
    ],
)
def test_what_go_refuses(pattern: str) -> None:
    assert regex_error(pattern)
    assert regex_matches(pattern, "a") is None


def test_errors_have_the_messages_of_go() -> None:
    assert regex_error("(a") == "missing closing ): `(a`"
    assert regex_error("a**") == "invalid nested repetition operator: `**`"
    assert regex_error(r"\C") == r"invalid escape sequence: `\C`"


@pytest.mark.parametrize(
    ("pattern", "is_match_all"), [(".*", True), ("", True), ("x?", True), ("^$", False), (r"\w+", False)]
)
def test_patterns_that_match_any_text(pattern: str, is_match_all: bool) -> None:
    assert is_catch_all(pattern) is is_match_all


def test_nested_quantifiers_take_linear_time() -> None:
    assert regex_matches("(a+)+$", "a" * 50_000 + "!") is False


def test_string_operations_have_the_results_of_go() -> None:
    assert fold("\u03a3A\u03a3 \u0130 STRASSE") == "\u03c3a\u03c3 i strasse"
    assert trim("\u2003\x85 a\x1f \u200b\n") == "a\x1f \u200b"
    assert decode(b"\xe2\x82\xff\xc3\xa9") == "\ufffd\ufffd\ufffdé"
    assert without_surrogates("a\ud83d\ude00b") == "a\ufffd\ufffdb"


@pytest.mark.parametrize(
    ("pattern", "is_deep"),
    [
        ("(" * 1001 + ")" * 1001, True),
        ("(" * 1000 + ")" * 1000, False),
        ("(a)" * 2000, False),
        (r"\(" * 2000, False),
        ("[(]" * 2000, False),
        ("[](]" * 2000, False),
    ],
)
def test_groups_nest_as_deeply_as_in_go(pattern: str, is_deep: bool) -> None:
    """Class: 10 kB of parentheses, for which RE2 takes 828 MB."""
    assert ("nests too deeply" in (regex_error(pattern) or "")) == is_deep
