"""Each problem is inside its text, counted in LSP lines, and its repairs can be computed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waza_lsp.syntax.errors.repairs import repairs
from waza_lsp.syntax.text import Place, Text
from waza_lsp.syntax.tree.parse import parse

PARTS = [
    "- ",
    "-",
    "a",
    "b: ",
    "c:",
    "'",
    '"',
    "[",
    "{",
    "\n",
    "  ",
    "\t",
    "\r",
    "\u2028",
    "\x85",
    "é",
    "#",
    "|",
]


@pytest.mark.parametrize(
    ("source", "start"),
    [
        ('version:\u2028"\n\n', Place(0, 9)),
        ("  - /envir\u2028'ment/skills\n", Place(0, 11)),
        ('a: 1\nskill: deploy\u2028schema: "1.\r', Place(1, 22)),
        ("skill: fil\u2028-editor\n", Place(0, 11)),
        ("a: b\u2029c: d\ne\n", Place(1, 0)),
    ],
)
def test_problems_count_lines_as_lsp_does(source: str, start: Place) -> None:
    [problem] = parse(source).problems
    assert problem.span.start == start
    assert isinstance(repairs(source, problem), list)


@settings(deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=14).map("".join))
def test_every_problem_is_in_the_text(source: str) -> None:
    text = Text.of(source)
    for it in parse(source).problems:
        assert 0 <= it.span.start.line < len(text.lines)
        assert isinstance(repairs(source, it), list)
