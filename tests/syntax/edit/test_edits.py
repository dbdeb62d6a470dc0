"""Drafts: applying edits, and the difference between a later draft and the first one."""

from bisect import insort

from hypothesis import given
from hypothesis import strategies as st

from waza_lsp.syntax.edit.edits import Draft, Edit, difference, has_overlap
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree.tree import Tree

SOURCE = "name: a\nlist:\n  - b\n  - c: 😀\n    d: e\nlast: f"


def _draft(source: str) -> Draft:
    text = Text.of(source)
    return Draft(text, Tree.of(text.lines))


def _span(a: int, b: int, c: int, d: int) -> Span:
    return Span(Place(a, b), Place(c, d))


_edits = st.tuples(
    st.integers(0, 200), st.integers(0, 12), st.sampled_from(["", "x", "y: z\n", "\n  - q\n", "# 😀"])
)


@given(st.lists(st.lists(_edits, max_size=3), max_size=4), st.sampled_from(["\n", "\r\n"]))
def test_the_difference_leads_from_the_first_draft_to_the_last(
    rounds: list[list[tuple[int, int, str]]], end: str
) -> None:
    first = _draft(SOURCE.replace("\n", end))
    last = first
    for some in rounds:
        edits: list[Edit] = []
        for start, length, new in some:
            edit = Edit(_span_at(last.text, start, length), new)
            if not has_overlap([edit], edits):
                insort(edits, edit)
        last = last.apply(edits)
    found = difference(first.text, last)
    assert str(first.apply(found).text) == str(last.text)
    assert last.tree.data() == _draft(str(last.text)).tree.data()


def _span_at(text: Text, start: int, length: int) -> Span:
    """Return a span on one line that starts at an offset, or at the end of the text."""
    for line in range(len(text.lines)):
        width = len(text.line(line))
        if start <= width or line == len(text.lines) - 1:
            column = min(start, width)
            return _span(line, column, line, min(width, column + length))
        start -= width
    raise AssertionError


def test_the_difference_leaves_out_unchanged_lines() -> None:
    first = _draft(SOURCE)
    last = first.apply([Edit(_span(0, 6, 0, 7), "x")]).apply([Edit(_span(5, 0, 5, 0), "more: 1\n")])
    assert difference(first.text, last) == [
        Edit(_span(0, 6, 0, 7), "x"),
        Edit(_span(5, 0, 5, 0), "more: 1\n"),
    ]


def test_edits_that_break_the_text_are_recognised() -> None:
    draft = _draft(SOURCE)
    assert draft.is_harmed_by([Edit(_span(0, 6, 0, 7), '"')])
    assert draft.is_harmed_by([Edit(_span(0, 6, 0, 7), "x"), Edit(_span(5, 6, 5, 7), "[")])
    assert not draft.is_harmed_by([Edit(_span(0, 6, 0, 7), "xy")])
