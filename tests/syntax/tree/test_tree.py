"""The tree equals libyaml in valid texts, equals a fresh tree after any edit, and is useful in broken texts."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

from tests.slow import examples
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Text
from waza_lsp.syntax.tree.builder import Builder
from waza_lsp.syntax.tree.tree import Tree

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("**/*.yaml"))

SUITE = """\
# A suite that is hard to cut into pieces.
name: notes
skill: "notes: the skill"
config: {trials_per_task: 1,
  timeout_seconds: 60}
graders:
# a comment between the key and its list
- type: text
  name: first
  config:
    contains:
    - a
    - b
- type: code
  name: second
  config:
    assertions:
      - |
        - not an item
        x: y
      - "two
        lines"
tasks:
  - one.yaml   # trailing

  - two.yaml
"""


def _tree(source: str) -> Tree:
    return Tree.of(Text.of(source).lines)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda it: f"{it.parent.parent.name}-{it.stem}")
def test_valid_files_read_as_with_libyaml(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    tree = _tree(source)
    assert list(tree.problems()) == []
    assert tree.data() == yaml.load(source, yaml.CSafeLoader)  # the safe loader in C


def test_a_suite_that_is_hard_to_cut() -> None:
    tree = _tree(SUITE)
    assert list(tree.problems()) == []
    assert tree.data() == yaml.load(SUITE, yaml.CSafeLoader)  # the safe loader in C
    assert len(tree.pieces) == 10


@pytest.mark.parametrize(
    "source",
    [
        "a: 'one\ntwo'\nb: 1\n",
        "a: [1,\n2]\nb: 1\n",
        "{a: 1, b: [2]}\n",
        "--- # start\na: 1\n",
        "? a\n: 1\nb: 2\n",
        "\"a b\": 1\n'c': 2\n",
        "a: &x {k: 1}\nb: *x\nc:\n  <<: *x\n  l: 2\n",
        "a:\r\n  - b\r\n  - c\r\n",
        "a: 1\n\n\n# end\n",
        "a: é𝄞\nb: |\n  line\n\n  more\nc: 1\n",
    ],
)
def test_unusual_valid_texts_read_as_with_libyaml(source: str) -> None:
    tree = _tree(source)
    assert list(tree.problems()) == []
    assert tree.data() == yaml.load(source, yaml.CSafeLoader)  # the safe loader in C


def test_only_the_first_document_counts() -> None:
    tree = _tree("a: 1\n---\nb: 2\n")
    assert tree.data() == {"a": 1}
    assert tree.second_document == 1


@pytest.mark.parametrize(
    "typed", ["    con", '    x: "open', "    y: [1,", "  foo", "bar", "\t", "    a: b: c", "-"]
)
def test_a_broken_item_does_not_affect_the_others(typed: str) -> None:
    lines = SUITE.split("\n")
    lines.insert(9, typed)
    data: Any = _tree("\n".join(lines)).data()
    assert [it.get("name") for it in data["graders"] if isinstance(it, dict)][-1] == "second"
    assert data["graders"][0]["type"] == "text"
    assert data["tasks"] == ["one.yaml", "two.yaml"]


def test_spans_point_at_their_text() -> None:
    tree, text = _tree(SUITE), Text.of(SUITE)
    for pointer, expected in [
        (("name",), "notes"),
        (("skill",), '"notes: the skill"'),
        (("graders", 1, "name"), "second"),
        (("graders", 0, "config", "contains", 1), "b"),
        (("tasks", 1), "two.yaml"),
        (("config", "timeout_seconds"), "60"),
    ]:
        located = tree.find(pointer)
        assert located is not None
        assert text.slice(located.value) == expected
        assert tree.at(located.value.start) is not None
        assert tree.at(located.value.start).pointer == pointer  # type: ignore[union-attr]  # asserted just above


def test_no_value_is_at_comments_and_blank_lines() -> None:
    tree = _tree(SUITE)
    assert tree.at(Place(0, 3)) is None
    assert tree.at(Place(6, 5)) is None
    assert tree.at(Place(23, 0)) is None


FRAGMENTS = st.sampled_from(
    [
        "",
        "x",
        "\n",
        "\n\n",
        "- ",
        "  - a\n",
        "k: v\n",
        "  k: v\n",
        "'",
        '"',
        "[",
        "]",
        "{",
        "#",
        ": ",
        "\t",
        "---\n",
        "|\n",
        "&a ",
        "*a",
    ]
)


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 30), FRAGMENTS), min_size=1, max_size=12))
def test_after_any_edits_the_tree_equals_a_fresh_one(edits: list[tuple[int, int, str]]) -> None:
    snapshot = Snapshot.of("file:///nowhere/eval.yaml", SUITE, 0)
    for version, (start, length, new) in enumerate(edits, 1):
        source = str(snapshot.text)
        a = start % (len(source) + 1)
        b = min(len(source), a + length)
        change = types.TextDocumentContentChangePartial(_range(snapshot.text, a, b), new)
        snapshot = snapshot.with_changes([change], version)
        assert str(snapshot.text) == source[:a] + new + source[b:]
        fresh = _tree(str(snapshot.text))
        assert [it[:3] for it in snapshot.tree.pieces] == [it[:3] for it in fresh.pieces]
        assert snapshot.tree.data() == fresh.data()
        assert list(snapshot.tree.problems()) == list(fresh.problems())
        assert _entries(snapshot.tree) == _entries(fresh)


@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 10_000), st.sampled_from(["x", "", "\n", "\n  # c", " y"])), max_size=8)
)
def test_after_small_edits_in_a_long_list_the_tree_equals_a_fresh_one(edits: list[tuple[int, str]]) -> None:
    items = "".join(f"  - type: text\n    name: n{i}\n    config: {{contains: [a{i}]}}\n" for i in range(30))
    snapshot = Snapshot.of("file:///nowhere/eval.yaml", f"name: a\ngraders:\n{items}tasks:\n  - a.yaml\n", 0)
    for version, (start, new) in enumerate(edits, 1):
        line = 8 + start % 80
        end = types.Position(line, len(snapshot.text.line(line)))
        change = types.TextDocumentContentChangePartial(types.Range(end, end), new)
        snapshot = snapshot.with_changes([change], version)
        fresh = _tree(str(snapshot.text))
        assert [it[:3] for it in snapshot.tree.pieces] == [it[:3] for it in fresh.pieces]
        assert _entries(snapshot.tree) == _entries(fresh)
        assert (snapshot.tree.line_count, snapshot.tree.data()) == (fresh.line_count, fresh.data())


def _entries(tree: Tree) -> list[tuple[object, ...]]:
    """Return the top-level keys with their items and all their spans."""
    return [
        (it.key.source, it.piece[:3], it.is_list, [(piece[:3], node.span) for piece, node in it.items])
        for it in tree.entries
    ]


def _range(text: Text, a: int, b: int) -> types.Range:
    return types.Range(_position(text, a), _position(text, b))


def _position(text: Text, offset: int) -> types.Position:
    for index, line in enumerate(text.lines):
        if offset <= len(text.line(index)) or index == len(text.lines) - 1:
            return text.position(Place(index, offset))
        offset -= len(line)
    raise AssertionError


@pytest.mark.parametrize("first", ["!!map\n", "&all\n", "# why\n! &all # here\n", "---\n&all\n"])
def test_the_root_may_have_its_tag_or_anchor_on_a_separate_line(first: str) -> None:
    tree = _tree(first + "name: a\ntasks:\n  - b\n")
    assert [it.key.source for it in tree.entries] == ["name", "tasks"]
    assert not any(it.parsed.problems for it in tree.pieces)


@pytest.mark.parametrize(("written", "value"), [("!x ''", ""), ("!x 60", "60"), ("!x", None)])
def test_the_value_of_an_unknown_tag_is_text(written: str, value: str | None) -> None:
    assert _tree(f"a: {written}\n").data() == {"a": value}


@pytest.mark.parametrize("first", ["&all", "!!map &all x", "!!seq", "&"])
def test_text_that_looks_like_a_tag_or_anchor(first: str) -> None:
    below = "" if first == "&all" else "name: a\n"
    assert any(it.parsed.problems for it in _tree(f"{first}\n{below}").pieces)


def test_a_broken_piece_is_read_only_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Builder] = []
    once = Builder.read

    def counted(builder: Builder) -> yaml.YAMLError | None:
        read.append(builder)
        return once(builder)

    monkeypatch.setattr(Builder, "read", counted)
    _tree("config:\n" + "  a\n    b: {c: 1}\n\td:\n      - e\n" * 50)
    assert 1 < len(read) <= 10
