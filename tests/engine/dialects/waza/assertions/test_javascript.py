"""What is told of JavaScript assertions without running them; what is doubtful is not told."""

import pytest

from waza_engine.dialects.waza.assertions.javascript import problem_in_javascript, reads_as_javascript


def _told(assertion: str, bound: set[str] | None = None) -> list[tuple[str, str]]:
    """Codes with the part that is underlined."""
    return [
        (it.rule.code, assertion[slice(*it.part)] if it.part else "")
        for it in problem_in_javascript(assertion, set() if bound is None else bound)
    ]


@pytest.mark.parametrize(
    "assertion",
    [
        "output.includes('a')",
        "output.match(/a[/]'b/g).length > 2",
        "tool_calls.some(t => t.name === 'bash')",
        "const x = 1; x + 1",
        "let {a, b: c} = outcome; a || c",
        "`${output}`.length",
        "[1, 2].every((x, i) => x > i)",
        "function f(q) { return q } f(1)",
        "a_label: for (const t of tool_calls) { break a_label }",
        "({key: output, k2: 1}).key",
        "tool_calls.filter(function (it) { return it.name == 'x' }).length",
        "try { JSON.parse(output); true } catch (e) { false }",
        "x = 5; x",
        "output?.length ?? 0",
        "new Set(tool_calls.map(c => c.name)).has('bash') // enough",
        "output.replace(/'/g, '') /* no quotes */",
        "output.length > 10 && True",
        "output /2/ 3",
    ],
)
def test_what_runs_is_left_alone(assertion: str) -> None:
    assert _told(assertion) == []


@pytest.mark.parametrize(
    ("assertion", "code", "part"),
    [
        ("outptu.length > 3", "unknown-assertion-name", "outptu"),
        ("require('fs').existsSync('a')", "unknown-assertion-name", "require"),
        ("'a' in output and 'b' in output", "invalid-assertion", "and"),
        ("not errors.length", "invalid-assertion", "not"),
        ("len(output) > 1", "invalid-assertion", "len"),
        ("output.includes('a'", "invalid-assertion", "("),
        ("output.includes('a'))", "invalid-assertion", ")"),
        ("output === 'it's'", "invalid-assertion", "'"),
        ("output.length >", "invalid-assertion", ">"),
        ("", "invalid-assertion", ""),
    ],
)
def test_what_cannot_run_is_told_where_it_stands(assertion: str, code: str, part: str) -> None:
    assert _told(assertion) == [(code, part)]


def test_variables_of_earlier_assertions_are_known() -> None:
    bound: set[str] = set()
    assert _told("const words = output.split(' '); true", bound) == []
    assert _told("words.length > 3", bound) == []
    assert _told("words.length > 3") == [("unknown-assertion-name", "words")]


def test_telling_the_languages_apart() -> None:
    assert reads_as_javascript("output.trim().length === 1")
    assert not reads_as_javascript("len(output) == 1 and output")
