"""Spans move with edits elsewhere and are dropped when an edit touches them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waza_lsp.syntax.span_mapping import change_between, map_span
from waza_lsp.syntax.text import Place, Span, Text

TEXT = "graders:\n  - type: text\n    config:\n      contains: [jitter, 'two words']\n"
WORD = "jitter"


def span_of(text: str, word: str) -> Span:
    line = next(i for i, it in enumerate(text.split("\n")) if word in it)
    column = text.split("\n")[line].index(word)
    return Span(Place(line, column), Place(line, column + len(word)))


def mapped_text(new: str, word: str = WORD, old: str = TEXT) -> str | None:
    """Return the text that the span of a word covers after an edit."""
    text = Text.of(new)
    span = map_span(span_of(old, word), change_between(Text.of(old).lines, text.lines))
    return None if span is None else text.slice(span)


@pytest.mark.parametrize(
    "new",
    [
        TEXT,
        "# one more line\n" + TEXT,
        TEXT + "# one more line\n",
        TEXT.replace("config:", "weight: 2\n    config:"),
        TEXT.replace("'two words'", "'three more words'"),
        TEXT.replace("]\n", "]\n      regex_match: [jitter]\n"),
        TEXT.replace("    config:\n", ""),
        TEXT.replace("\n", "\r\n", 1),
    ],
)
def test_a_span_moves_with_edits_elsewhere(new: str) -> None:
    assert mapped_text(new) == WORD


@pytest.mark.parametrize(
    "new",
    [
        TEXT.replace("jitter", "jittr"),
        TEXT.replace("jitter", "jitters"),
        TEXT.replace("jitter", "a jitter"),
        TEXT.replace("jitter", ""),
        TEXT.replace("      contains: [jitter, 'two words']\n", ""),
        "",
    ],
)
def test_a_touched_span_is_dropped(new: str) -> None:
    assert mapped_text(new) is None


def test_an_equal_line_above_moves_the_span() -> None:
    old = "- aa\n- ab\n"
    assert mapped_text("- aa\n- aa\n- ab\n", "ab", old) == "ab"
    assert mapped_text("x: 1\nid: b\n", "id: b", "id: b\n") == "id: b"


def test_a_new_line_after_the_last_word_keeps_the_span() -> None:
    assert mapped_text("id: b\nname: c", "b", "id: b") == "b"
    assert mapped_text("id: bc\nname: c", "b", "id: b") is None


@given(st.text("ab\r\n\U0001f600", max_size=12), st.text("ab\r\n\U0001f600", max_size=12))
def test_the_change_turns_the_one_text_into_the_other(old: str, new: str) -> None:
    before, target = Text.of(old), Text.of(new)
    change = change_between(before.lines, target.lines)
    if change is None:
        assert old == new
    else:
        assert str(before.replace(Span(change.start, change.old_end), change.new)) == new


@given(st.text("ab \n", max_size=20), st.text("ab \n", max_size=8), st.integers(0, 20), st.integers(0, 20))
def test_a_mapped_span_covers_the_same_text(old: str, new: str, cut: int, width: int) -> None:
    edited = old[:cut] + new + old[cut + width :]
    before, target = Text.of(old), Text.of(edited)
    change = change_between(before.lines, target.lines)
    for line in range(len(before.lines)):
        for start in range(len(before.line(line))):
            for end in range(start + 1, len(before.line(line)) + 1):
                span = Span(Place(line, start), Place(line, end))
                moved = map_span(span, change)
                if moved is not None:
                    assert target.slice(moved) == before.slice(span)
