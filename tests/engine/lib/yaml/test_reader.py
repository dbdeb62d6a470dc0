"""YAML is read as waza reads it, and hostile texts do no harm (docs/reference/waza-formats.md, section 3)."""

from typing import Any

import pytest

from waza_engine.lib.yaml.reader import (
    YamlError,
    front_matter,
    read_front,
    read_grader_list,
    read_yaml,
    split_front_matter,
)
from waza_engine.lib.yaml.scalars import Scalar, plain, resolve


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\n---\n[", {"a": 1}),
        ("\ufeffa: 1\r\nb: x\r\n", {"a": 1, "b": "x"}),
        ("- &a x\n- &a y\n- *a", ["x", "y", "y"]),
        ("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}", {"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 3}}),
        ("a: &a {x: 1}\nb: &b {x: 2}\nc: {<<: [*a, *b]}", {"a": {"x": 1}, "b": {"x": 2}, "c": {"x": 1}}),
        ("a: {'<<': 1}", {"a": {"<<": 1}}),
        ("a: !!int '3'\nb: !!str 5\nc: !other x", {"a": 3, "b": "5", "c": "x"}),
        ("- '1'\n- |\n  2\n- >-\n  3", ["1", "2\n", "3"]),
        ("- yes\n- 0o17\n- 017\n- 1_000\n- .5\n- 0x1F\n- 1:30", ["yes", 15, 15, 1000, 0.5, 31, "1:30"]),
        ("---\n", None),
        ("~", None),
    ],
)
def test_values(text: str, value: Any) -> None:
    assert plain(read_yaml(text)) == value


def test_a_plain_scalar_keeps_its_source() -> None:
    assert read_yaml("1.50") == Scalar("1.50", 1.5)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", (0, 0)),
        ("# only this", (0, 0)),
        ("a: 1\na: 2", (1, 0)),
        ("a:\n\tb: 1", (1, 0)),
        ("a: *b", (0, 3)),
        ("? [a]\n: b", (0, 2)),
        ("a: {<<: 5}", (0, 8)),
        ("- &a [*a]", (0, 2)),
        ("a: &a\n  b: *a", (0, 3)),
        ("x: " + "[" * 100_000, (0, 152)),
        ("a: \x01", (0, 0)),
    ],
)
def test_errors_say_where(text: str, place: tuple[int, int]) -> None:
    with pytest.raises(YamlError) as raised:
        read_yaml(text)
    assert (raised.value.line, raised.value.column) == place


def test_aliases_cannot_expand_the_data_without_limit() -> None:
    wide = "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
    for before, after in zip("abcdefg", "bcdefgh", strict=True):
        wide += f"{after}: &{after} [" + ",".join([f"*{before}"] * 10) + "]\n"
    deep = "a0: &a0 [x]\n" + "".join(f"a{it}: &a{it} [[*a{it - 1}]]\n" for it in range(1, 400))
    for text, word, line in ((wide, "too many", 5), (deep, "deeper", 1)):
        with pytest.raises(YamlError, match=word) as raised:
            read_yaml(text)
        assert raised.value.line == line


def test_a_list_of_graders_that_contains_itself() -> None:
    (entry,) = read_grader_list("- &a [*a]")
    assert isinstance(entry, YamlError)
    with pytest.raises(YamlError, match="list of graders"):
        read_grader_list("text")


@pytest.mark.parametrize("digits", ["1" + "0" * 400, "1e999", "0x" + "f" * 17, "9" * 100_000])
def test_a_number_beyond_a_double_is_a_string(digits: str) -> None:
    assert resolve(digits) == digits


def test_an_integer_of_more_than_64_bits_is_a_double() -> None:
    assert resolve("1" + "0" * 30) == 1e30
    assert resolve("-9223372036854775809") == -9223372036854775809.0


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ("", "")),
        ("One.\n---\nTwo.\n", ("", "One.\n---\nTwo.\n")),
        ("---\nname: a\n---\nOne.\n---\nTwo.\n", ("name: a\n", "One.\n---\nTwo.\n")),
        ("---\r\nname: a\r\n---\r\nOne.\f\r\n", ("name: a\r\n", "One.\f\r\n")),
        ("---\n---\n", ("", "")),
        ("---\nname: a\nOne.\n", None),
    ],
)
def test_only_fences_at_the_top_split_the_text(text: str, parts: tuple[str, str] | None) -> None:
    assert split_front_matter(text) == parts


@pytest.mark.parametrize(
    "text", ["One.\n", "---\n---\n", "---\n- a\n---\n", "---\na: [\n---\n", "---\na: 1\n"]
)
def test_only_a_mapping_is_front_matter(text: str) -> None:
    assert front_matter(text) == {}


def test_binary_is_decoded() -> None:
    assert read_yaml("a: !!binary aGVs\nb: !!binary |\n  aGVs\n  bG8=\nc: [!!binary '']") == {
        "a": "hel",
        "b": "hello",
        "c": [""],
    }
    with pytest.raises(YamlError, match="base64"):
        read_yaml("a: !!binary '***'")


@pytest.mark.parametrize("front", ["", "# none\n", "\n \n", "~\n"])
def test_front_matter_that_is_empty_or_a_comment_loads(front: str) -> None:
    assert read_front(front) == {}
    assert front_matter(f"---\n{front}---\nText.\n") == {}
