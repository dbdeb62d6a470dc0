"""Adding, removing, moving and replacing entries keeps comments, brackets and columns."""

from typing import Any

import pytest

from waza_engine.lib.pointer import Pointer
from waza_lsp.syntax.edit.edits import Draft, Edit
from waza_lsp.syntax.edit.entries import add_item, add_key, remove
from waza_lsp.syntax.edit.move import move_entry
from waza_lsp.syntax.edit.values import replace_value
from waza_lsp.syntax.text import Text
from waza_lsp.syntax.tree.tree import Tree

SOURCE = """\
# about the file
name: notes  # short

config:
    # how often
    trials: 1
    nothing:  # yet
items:
- first: a
  # why
  second: [b]
- {one: 1, two: 2}
text: |+
    kept

last: &l x
other: *l
"""


def _after(edits: list[Edit] | None, draft: Draft) -> str:
    assert edits is not None
    return str(draft.apply(edits).text)


@pytest.fixture
def draft() -> Draft:
    text = Text.of(SOURCE)
    return Draft(text, Tree.of(text.lines))


@pytest.mark.parametrize(
    ("pointer", "old", "new"),
    [
        (("name",), "name: notes  # short\n", ""),
        (("config", "trials"), "    # how often\n    trials: 1\n", ""),
        (("config",), "config:\n    # how often\n    trials: 1\n    nothing:  # yet\n", ""),
        (("items", 0), "- first: a\n  # why\n  second: [b]\n", ""),
        (("items", 0, "first"), "- first: a\n", "-\n"),
        (("items", 0, "second"), "  # why\n  second: [b]\n", ""),
        (("items", 0, "second", 0), "[b]", "[]"),
        (("items", 1, "one"), "{one: 1, two: 2}", "{two: 2}"),
        (("items", 1, "two"), "{one: 1, two: 2}", "{one: 1}"),
        (("text",), "text: |+\n    kept\n\n", ""),
        (("other",), "other: *l\n", ""),
    ],
)
def test_remove(draft: Draft, pointer: Pointer, old: str, new: str) -> None:
    assert _after(remove(draft, pointer), draft) == SOURCE.replace(old, new, 1)


@pytest.mark.parametrize(
    ("pointer", "key", "value", "old", "new"),
    [
        (("config",), "workers", 2, "    trials: 1\n", "    trials: 1\n    workers: 2\n"),
        (("config", "nothing"), "a", [{"b": 1}], "# yet\n", "# yet\n        a:\n        - b: 1\n"),
        (("items", 0), "third", {"x": "y: z"}, "[b]\n", "[b]\n  third:\n      x: 'y: z'\n"),
        (("items", 1), "six", ["a, b"], "two: 2}", "two: 2, six: ['a, b']}"),
        ((), "end", "1.0", "other: *l\n", "other: *l\nend: '1.0'\n"),
    ],
)
def test_add_key(draft: Draft, pointer: Pointer, key: str, value: Any, old: str, new: str) -> None:
    order = ("trials", "workers", "nothing", "first", "one", "second", "third")
    assert _after(
        add_key(draft, pointer, key, value, order if key in order else ()), draft
    ) == SOURCE.replace(old, new, 1)


def test_add_key_refuses_existing_keys_and_values_that_are_not_mappings(draft: Draft) -> None:
    assert add_key(draft, ("config",), "trials", 2, ()) is None
    assert add_key(draft, ("name",), "trials", 2, ()) is None
    assert add_key(draft, ("other",), "trials", 2, ()) is None


@pytest.mark.parametrize(
    ("pointer", "value", "old", "new"),
    [
        (("items",), {"a": 1}, "two: 2}\n", "two: 2}\n- a: 1\n"),
        (("items", 0, "second"), "c", "[b]", "[b, c]"),
        (("config", "nothing"), "c", "# yet\n", "# yet\n    - c\n"),
        (("config", "more"), "c", "nothing:  # yet\n", "nothing:  # yet\n    more: [c]\n"),
    ],
)
def test_add_item(draft: Draft, pointer: Pointer, value: Any, old: str, new: str) -> None:
    assert _after(add_item(draft, pointer, value), draft) == SOURCE.replace(old, new, 1)


@pytest.mark.parametrize(
    ("pointer", "to", "changes"),
    [
        (
            ("config", "trials"),
            ("trials",),
            [("    # how often\n    trials: 1\n", ""), ("*l\n", "*l\n# how often\ntrials: 1\n")],
        ),
        (
            ("name",),
            ("config", "title"),
            [("name: notes  # short\n", ""), ("# yet\n", "# yet\n    title: notes  # short\n")],
        ),
        (
            ("items", 0, "second"),
            ("items", 0, "deep", "er"),
            [("  # why\n  second: [b]\n", "  deep:\n      # why\n      er: [b]\n")],
        ),
        (("items", 1, "two"), ("items", 1, "in", "two"), [("{one: 1, two: 2}", "{one: 1, in: {two: 2}}")]),
        (("items", 1, "two"), ("config", "two"), [(", two: 2", ""), ("# yet\n", "# yet\n    two: 2\n")]),
        (
            ("text",),
            ("config", "text"),
            [("text: |+\n    kept\n\n", ""), ("# yet\n", "# yet\n    text: |+\n        kept\n\n")],
        ),
    ],
)
def test_move_entry(draft: Draft, pointer: Pointer, to: Pointer, changes: list[tuple[str, str]]) -> None:
    expected = SOURCE
    for old, new in changes:
        expected = expected.replace(old, new, 1)
    assert _after(move_entry(draft, pointer, to), draft) == expected


def test_move_entry_refuses_existing_targets(draft: Draft) -> None:
    assert move_entry(draft, ("name",), ("config", "trials")) is None
    assert move_entry(draft, ("nowhere",), ("config", "x")) is None
    assert move_entry(draft, ("name",), ("last", "x")) is None
    assert move_entry(draft, ("text",), ("items", 1, "text")) is None


@pytest.mark.parametrize(
    ("pointer", "value", "old", "new"),
    [
        (("last",), "z", "&l x", "&l z"),
        (("name",), "1.0", "notes", "'1.0'"),
        (("config", "nothing"), {"a": [1]}, "# yet\n", "# yet\n        a: [1]\n"),
        (("config", "nothing"), "x", "nothing:  #", "nothing: x  #"),
        (("text",), "short", "|+\n    kept\n", "short\n"),
        (("items", 1, "one"), "a, b", "one: 1", "one: 'a, b'"),
        (("other",), "own", "*l", "own"),
    ],
)
def test_replace_value(draft: Draft, pointer: Pointer, value: Any, old: str, new: str) -> None:
    assert _after(replace_value(draft, pointer, value), draft) == SOURCE.replace(old, new, 1)
