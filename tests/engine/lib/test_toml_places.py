"""Where keys and errors of a TOML text are."""

import tomllib

import pytest

from waza_engine.lib.toml_places import error_span, key_span

TEXT = """\
# sandbox
exclude = [
  "drafts/",  # target
]
rules.'cannot-fail' = "off"
sandbox = {kind = "bwrap", network = true}
[waza]
target = "0.34"
[waza.judges."gpt-*"]
url = '''
target
'''
"""


@pytest.mark.parametrize(
    ("keys", "word", "line"),
    [
        (("exclude",), "exclude", 1),
        (("rules", "cannot-fail"), "'cannot-fail'", 4),
        (("sandbox", "kind"), "kind", 5),
        (("waza", "target"), "target", 7),
        (("waza", "judges", "gpt-*"), '"gpt-*"', 8),
        (("waza", "judges", "gpt-*", "url"), "url", 9),
        (("waza", "judges", "gpt-*", "gone"), '"gpt-*"', 8),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_key_is_found(keys: tuple[str, ...], word: str, line: int, end: str) -> None:
    text = TEXT.replace("\n", end)
    found = key_span(text, keys)
    assert (text.splitlines()[found.line][found.start : found.end], found.line) == (word, line)


def test_what_is_not_there_is_the_beginning() -> None:
    assert key_span(TEXT, ("x",)) == key_span("", ("x",)) == (0, 0, 0)


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("a = 1\nrules = of\n", "of"),
        ("a = 1\nb\nc = 2\n", "b"),
        ("rules = {\n", "rules = {"),
        ("[a]\n[a]\n", "[a]"),
        ("", ""),
    ],
)
def test_an_error_is_found(text: str, marked: str) -> None:
    try:
        tomllib.loads(text)
        error = ""
    except tomllib.TOMLDecodeError as problem:
        error = str(problem)
    found = error_span(text, error)
    lines = text.splitlines() or [""]
    assert lines[found.line][found.start : found.end] == marked
