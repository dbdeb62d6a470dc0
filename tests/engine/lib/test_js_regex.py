"""JavaScript patterns: errors, notes, positions and limits. The conformance tests cover matching."""

import time

import pytest

from waza_engine.lib.js_regex import TooSlowError, js_error, js_matches, js_notes, js_span, matching


@pytest.mark.parametrize(
    ("pattern", "position", "word"),
    [
        ("(?i", 0, "Invalid group"),
        ("ab(?P<n>x)", 2, "(?<name>...)"),
        ("a(?i)b", 1, "very start"),
        ("(?ii)a", 2, "twice"),
        ("ab[c", 2, "Unterminated character class"),
        ("a(b", 1, "Unterminated group"),
        ("ab)", 2, "Unmatched"),
        ("x**", 2, "Nothing to repeat"),
        ("😀[z-a]", 2, "Range out of order"),
        ("a\\", 1, "at end of pattern"),
        ("(?<n>a)\\k<m>", 7, "No group is named 'm'"),
        ("(?<n>a)(?<n>b)", 7, "Duplicate"),
        ("a{2,1}", 1, "out of order"),
    ],
)
def test_an_error_says_what_and_where(pattern: str, position: int, word: str) -> None:
    problem = js_error(pattern)
    assert problem is not None
    assert problem.position == position
    assert word in problem.message


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        (r"^a\Z", r"\Z"),
        (r"\Aa", r"\A"),
        (r"x\z", r"\z"),
        (r"\p{L}+", r"\p"),
        (r"a(?i:b)", "(?i:"),
        (r"[[:alpha:]]", "[:alpha:]"),
        (r"😀\h", r"\h"),
        (r"\u{41}", r"\u{"),
    ],
)
def test_a_note_has_the_range_of_its_part(pattern: str, part: str) -> None:
    (note,) = js_notes(pattern)
    assert pattern[note.start : note.end] == part


def test_usual_patterns_have_no_notes() -> None:
    assert js_notes(r"(?im)^\s*\*\*(?<what>[\w-]+)\*\*:\s+\d{1,3}(?!\d)\b.*$") == ()


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("b+", "a😀bb", "bb"),
        ("😀", "a😀b", "😀"),
        ("(?m)^c$", "a\r\nb\u2028c", "c"),
        ("(?<=😀)b", "a😀b", "b"),
        ("(?m)(?<=x)$", "x\ry", ""),
    ],
)
def test_the_span_counts_characters(pattern: str, text: str, found: str) -> None:
    span = js_span(pattern, text)
    assert span is not None
    assert text[span[0] : span[1]] == found
    assert text[: span[0]].endswith(("x", "a😀", "a", "\u2028"))


def test_patterns_for_re2_take_linear_time() -> None:
    started = time.process_time()
    assert js_matches("(a+)+$", "a" * 50_000 + "b") is False
    assert js_matches("(?m)^(\\w+\\s?)+$", "ab " * 20_000 + "!\r") is False
    assert time.process_time() - started < 2


@pytest.mark.slow
def test_an_endless_search_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "LIMIT_SECONDS", 0.2)
    with pytest.raises(TooSlowError):
        js_matches("(?!x)^(a|aa)+$", "a" * 60 + "b")


@pytest.mark.parametrize("pattern", ["(?=a{2000000000})", "(?=((a{1000}){1000}){1000})x"])
def test_counts_that_multiply_are_not_unrolled(pattern: str) -> None:
    with pytest.raises(TooSlowError, match="too large"):
        js_matches(pattern, "a")


def test_a_text_shorter_than_every_match_needs_no_search() -> None:
    assert js_matches("(?:" * 90 + "a" + "){2}" * 90 + "(?=b)", "a") is False


@pytest.mark.slow
def test_a_long_pattern_is_read_in_time() -> None:
    started = time.process_time()
    assert js_error("\\d\\.[\\w-]" * 20_000) is None
    assert time.process_time() - started < 2


def test_a_pattern_that_is_nested_too_deeply_is_an_error_and_not_a_crash() -> None:
    assert js_error("(" * 5000 + ")" * 5000) is not None
    assert js_error("a{99999999999999999999}") is None


@pytest.mark.parametrize("pattern", ["[Ss]|[Zz]", "(?i)s|z", "(?i)as|az|s", "(?i)b|k", "[Kk]|x"])
@pytest.mark.parametrize("text", ["\u017f", "\u212a", "a\u017f"])
def test_ascii_letters_never_equal_others_in_any_case(pattern: str, text: str) -> None:
    assert js_matches(pattern, text) is False


def test_a_lone_surrogate_is_a_unit() -> None:
    assert js_matches("^.$", "\ud83d") is True
    assert js_matches("\\ud83d", "😀") is True
