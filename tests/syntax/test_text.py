"""Positions and edits of a text, compared with the plain string."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from waza_lsp.syntax.text import Place, Span, Text, split_lines

ALPHABET = st.sampled_from([*"ab: -#'\t\n\r", "\r\n", "é", "𝄞", "\u2028", "\x85", "\x0b", "日"])
SOURCES = st.lists(ALPHABET, max_size=40).map("".join)
ENCODINGS = st.sampled_from(list(types.PositionEncodingKind))


@given(SOURCES)
def test_lines_end_at_lf_crlf_and_cr_only(source: str) -> None:
    lines = split_lines(source)
    assert "".join(lines) == source
    assert len(lines) == len(re.split(r"\r\n|\n|\r", source))


@given(SOURCES, ENCODINGS, st.data())
def test_a_place_converts_to_a_position_and_back(
    source: str, encoding: types.PositionEncodingKind, data: st.DataObject
) -> None:
    text = Text.of(source, encoding)
    line = data.draw(st.integers(0, len(text.lines) - 1))
    place = Place(line, data.draw(st.integers(0, len(text.line(line)))))
    assert text.place(text.position(place)) == place


@given(SOURCES, SOURCES, st.data())
def test_an_edit_equals_that_of_the_plain_string(source: str, new: str, data: st.DataObject) -> None:
    text = Text.of(source)
    a, b = sorted(data.draw(st.tuples(*[_places(text)] * 2)))
    edited = text.replace(Span(a, b), new)
    expected = source[: _offset(text, a)] + new + source[_offset(text, b) :]
    assert str(edited) == expected
    assert list(edited.lines) == split_lines(expected)


def _places(text: Text) -> st.SearchStrategy[Place]:
    return st.sampled_from(
        [Place(i, c) for i in range(len(text.lines)) for c in range(len(text.line(i)) + 1)]
    )


def _offset(text: Text, place: Place) -> int:
    return sum(len(it) for it in text.lines[: place.line]) + place.column


@pytest.mark.parametrize(
    ("encoding", "character"),
    [
        (types.PositionEncodingKind.Utf8, 6),
        (types.PositionEncodingKind.Utf16, 4),
        (types.PositionEncodingKind.Utf32, 3),
    ],
)
def test_a_character_beyond_the_basic_plane_counts_by_encoding(
    encoding: types.PositionEncodingKind, character: int
) -> None:
    text = Text.of("a𝄞b", encoding)
    assert text.position(Place(0, 3)).character == character


def test_a_position_after_the_end_is_the_end() -> None:
    text = Text.of("ab\ncd")
    assert text.place(types.Position(0, 99)) == Place(0, 2)
    assert text.place(types.Position(99, 0)) == Place(1, 2)
