"""Aliases that expand to too many values."""

from waza_lsp.syntax.text import split_lines
from waza_lsp.syntax.tree.tree import Tree


def _excess(text: str) -> int:
    return Tree.of(split_lines(text)).excess


def test_ordinary_aliases_are_fine() -> None:
    assert _excess("a: &a [1, 2]\nb: *a\nc: [*a, *a]\n") == -1


def test_the_line_of_the_alias_that_exceeds_the_limit() -> None:
    text = "a0: &a0 [1, 2, 3]\n" + "".join(f"a{i}: &a{i} [{f'*a{i - 1}, ' * 10}]\n" for i in range(1, 9))
    tree = Tree.of(split_lines(text))
    assert tree.excess == 4
    assert tree.anchors == {}, "so that nobody follows them"


def test_many_aliases_of_one_large_value() -> None:
    text = f"a: &a [{'1, ' * 2000}]\nb:\n" + "  - *a\n" * 60
    assert _excess(text) == 11


def test_recursive_and_unknown_aliases_count_as_one_value() -> None:
    assert _excess("a: &a [*a, *b]\n") == -1
    assert _excess("[&a [*a], *a]\n") == -1
