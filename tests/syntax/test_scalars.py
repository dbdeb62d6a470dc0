"""Mapping a part of a scalar's value to its span in the text."""

import pytest

from waza_lsp.syntax.scalars import span_of_part
from waza_lsp.syntax.text import Place


def _shown(text: str, value: str, part: str) -> str | None:
    """Return the text that a part of the value maps to. The scalar starts at `<`, which is removed."""
    before, _, after = text.partition("<")
    start = Place(before.count("\n"), len(before.rpartition("\n")[2]))
    lines = (before + after).splitlines(keepends=True)
    at = value.index(part)
    found = span_of_part(lines, start, (at, at + len(part)))
    return lines[found.start.line][found.start.column : found.end.column] if found is not None else None


@pytest.mark.parametrize(
    ("text", "value", "part", "shown"),
    [
        ("a: <b(c\n", "b(c", "(", "("),
        ("a: <'b''(c'\n", "b'(c", "(", "("),
        ("a: <'b''(c'\n", "b'(c", "'", "''"),
        ('a: <"b\\\\d(c"\n', "b\\d(c", "(", "("),
        ('a: <"b\\\\d(c"\n', "b\\d(c", "\\d", "\\\\d"),
        ('a: <"\\u00e9\\x41(c"\r\n', "\u00e9A(c", "(c", "(c"),
        ("a: <'\U0001f600(c'\n", "\U0001f600(c", "(", "("),
        ("- <|\n    one\n    two (\n", "one\ntwo (\n", "(", "("),
        ("- <|-\n\n    two (\n", "\ntwo (", "two", "two"),
        ("- <'b(c'\n", "b(c", "b(c", "b(c"),
    ],
)
def test_a_part_maps_to_its_text(text: str, value: str, part: str, shown: str) -> None:
    assert _shown(text, value, part) == shown


@pytest.mark.parametrize(
    ("text", "value", "part"),
    [
        ("- <>\n    one\n    two (\n", "one two (\n", "("),
        ("- <'one\n    two ('\n", "one two (", "("),
        ("- <|2\n    two (\n", "  two (\n", "("),
    ],
)
def test_a_part_without_a_known_span(text: str, value: str, part: str) -> None:
    assert _shown(text, value, part) is None
