"""What can be said about a Python assertion before it runs; each claim is held against an evaluation."""

import sys
from pathlib import Path

import pytest

from waza_engine.assertions.evaluation import evaluate_python
from waza_engine.dialects.waza.assertions.static import problem_in_python

NAMES = {
    "output": "abc",
    "outcome": {},
    "transcript": [],
    "tool_calls": [{"name": "a"}],
    "errors": [],
    "duration_ms": 0,
}

FINE = [
    "len(output) == 3",
    " output == 'abc'",
    "[c for c in output if c == 'a'] == ['a']",
    "any(k in ['a'] for k in output)",
    "any(t['name'] == 'a' for t in tool_calls)",
    "(lambda s, *a, k=len(output), **kw: s and k)(output)",
    "(lambda x: [x for x in [x]])(1)",
    "[y for x in [[1]] for y in x]",
    "{k: v for k, v in [(1, 2)]} == {1: 2}",
    "(q := 3) == 3",
    "re.search(r'a\\d*', output)",
    "f'{output}' == output",
]
WRONG = [
    ("", "invalid-assertion", "it is empty"),
    ("(", "invalid-assertion", "was never closed"),
    ("import os", "invalid-assertion", "a statement"),
    ("x = 1", "invalid-assertion", "a statement"),
    ("\nTrue x", "invalid-assertion", "Not a Python expression"),
    ("sum([1]) == 1", "unknown-assertion-name", "'sum'"),
    ("isinstance(output, str)", "unknown-assertion-name", "'isinstance'"),
    ("any(sorted(k) for k in ['a'])", "unknown-assertion-name", "'sorted'"),
    ("any(k in output for k in ['a'])", "name-out-of-scope", "'output' is not visible inside a generator"),
    ("any(len(k) for k in ['a'])", "name-out-of-scope", "'len'"),
    ("(lambda: output)()", "name-out-of-scope", "a lambda"),
    ("any(True for k in ['a'] for c in output)", "name-out-of-scope", "'output'"),
    ("any(True for k in ['a'] if k in output)", "name-out-of-scope", "'output'"),
    ("(lambda s: len(s))(output)", "name-out-of-scope", "'len'"),
]


def _found(assertion: str) -> list[tuple[str, str]]:
    return [(it.rule.code, it.message) for it in problem_in_python(assertion, set())]


@pytest.mark.parametrize("assertion", FINE)
def test_a_good_assertion_has_no_finding_and_does_not_raise(assertion: str) -> None:
    assert _found(assertion) == []
    [outcome] = evaluate_python([assertion], NAMES, Path())
    assert outcome.kind == "pass", outcome.text


@pytest.mark.parametrize(("assertion", "code", "part"), WRONG)
def test_a_bad_assertion_has_one_finding_and_does_raise(assertion: str, code: str, part: str) -> None:
    [(found, message)] = _found(assertion)
    assert found == code
    assert part in message
    [outcome] = evaluate_python([assertion], NAMES, Path())
    assert outcome.kind == "error"


def test_comprehensions_are_said_to_fail_before_python_3_12_only() -> None:
    [(code, message)] = _found("[k in output for k in ['a']]")
    assert code == "name-out-of-scope"
    assert "a comprehension (before Python 3.12)" in message
    [outcome] = evaluate_python(["[k in output for k in ['a']]"], NAMES, Path())
    assert outcome.kind == ("error" if sys.version_info < (3, 12) else "pass")


def test_a_name_is_told_once_and_bindings_carry_over() -> None:
    bound: set[str] = set()
    assert len(list(problem_in_python("max(min(1), min(2))", bound))) == 2
    assert list(problem_in_python("(n := len(output))", bound)) == []
    assert list(problem_in_python("n > 1", bound)) == []


def test_deep_nesting_and_doubtful_escapes_do_no_harm() -> None:
    [(code, _)] = _found("(" * 5000 + ")" * 5000)
    assert code == "invalid-assertion"
    assert _found("'\\d' in output") == []
