"""Formatting: small edits, comments and text unchanged, no edits in broken files; the line after Enter."""

import pytest
from lsprotocol import types

from tests.behaviour.layout_harness import entered, format_text


def test_blanks_at_the_ends_of_lines() -> None:
    assert (
        format_text("skill: x  \ngraders:\t\n  - type: text \n   \n")
        == "skill: x\ngraders:\n  - type: text\n"
    )


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n", "\n  \n", "\n  ", "  "])
def test_one_line_end_at_the_end(end: str) -> None:
    assert format_text(f"skill: x\ngraders: []{end}") == "skill: x\ngraders: []\n"


def test_windows_line_ends_stay() -> None:
    assert format_text("skill: x \r\ngraders: []") == "skill: x\r\ngraders: []\r\n"


def test_comments_are_left_as_they_are() -> None:
    source = "# a  \nskill: x  # b  \n#c\ngraders: []\n# the end  \n"
    assert format_text(source) == source


@pytest.mark.parametrize(
    "value",
    [
        "|\n    a  \n\n    b\n",
        "|+\n    a\n\n\n",
        ">-\n    a  \n     b  \n",
        "'a  \n\n    b'\n",
        '"a  \\\n    b"\n',
        "a  \n    b\n",
        "|\n    a",
        "|\n    a\n  ",
    ],
)
def test_texts_of_several_lines_are_left_as_they_are(value: str) -> None:
    source = f"id: x\ninputs:\n  prompt: {value}"
    assert format_text(source, name="tasks/a.yaml") == source


def test_what_stands_around_a_text_is_tidied() -> None:
    source = "id: x  \ninputs:\n  prompt: |\n    a  \nname: X \n"
    assert format_text(source, name="tasks/a.yaml") == "id: x\ninputs:\n  prompt: |\n    a  \nname: X\n"


def test_columns_that_stray_come_to_those_of_the_file() -> None:
    source = (
        "config:\n  executor: mock\ngraders:\n  - type: text\n    config:\n        contains:\n            - a\n"
        "tasks:\n    - a.yaml\n    - b.yaml\n"
    )
    assert format_text(source) == (
        "config:\n  executor: mock\ngraders:\n  - type: text\n    config:\n      contains:\n        - a\n"
        "tasks:\n  - a.yaml\n  - b.yaml\n"
    )


def test_a_file_of_four_columns_stays_one() -> None:
    source = (
        "config:\n    executor: mock\ngraders:\n    - type: text\n      config:\n          contains: [a]\n"
    )
    assert format_text(source) == source


def test_lists_at_the_column_of_their_key_stay_there() -> None:
    source = "graders:\n- type: text\n  config:\n    contains:\n    - a\ntasks:\n- a.yaml\n"
    assert format_text(source) == source


@pytest.mark.parametrize("inside", ["      # a comment\n", "      contains: |\n        a\n"])
def test_a_section_with_comments_or_texts_keeps_its_columns(inside: str) -> None:
    source = f"config:\n  executor: mock\ngraders:\n    - type: text\n      name: a\n{inside}"
    assert format_text(source) == source


@pytest.mark.parametrize(
    "line", ['"open', "a: [", "\tx: 1", "skill: y", "<<<<<<< HEAD", "---\na: 1", "key:value\nmore"]
)
def test_a_broken_file_gets_no_edit(line: str) -> None:
    source = f"skill: x  \ngraders: []  \n{line}  "
    assert format_text(source) == source


def test_a_range_leaves_the_rest_alone() -> None:
    span = types.Range(types.Position(1, 0), types.Position(1, 20))
    assert (
        format_text("skill: x  \ngraders: []  \ntasks: []  \n", span)
        == "skill: x  \ngraders: []\ntasks: []  \n"
    )


def test_a_file_that_is_no_eval_gets_no_edit() -> None:
    assert format_text("on: push  \njobs: {}  ", name="ci.yaml") == "on: push  \njobs: {}  "


@pytest.mark.parametrize(
    ("document", "line"),
    [
        ("skill: x\nconfig:\n¦\ngraders: []\n", "  "),
        ("skill: x\ngraders:\n¦\n", "  - "),
        ("skill: x\ntasks:\n¦\n", "  - "),
        ("skill: x\ngraders:\n  - type: text\n  ¦\n", "    "),
        ("skill: x\ngraders:\n  - type: text\n    config:\n    ¦\n", "      "),
        ("skill: x\ngraders:\n  - type: text\n    config:\n      contains:\n      ¦\n", "        - "),
        ("skill: x\ntasks:\n  - a.yaml\n  ¦\n", "  - "),
        ("skill: x\ntasks:\n  - \n  ¦\n", "  "),
        ("skill: x\ntasks:\n- a.yaml\n¦\n", "- "),
        ("config:\n    executor: mock\nhooks:\n¦\n", "    "),
        ("name: a\nskill: x\n¦\ntasks: []\n", ""),
        ("skill: x\nconfig: {executor: mock,\n¦\n", ""),
        ("skill: x\nconfig:  # why\n¦\n", "  "),
        ("skill: x\ngraders: []\nsomething:\n¦\n", "  "),
    ],
)
def test_enter(document: str, line: str) -> None:
    assert entered(document) == line


@pytest.mark.parametrize(
    ("document", "line"),
    [
        ("id: x\ninputs:\n  prompt: |\n  ¦\n", "    "),
        ("id: x\ninputs:\n  prompt: |\n    text\n    ¦\n", "    "),
        ("id: x\ninputs:\n  prompt: |\n    key:\n    ¦\n", "    "),
    ],
)
def test_enter_in_texts(document: str, line: str) -> None:
    assert entered(document, "tasks/a.yaml") == line


def test_enter_before_other_text_changes_nothing() -> None:
    assert entered("skill: x\nconfig:\n¦executor: mock\n") == "executor: mock"
