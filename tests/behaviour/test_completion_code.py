r"""Completion inside code: names in assertions, parts of patterns. It replaces only the word at the cursor."""

import pytest

from tests.behaviour.completion_harness import Completions, completions_at

CODE = """
name: demo
skill: notes
graders:
  - type: code
    name: checks
    config:
      assertions:
        - {}
"""
SCRIPT = CODE.replace("    config:", "    config:\n      language: javascript")
PATTERN = """
name: demo
skill: notes
graders:
  - type: text
    name: words
    config:
      regex_match:
        - {}
"""


def line(document: str, written: str) -> Completions:
    return completions_at(document.replace("{}", written))


def taken(document: str, written: str, label: str) -> str:
    """Return the line after accepting an item."""
    found = line(document, written)
    return found.applied(found.item(label)).split("\n")[found.cursor.line].strip().removeprefix("- ")


@pytest.mark.parametrize("written", ["len(ou¦) > 0", '"len(ou¦) > 0"', "'len(ou¦) > 0'"])
def test_a_name_is_finished_in_its_place(written: str) -> None:
    assert taken(CODE, written, "output") == written.replace("ou¦", "output")


def test_the_whole_name_is_replaced() -> None:
    assert taken(CODE, "len(out¦come) > 0", "output") == "len(output) > 0"


def test_an_empty_assertion_offers_the_trial_first() -> None:
    labels = line(CODE, "¦").labels
    assert set(labels[:6]) == {"output", "outcome", "transcript", "tool_calls", "errors", "duration_ms"}
    assert {"len", "re", "any"} <= set(labels)
    assert "sorted" not in labels


def test_names_say_their_types() -> None:
    found = line(CODE, "out¦")
    assert found.item("output").detail == "str · The agent's final output."
    assert "number" in (line(SCRIPT, "dur¦").item("duration_ms").detail or "")


def test_members_of_a_call() -> None:
    assert taken(CODE, "tool_calls[0]['na¦'] == 'bash'", "name") == "tool_calls[0]['name'] == 'bash'"
    assert taken(CODE, """'tool_calls[0][''¦'']'""", "success") == """'tool_calls[0][''success'']'"""
    assert taken(SCRIPT, "tool_calls[0].¦", "arguments") == "tool_calls[0].arguments"


def test_javascript_has_its_own_names() -> None:
    labels = line(SCRIPT, "¦").labels
    assert {"output", "JSON"} <= set(labels)
    assert "len" not in labels


@pytest.mark.parametrize("written", ["'x' in 'out¦'", '"output.out¦"', "'\"out¦\"'"])
def test_nothing_inside_texts_and_behind_a_dot(written: str) -> None:
    assert "output" not in line(CODE, written).labels


def test_an_unclosed_quote_is_closed() -> None:
    assert taken(CODE, '"len(ou¦', "output") == '"len(output"'


@pytest.mark.parametrize(
    ("written", "label", "after"),
    [
        (r"'a\¦b'", r"\d", r"'a\db'"),
        (r'"a\\¦b"', r"\d", r'"a\\db"'),
        (r'"a\¦"', r"\d", r'"a\\d"'),
        (r"a\¦", r"\s", r"a\s"),
        ("'(?¦)'", "(?i)", "'(?i))'"),
        ("'[[:al¦'", "[[:alpha:]]", "'[[:alpha:]]'"),
        ("¦", r"\b", r"'\b'"),
        ("'¦'", "(?i)", "'(?i)'"),
    ],
)
def test_pieces_of_patterns(written: str, label: str, after: str) -> None:
    assert taken(PATTERN, written, label) == after


@pytest.mark.parametrize("written", [r"'a\\¦'", r'"a\\\\¦"', "'abc¦'", "'abc ¦'"])
def test_finished_pieces_offer_nothing(written: str) -> None:
    assert line(PATTERN, written).labels == []


def test_no_look_around_in_re2() -> None:
    assert "(?=" not in line(PATTERN, "'(?¦'").labels
