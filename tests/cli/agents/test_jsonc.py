"""Members of JSON texts are added and removed; every other byte stays."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waza_lsp.cli.agents.jsonc import MISSING, JsonTextError, data_at, put, remove

KEYS = ("servers", "ours")
DATA = {"command": "x", "args": ["serve"]}

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda it: st.lists(it, max_size=3) | st.dictionaries(st.text(max_size=4), it, max_size=3),
    max_leaves=8,
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A JSON object as people write it: with comments, trailing commas, and any spaces between the parts."""
    spaces = ["", " ", "\n", "\n  ", "\t", " // a } b\n", " /* { */ ", "\r\n", "\n    // x\n    "]

    def written(value: Any) -> str:
        def space() -> str:
            return draw(st.sampled_from(spaces))

        if isinstance(value, dict):
            parts = [
                f"{space()}{json.dumps(k)}{space()}:{space()}{written(v)}{space()}" for k, v in value.items()
            ]
            has_trail = bool(parts) and draw(st.booleans())
            trail = f",{space()}" if has_trail else ""
            return f"{{{','.join(parts) or space()}{trail}}}"
        return json.dumps(value)

    data: dict[str, Any] = draw(st.dictionaries(st.sampled_from(["a", "b", "", "é"]), VALUES, max_size=3))
    if draw(st.booleans()):
        data["servers"] = draw(st.dictionaries(st.sampled_from(["x", "y"]), VALUES, min_size=1, max_size=2))
    return (
        draw(st.sampled_from(["", "\ufeff", "// top\n"])) + written(data) + draw(st.sampled_from(["", "\n"]))
    )


@given(texts())
@pytest.mark.slow
def test_what_is_added_is_there_and_everything_else_too(text: str) -> None:
    before = data_at(text, ())
    after = put(text, KEYS, DATA)
    assert data_at(after, KEYS) == DATA
    expected = {**before, "servers": {**before.get("servers", {}), "ours": DATA}}
    assert data_at(after, ()) == expected
    for comment in ("// a } b", "/* { */", "// x", "// top"):
        assert after.count(comment) == text.count(comment)


@given(texts())
def test_removing_what_was_added_gives_the_same_data_and_comments(text: str) -> None:
    after = remove(put(text, KEYS, DATA), KEYS)
    assert data_at(after, ()) == data_at(text, ())
    for comment in ("// a } b", "/* { */", "// x", "// top"):
        assert after.count(comment) == text.count(comment)


@pytest.mark.parametrize(
    "text",
    [
        "{}\n",
        '{\n  "a": 1\n}\n',
        '{\r\n\t"a": 1\r\n}\r\n',
        '\ufeff{\n    "servers": {\n        "x": {}\n    }\n}',
        '{"servers": {"x": {"command": "x"}}, "b": [1, 2]}',
        '{\n  // mine\n  "servers": {\n    "x": {}, // first\n    /* and */ "y": {},\n  },\n}\n',
        '{"a": 1, // one\n "servers": {"x": 1} // two\n}',
        '{"big": ' + "1" * 5000 + "}",
    ],
)
def test_usual_files_come_back_byte_for_byte(text: str) -> None:
    after = put(text, KEYS, DATA)
    assert ("\r\n" in text) == ("\r\n" in after)
    assert remove(after, KEYS) == text


def test_layout_and_line_ends_are_those_of_the_file() -> None:
    after = put('{\r\n\t"servers": {\r\n\t\t"x": 1\r\n\t}\r\n}', KEYS, {"b": 1})
    assert after == '{\r\n\t"servers": {\r\n\t\t"x": 1,\r\n\t\t"ours": {\r\n\t\t\t"b": 1\r\n\t\t}\r\n\t}\r\n}'


def test_a_comment_does_not_swallow_what_follows() -> None:
    assert data_at(remove('{"a": 1, // c\n "b": 2}', ("b",)), ()) == {"a": 1}


def test_the_rest_of_a_users_object_stays() -> None:
    assert remove('{"servers": {"ours": 1, "x": 2}}', KEYS) == '{"servers": { "x": 2}}'
    assert remove('{"servers": {"ours": 1 /* why */}}', KEYS) == '{"servers": { /* why */}}'
    assert remove('{"a": 1}', KEYS) == '{"a": 1}'
    assert data_at('{"servers": {"ours": null}}', KEYS) is None
    assert data_at("{}", KEYS) is MISSING


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "line 1: a key in double quotes is missing"),
        ('{\n  "a": 1\n  "b": 2\n}', "line 3: ',' or '}' is missing"),
        ('{"a" 1}', "':' is missing"),
        ("{a: 1}", "a key in double quotes is missing"),
        ('{"a": }', "a value is missing or not valid"),
        ('{"a": [1 2]}', "',' or ']' is missing"),
        ('{"a": "b}', "Unterminated string"),
        ('{"a": 01}', "',' or '}' is missing"),
        ("{} {}", "more text after the value"),
        ("[" * 500, "too deeply nested"),
        ("[]", "an object is needed to hold 'servers'"),
        ('{"servers": []}', "an object is needed to hold 'ours'"),
        ('{"servers": {}, "servers": {}}', "the key 'servers' is there twice"),
        ("{/* never closed }", "a key in double quotes is missing"),
        ('{,"a": 1}', "a key in double quotes is missing"),
    ],
)
def test_what_is_not_json_is_reported_with_its_line(text: str, problem: str) -> None:
    with pytest.raises(JsonTextError) as raised:
        data_at(text, KEYS)
    assert problem in str(raised.value)
