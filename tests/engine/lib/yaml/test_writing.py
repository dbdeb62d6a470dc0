"""Tests that what is written is read back as the same data, with each comment at its place, by every reader."""

from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import check_each
from tests.slow import examples
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.placed_comments import Comment, Comments, comments_of
from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_engine.lib.yaml.writing import with_values, yaml_text
from waza_engine.recognition.recognise import dialects
from waza_engine.recognition.starters import filled, starters

_OTHER_TYPES = [
    "yes",
    "No",
    "on",
    "OFF",
    "y",
    "N",
    "true",
    "FALSE",
    "null",
    "~",
    "=",
    "<<",
    "1",
    "-1",
    "+1",
    "1_000",
    "0o7",
    "017",
    "0x1F",
    "0b1",
    "1.5",
    ".5",
    "1.",
    "1e3",
    "-.inf",
    ".NaN",
    "1:30",
    "190:20:30.15",
    "08",
    "2020-01-02",
    "2020-1-2",
    "2020-01-02T03:04:05Z",
    "12e03",
    "0o8",
    "1__0",
    "_1",
    "0_",
    "+0b1",
    "-0x_1",
]
_MARKED = """
-|- a|?|? a|?a|a?|:|: a|:a|a:|a: b|a #b|a#b|#a|---|--- a|... |%a|@a|`a`|!a|&a|*a|{a|a}|[a]|a, b|'a'|"a"|a\\b|'|"|\\|>|it's
it's "so"|${a}|{{ a }}|a\\'"|2020-01-02 03:04:05.6 +01:00
""".strip().replace("\n", "|").split("|")  # fmt: skip
_BLANKS = [
    "",
    " ",
    "  ",
    "\t",
    " a",
    "a ",
    "\ta",
    "a\t",
    "a\tb",
    "\n",
    "\n\n",
    "a\n",
    "a\n\n",
    "\na",
    "a\n b\n",
    " a\nb",
]
_BLANKS += [
    "a \nb",
    "a\n\tb\n",
    "a\n\n\nb",
    "\r",
    "a\r\nb\r\n",
    "#a\n# b\n",
    "- a\n- b\n",
    "---\na\n...\n",
    "a: b\nc: d",
]
_RARE = [
    "\xa0a",
    "a\x85b",
    "a\u2028b\nc",
    "\u2029",
    "\ufeffa",
    "a\ufeff\nb",
    "\x00",
    "a\x1bb",
    "\x7f",
    "\x9f",
    "\u200b",
]
_RARE += ["\U0001f600", "e\u0301", "\U0010ffff", "\ufffe", "|", "x" * 5000, "word " * 2000 + "end"]
_TRICKY = [*_OTHER_TYPES, *_MARKED, *_BLANKS, *_RARE]

_texts = (
    st.sampled_from(_TRICKY)
    | st.text(st.characters(codec="utf-8"))
    | st.text("ab \n\t#:-?'\"\\,[]{}\x85\u2028\r", max_size=12)
)
_scalars = _texts | st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False)
_keys = _texts
_data = st.recursive(
    _scalars, lambda it: st.lists(it, max_size=5) | st.dictionaries(_keys, it, max_size=4), max_leaves=12
)
_mappings = st.dictionaries(_keys, _data, max_size=5)


def read_by_all(text: str) -> list[Any]:
    return [plain(read_yaml(text)), yaml.load(text, yaml.CSafeLoader), yaml.load(text, yaml.SafeLoader)]


def test_a_text_stays_a_text() -> None:
    def check(text: str) -> None:
        items = [text], [text, {}], [{text: text}], [[text, []]]
        tried: list[dict[str, Any]] = [{"k": text}, {text: 1}, *({"k": it} for it in items)]
        for data in tried:
            assert read_by_all(yaml_text(data)) == [data] * 3, yaml_text(data)

    check_each(((repr(it), it) for it in _TRICKY), check)


@settings(max_examples=examples(300), deadline=None)
@given(_mappings)
def test_what_is_written_is_read_back(data: dict[str, Any]) -> None:
    text = yaml_text(data)
    assert read_by_all(text) == [data] * 3, text


def places(data: Any, pointer: Pointer = ()) -> list[Pointer]:
    """All keys and items of data."""
    pairs = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [place for key, it in pairs for place in ((*pointer, key), *places(it, (*pointer, key)))]


_words = st.sampled_from([" x", "x", "", " # x", "!", " | a: b", " - x", "   ", " größe 😀", " x: 'y"]).map(
    str.rstrip
)
_lines = st.lists(_words, max_size=2).map(tuple)


