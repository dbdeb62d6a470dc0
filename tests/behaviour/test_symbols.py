"""Document symbols."""

import json
import textwrap
from pathlib import Path

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter

from tests.behaviour.harness import snapshot_of
from tests.behaviour.reading_harness import outline, text_in
from waza_lsp.features.document_symbol import document_symbol, document_symbol_json
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.tree.piece import clear_cache

SUITE = """\
name: notes
skill: notes
config:
  trials_per_task: 1
hooks:
  before_run:
    - command: make fixtures
metrics:
- name: accuracy
  weight: 1
graders:
  - type: file
    name: has-notes
    config:
      content_patterns:
        - path: notes.md
          must_match: [x]
  - type: text
tasks:
  - tasks/*.yaml
  - id: t1
    name: Take notes
    inputs:
      prompt: |
        Take notes.
    graders: [{type: text, name: inner}]
"""


def test_f04_items_are_named_and_show_their_type() -> None:
    assert outline(SUITE) == textwrap.dedent(
        """\
        name: notes
        skill: notes
        config
        hooks
          before_run
            make fixtures
        metrics
          accuracy
        graders
          has-notes: file
          text: text
        tasks
          Take notes
            graders
              inner: text"""
    )


def test_a_task_file() -> None:
    document = """\
        id: t1
        name: Take notes
        inputs:
          files:
            - path: a.txt
            - path: b.txt
        checkpoints:
          - after_turn: 1
            graders:
              - {name: asks, type: text}
        """
    assert outline(document, "tasks/a.yaml") == textwrap.dedent(
        """\
        id: t1
        name: Take notes
        inputs
          files
            a.txt
            b.txt
        checkpoints
          1
            graders
              asks: text"""
    )


def _texts(source: str) -> dict[str, tuple[str, str]]:
    """Return the range text and the selection text of each symbol by name. Each range contains its children's."""
    snapshot = snapshot_of(source)
    found: dict[str, tuple[str, str]] = {}
    waiting = list(document_symbol(snapshot))
    while waiting:
        it = waiting.pop()
        found[it.name] = (text_in(snapshot, it.range), text_in(snapshot, it.selection_range))
        assert _holds(it.range, it.selection_range)
        for inner in it.children or ():
            assert _holds(it.range, inner.range)
            waiting.append(inner)
    return found


def _holds(outer: types.Range, inner: types.Range) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def test_ranges_are_exact() -> None:
    texts = _texts(SUITE)
    assert texts["accuracy"] == ("name: accuracy\n  weight: 1", "accuracy")
    assert texts["metrics"] == ("metrics:\n- name: accuracy\n  weight: 1", "metrics")
    assert texts["inner"] == ("{type: text, name: inner}", "inner")
    assert texts["config"] == ("config:\n  trials_per_task: 1", "config")


def test_ranges_with_windows_line_ends_and_characters_outside_the_basic_plane() -> None:
    source = 'graders:\r\n  - {name: "🎉", type: "🎉"}\r\n  - name: 😀😀\r\n    type: text\r\ntasks: [a]\r\n'
    texts = _texts(source)
    assert texts["🎉"] == ('{name: "🎉", type: "🎉"}', '"🎉"')
    assert texts["😀😀"] == ("name: 😀😀\n    type: text", "😀😀")


def test_an_item_without_any_text_is_named_by_its_number() -> None:
    assert outline("graders:\n  - name:\n  - {}\ntasks: [a]\n") == "graders\n  #1\n  #2\ntasks"


def test_an_alias_is_named_by_what_it_stands_for() -> None:
    document = "graders:\n  - &g\n    name: one\n    type: text\n  - *g\ntasks: [a]\n"
    assert outline(document) == "graders\n  one: text\n  one: text\ntasks"


def test_a_broken_line_takes_nothing_else_away() -> None:
    broken = SUITE.replace("    name: has-notes", "    name: has-notes\n    regex: [open")
    assert outline(broken) == outline(SUITE)


def test_a_half_typed_line_in_column_zero() -> None:
    broken = SUITE.replace("  - type: text\n", "gra\n  - type: text\n")
    assert outline(broken) == outline(SUITE)


def test_a_document_in_braces() -> None:
    assert outline("{name: x, skill: y, graders: [{name: one, type: text}], tasks: [a]}") == (
        "name: x\nskill: y\ngraders\n  one: text\ntasks"
    )


def test_long_and_many_lined_names_are_cut() -> None:
    document = 'should_trigger_prompts:\n  - prompt: |\n      first\n      second\n  - prompt: "%s"\n' % (
        "x" * 200
    )
    assert outline(document, "trigger_tests.yaml") == f"should_trigger_prompts\n  first\n  {'x' * 79}…"


def test_a_file_that_is_no_eval_has_no_outline_of_ours() -> None:
    assert outline("on: push\njobs: {}\n", "ci.yaml") == ""
    assert outline("", "notes.yaml") == ""


@pytest.mark.parametrize(
    "path", sorted((Path(__file__).parents[2] / "examples").rglob("*.yaml")), ids=lambda it: it.stem
)
def test_written_as_the_library_would_send_them(path: Path) -> None:
    for text in (
        path.read_text(encoding="utf-8"),
        path.read_text(encoding="utf-8").replace("name: ", 'name: "😀" '),
    ):
        snapshot = Snapshot.of(path.as_uri(), text)
        expected = get_converter().unstructure(document_symbol(snapshot))
        assert json.loads(document_symbol_json(snapshot)) == json.loads(json.dumps(expected))


def test_without_nesting_they_come_one_after_the_other() -> None:
    snapshot = snapshot_of(SUITE)
    found = json.loads(document_symbol_json(snapshot, nested=False))
    symbols = [get_converter().structure(it, types.SymbolInformation) for it in found]
    assert {it.location.uri for it in symbols} == {snapshot.uri}
    named = [(it.name, it.container_name) for it in symbols]
    assert named[:2] == [("name", None), ("skill", None)]
    assert ("has-notes", "graders") in named
    assert named.index(("Take notes", "tasks")) > named.index(("tasks", None))


_MEMORABLE = """\
name: notes
skill: notes
description: &d
  name: first
graders:
- type: text
- {type: file, name: "🧪 a"}
- config: {}
- config: {}
tasks:
- id: t
  graders: [*d]
"""


@pytest.mark.parametrize(
    ("then", "now", "encoding"),
    [
        pytest.param("graders:", "\n\ngraders:", "utf-16", id="moved down"),
        pytest.param("- type: text\n", "", "utf-16", id="another number"),
        pytest.param("- type: text", "- config: {}", "utf-16", id="another number in the same place"),
        pytest.param("name: first", "name: second", "utf-16", id="what an alias stands for"),
        pytest.param("name: first", "name: first", "utf-8", id="other units of columns"),
    ],
)
def test_what_is_remembered_of_an_item_is_what_would_be_found(then: str, now: str, encoding: str) -> None:
    before = snapshot_of(_MEMORABLE)
    document_symbol_json(before)
    after = Snapshot.of(before.uri, _MEMORABLE.replace(then, now), encoding=encoding)
    found = document_symbol_json(after)
    clear_cache()
    assert found == document_symbol_json(Snapshot.of(before.uri, str(after.text), encoding=encoding))
    assert found != document_symbol_json(before)
