"""Plain data as short YAML that reads back as the same data."""

from typing import Any

import pytest

from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_lsp.syntax.edit.emit import block, flow, scalar

TEXTS = [
    "plain", "two words", "", " ", "a ", " a", "1", "1.0", "true", "yes", "off", "null", "~", "0x1f", "2024-01-02",
    "a: b", "a:", "a #b", "#b", "- a", "-", "*", "&a", "!a", "|", ">", "%a", "@a", "`a`", "{a}", "[a]", "a, b", "'", '"',
    "it's", "(?i)x", r"\d+", "a\nb", "tab\t", "😀", "é", "?", "? a", ":", "=", "<<", "tasks/*.yaml", "*.md", "a'b\"c",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_a_string_reads_back_as_itself(text: str) -> None:
    assert read_yaml(f"key: {scalar(text)}\n") == {"key": text}
    assert read_yaml(f"key: {flow([text, text])}\n") == {"key": [text, text]}
    assert read_yaml(f"key: {flow({'a': text})}\n") == {"key": {"a": text}}
    assert read_yaml("\n".join(block({"key": text, "more": [{"a": text}, text]})) + "\n") == {
        "key": text,
        "more": [{"a": text}, text],
    }


@pytest.mark.parametrize(
    "value",
    [
        1,
        -2,
        0.5,
        1.0,
        True,
        False,
        None,
        [],
        {},
        [1, [2]],
        {"a": {"b": []}},
        [{"a": 1, "b": {"c": [{}]}}, {}],
    ],
)
def test_any_value_reads_back_as_itself(value: Any) -> None:
    assert plain(read_yaml(f"key: {flow(value)}\n")) == {"key": value}
    assert plain(read_yaml("\n".join(block({"key": value})) + "\n")) == {"key": value}


def test_yaml_looks_hand_written() -> None:
    assert flow("mock") == "mock"
    assert flow(["README.md"]) == "['README.md']"
    assert flow({"a": 1, "b": "x"}) == "{a: 1, b: 'x'}"
    assert flow(1.0) == "1.0"
    assert flow(True) == "true"
    assert "\n".join(
        block({"inputs": {"prompt": "One.\nTwo.\n", "files": [{"path": "a", "content": "b"}]}})
    ) == ("inputs:\n  prompt: |\n    One.\n    Two.\n  files:\n    - path: a\n      content: b")
