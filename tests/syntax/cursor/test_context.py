"""The situations at a cursor: equal to the tree in valid texts, useful in broken ones."""

from pathlib import Path

import pytest

from tests.slow import first_quick
from waza_lsp.syntax.cursor.context import situations
from waza_lsp.syntax.cursor.surroundings import At, Situation
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree.node import Kind
from waza_lsp.syntax.tree.tree import Tree

EXAMPLES = Path(__file__).parents[3] / "examples"
SUITES = sorted(EXAMPLES.glob("*/*.yaml")) + sorted(EXAMPLES.glob("*/tasks/*.yaml"))


@pytest.mark.parametrize("path", first_quick(SUITES, 3), ids=lambda it: f"{it.parent.name}/{it.name}")
def test_keys_and_values_stand_where_the_tree_has_them(path: Path) -> None:
    text = Text.of(path.read_text(encoding="utf-8"))
    tree = Tree.of(text.lines)
    seen = 0
    for line in range(len(text.lines)):
        for column in range(len(text.line(line)) + 1):
            place = Place(line, column)
            located = tree.at(place)
            if located is None or located.node.kind is not Kind.SCALAR:
                continue
            found = situations(tree, text, place)
            if located.on_key:
                assert [(it.at, it.pointer) for it in found] == [(At.KEY, located.pointer[:-1])], place
                seen += 1
            elif found:
                assert [(it.at, it.pointer) for it in found] == [(At.VALUE, located.pointer)], place
                seen += 1
            else:
                assert located.node.style or located.value.start.line < located.value.end.line, place
    assert seen > 20


def _at(source: str) -> list[Situation]:
    before, _, after = source.partition("¦")
    text = Text.of(before + after)
    return situations(
        Tree.of(text.lines), text, Place(before.count("\n"), len(before) - before.rfind("\n") - 1)
    )


def test_a_blank_line_below_a_key_is_for_its_value() -> None:
    (here,) = _at("a:\n  b:\n    ¦\nc: 1\n")
    assert (here.at, here.pointer, here.column) == (At.VALUE, ("a", "b"), 4)


def test_the_data_has_the_values_along_the_pointer_and_their_neighbours() -> None:
    (here,) = _at("a:\n  - type: x\n    n: {y: 1}\n    o:\n      - 1\n    p:\n      ¦\n")
    assert here.data == {"a": [{"type": "x", "n": {}, "o": [], "p": None}]}


def test_earlier_items_count() -> None:
    (here,) = _at("a:\n" + "  - {n: 1}\n" * 5 + "  - n: ¦\n")
    assert here.pointer == ("a", 5, "n")


def test_a_wrong_column_is_replaced_by_the_right_one() -> None:
    (here,) = _at("a:\n  b: 1\n   ¦\n")
    assert (here.at, here.lead, here.span) == (At.KEY, "  ", Span(Place(2, 0), Place(2, 3)))


def test_below_a_list_in_its_parents_column_a_key_and_an_item_fit() -> None:
    assert [(it.at, it.pointer) for it in _at("a:\n- b: 1\n¦\n")] == [(At.KEY, ()), (At.ITEM, ("a",))]
    assert [(it.at, it.pointer) for it in _at("a:\n- b: 1\n¦\n- b: 2\n")] == [(At.ITEM, ("a",))]


@pytest.mark.parametrize(
    "source", ["a: |\n  text\n  ¦\n", "a: 'x\n  ¦\n  y'\n", "a: 1 # ¦\n", "--¦-\na: 1\n", "a: 1 ¦\n"]
)
def test_nothing_can_be_written_in_texts_comments_and_finished_lines(source: str) -> None:
    assert _at(source) == []


def test_the_first_line_of_a_map_may_be_unfinished() -> None:
    first, second, guess = _at("a:\n  b:\n    word\n    ¦\n")
    assert (first.at, first.pointer, first.column, first.is_guess) == (At.KEY, ("a", "b"), 4, False)
    assert (second.at, second.pointer, second.column) == (At.ITEM, ("a", "b"), 4)
    assert (guess.at, guess.pointer, guess.is_guess) == (At.KEY, ("a",), True)
    # The schema decides by the present value whether a guess counts.
    assert first.data == {"a": {"b": "word"}}
    (here,) = _at("a:\n  b:\n    word\n    c: 1\n    ¦\n")
    assert (here.at, here.pointer, here.data) == (At.KEY, ("a", "b"), {"a": {"b": {"c": 1}}})
    (here,) = _at("a:\n  - word\n    c: 1\n    ¦\n")
    assert (here.at, here.pointer, here.data) == (At.KEY, ("a", 0), {"a": [{"c": 1}]})


def test_an_unclosed_bracket_ends_where_block_style_begins() -> None:
    (here,) = _at("a:\n  [open\n  c: 1\n  ¦\n")
    assert (here.at, here.pointer, here.data) == (At.KEY, ("a",), {"a": {"c": 1}})
    (here,) = _at("a:\n  {\n  c: 1,\n  ¦\n")
    assert (here.flow, here.pointer, here.data) == (True, ("a",), {"a": {"c": 1}})
    (here,) = _at("a: {b: 1, ¦\nc: [2]\n")
    assert (here.flow, here.pointer, here.data) == (True, ("a",), {"a": {"b": 1}, "c": []})


def test_outer_brackets_are_read_to_their_end() -> None:
    (here,) = _at("a: [{b: {¦}, c: 1, d: [x, {e: 2}]}, {c: 2}]\n")
    assert here.pointer == ("a", 0, "b")
    assert here.data == {"a": [{"b": {}, "c": 1, "d": ["x", {}]}]}
    (here,) = _at("z: &z {c: 3, d: 4}\na: {b: {¦}, <<: *z, d: 5}\n")
    assert here.data["a"] == {"b": {}, "c": 3, "d": 5}


def test_a_value_may_follow_the_colon_of_an_explicit_key() -> None:
    for source in ("? a\n: ¦\n", "? a\n: x¦\n", "{? a : ¦}\n"):
        (here,) = _at(source)
        assert (here.at, here.pointer) == (At.VALUE, ("a",)), source
    (here,) = _at("a:\n  ? b\n  : c: 1\n ¦\n")
    assert (here.at, here.pointer, here.column, here.lead) == (At.KEY, ("a",), 2, "  ")