@st.composite
def commented(draw: st.DrawFn) -> tuple[dict[str, Any], Comments]:
    data = draw(_mappings.filter(bool))
    comment = st.builds(Comment, _lines, st.sampled_from(["", "", "x", "# y", "größe"]))
    chosen = draw(st.lists(st.sampled_from(places(data)), max_size=4, unique=True))
    return data, Comments({it: draw(comment) for it in chosen}, draw(_lines), draw(_lines))


def line_of(data: Any, pointer: Pointer) -> Pointer:
    """The outermost item that begins in the line of a key or item."""
    while len(pointer) > 1 and isinstance(pointer[-2], int):
        parent = data
        for key in pointer[:-1]:
            parent = parent[key]
        if pointer[-1] != (0 if isinstance(parent, list) else next(iter(parent))):
            break
        pointer = pointer[:-1]
    return pointer


def placed(data: Any, comments: Comments) -> list[tuple[Pointer | str, str]]:
    """Each comment line with its place."""
    ends: list[tuple[Pointer | str, str]] = [("header", it) for it in comments.header]
    ends += [("footer", it) for it in comments.footer]
    at = [(line_of(data, place), line) for place, it in comments.at.items() for line in it.lines]
    return sorted([*ends, *at], key=str)


@settings(max_examples=examples(300), deadline=None)
@given(commented())
def test_comments_stay_at_their_places_and_change_no_data(given: tuple[dict[str, Any], Comments]) -> None:
    data, comments = given
    text = yaml_text(data, comments)
    assert read_by_all(text) == [data] * 3, text
    assert placed(data, comments_of(text)) == placed(data, comments), text


def test_only_what_needs_quotes_has_some() -> None:
    texts = [
        "gpt-4o",
        "5m",
        "len(output.strip()) > 0",
        "it's so",
        "C:\\x",
        "tasks/*.yaml",
        "größe 😀",
        "{{name}}",
        "yes",
    ]
    written = yaml_text(dict(enumerate(texts)))  # type: ignore[arg-type]
    assert [it.partition(": ")[2] for it in written.splitlines()] == [*texts[:7], '"{{name}}"', '"yes"']


def test_the_layout_is_that_of_the_examples() -> None:
    text = """\
name: notes
prompt: |
  Do it:

  \tnow
graders:
  - type: text
    config:
      contains: [a, b c, "d, e"]
  - type: completed
    config: {}
paths:
  - docs/a-long-name-of-a-file-0.md
  - docs/a-long-name-of-a-file-1.md
last: null
"""
    assert yaml_text(plain(read_yaml(text))) == text


def test_deep_and_shared_data_is_written_out() -> None:
    deep: list[Any] = []
    for _ in range(120):
        deep = [deep]
    shared = ["a" * 50, "b"]
    data = {"deep": deep, "one": shared, "two": shared}
    text = yaml_text(data)
    assert "&" not in text
    assert plain(read_yaml(text)) == data


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert read_by_all(yaml_text({"k": "a\ud800b"})) == [{"k": "a?b"}] * 3


def test_texts_to_begin_with_stay_as_they_are() -> None:
    texts = [
        filled(it.text, "notes") for dialect in dialects() for it in starters(dialect.name) if not it.is_item
    ]
    assert len(texts) > 3
    assert [with_values(it, {}) for it in texts] == texts


@settings(max_examples=examples(200), deadline=None)
@given(_texts, st.lists(_texts, min_size=1, max_size=3))
def test_values_of_a_text_are_replaced_beside_its_comments(value: str, items: list[str]) -> None:
    text = "# x\na: <1>  # y\nb:\n  # z\n  - <2>\n\n# w\nc: {d: 'so <1>'}\ne: |\n  <1>\n\nf: 1_0\n"
    written = with_values(text, {"<1>": value, "<2>": items})
    assert [written.count(f"# {it}\n") for it in "xyzw"] == [1] * 4
    for read in read_by_all(written):
        assert read.pop("e").removesuffix("\n") == value.removesuffix("\n")
        assert read == {"a": value, "b": items, "c": {"d": f"so {value}"}, "f": 10}


def test_a_block_stays_one_if_it_can_hold_the_value() -> None:
    text = "a: |\n  <1>\n\n# x\nb: 1\n"
    assert with_values(text, {"<1>": "c: d"}) == text.replace("<1>", "c: d")
    assert with_values(text, {"<1>": " c"}) == 'a: " c"\n# x\nb: 1\n'
