"""Which names a misspelt word leads to: those of both formats, after every slip, and never the opposite."""

from functools import cache
from itertools import permutations

import pytest

from waza_engine.analysis.schema.files import read_schema
from waza_engine.lib.spelling import is_opposite, likely_names, nearest
from waza_engine.recognition.recognise import dialects

_OPPOSITES = [
    ("output-contains", "output-not-contains"),
    ("output_contains", "output_not_contains"),
    ("file-exists", "file-not-exists"),
    ("must_match", "must_not_match"),
    ("regex_match", "regex_not_match"),
    ("contains_all", "contains_any"),
    ("min_tool_calls", "max_tool_calls"),
    ("include", "exclude"),
    ("allow", "deny"),
    ("allowed_tools", "forbidden_tools"),
    ("required_tools", "forbidden_tools"),
    ("before_run", "after_run"),
    ("lt", "gt"),
    ("lte", "gte"),
    ("inputs", "outputs"),
    ("expect_tools", "reject_tools"),
    ("enabled", "disabled"),
]


@cache
def _groups() -> set[tuple[str, ...]]:
    """Return the names to choose from at each place of the schemas: keys, types and other values."""
    found: set[tuple[str, ...]] = set()

    def visit(part: object) -> None:
        if isinstance(part, dict):
            for names in (part.get("properties"), part.get("enum")):
                if isinstance(names, dict | list):
                    found.add(tuple(it for it in names if isinstance(it, str)))
            for it in part.values():
                visit(it)
        elif isinstance(part, list):
            for it in part:
                visit(it)

    for dialect in dialects():
        for kind in dialect.kinds:
            visit(read_schema(kind.schema))
    return found


def _slips(name: str) -> list[str]:
    """Return the name with one slip of each kind, in its middle and at its end."""
    at = len(name) // 2
    found = [
        name[:at] + name[at + 1 :],
        name[:at] + name[at] + name[at:],
        name[:at] + "q" + name[at + 1 :],
        name[:-1],
        name[: at - 1] + name[at] + name[at - 1] + name[at + 1 :],
    ]
    if any(it in name for it in "_-"):
        words = name.replace("-", "_").split("_")
        found += ["_".join(words), "-".join(words), "".join(words)]
        found.append(words[0] + "".join(it.capitalize() for it in words[1:]))
    return [it for it in found if it != name]


@pytest.mark.slow
def test_every_name_is_found_after_a_slip() -> None:
    wrong = {
        (name, slip): likely_names(slip, names)
        for names in _groups()
        for name in names
        if len(name.replace("_", "").replace("-", "")) > 4
        for slip in _slips(name)
        if slip not in names and name not in likely_names(slip, names)[:1]
    }
    assert len(_groups()) > 50
    assert not wrong


def test_no_name_leads_to_its_opposite() -> None:
    wrong = [
        (slip, it)
        for names in _groups()
        for name in names
        for slip in [name, *_slips(name)]
        for it in likely_names(slip, [other for other in names if other != name])
        if is_opposite(name, it)
    ]
    assert not wrong


@pytest.mark.parametrize(("one", "other"), [it for pair in _OPPOSITES for it in permutations(pair)])
def test_opposites_are_never_offered(one: str, other: str) -> None:
    for word in (one, one.replace("_", "-"), one.replace("-", "_"), one.title().replace("_", ""), one + "s"):
        assert other not in likely_names(word, [other])
        assert other not in nearest(word, [other])
        assert other not in nearest(word, [one, other])


@pytest.mark.parametrize(
    ("word", "known", "found"),
    [
        (
            "output_contains",
            ["output-contains", "output-not-contains", "transcript-contains"],
            ["output-contains"],
        ),
        ("ouput_nto_contains", ["output-contains", "output-not-contains"], ["output-not-contains"]),
        ("outputNotContains", ["output-contains", "output-not-contains"], ["output-not-contains"]),
        ("expected_graders", ["expected", "graders"], []),
        ("claude", ["claude-cli", "codex"], []),
        ("self-report", ["text", "file", "prompt", "program"], []),
        ("description", ["script"], []),
        ("timeout", ["timeout_seconds"], ["timeout_seconds"]),
        ("timeout_ms", ["timeout_seconds"], []),
        ("not_regex_match", ["regex_match", "regex_not_match"], ["regex_not_match"]),
        ("desc", ["description"], ["description"]),
        ("mni", ["max"], []),
        ("model", ["mode", "node"], ["mode"]),
    ],
)
def test_likely_names(word: str, known: list[str], found: list[str]) -> None:
    assert likely_names(word, known) == found
