"""Tests of JavaScript assertions in a reused Node.js: waza's context, without effects on the next grader."""

import shutil
import time
from typing import Any

import pytest

from waza_engine.assertions.evaluation import evaluate_javascript
from waza_engine.assertions.interpreters import NodeMissingError, javascript_workers
from waza_engine.graders.base import GradeError

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")

NAMES: dict[str, Any] = {
    "output": "abc",
    "outcome": {},
    "transcript": [{"type": "user.message", "content": "hi"}],
    "tool_calls": [],
    "errors": [],
    "duration_ms": 7,
}


def kinds(*assertions: str, milliseconds: int = 2_000) -> list[str]:
    return [it.kind for it in evaluate_javascript(assertions, NAMES, milliseconds)]


@needs_node
def test_truth_is_javascript_s_own() -> None:
    assert kinds("[]", "({})", "'0'", "0", "''", "NaN", "null", "undefined") == ["pass"] * 3 + ["fail"] * 5


@needs_node
@pytest.mark.parametrize(
    "assertion",
    [
        "output.length === 3 && duration_ms === 7 && transcript[0].content === 'hi'",
        "var n = 1; n + 1",
        "True && !False",
        "typeof Array === 'function' && isFinite(1) && Math.max(1, 2) === 2 && /b/.test(output)",
        "typeof Date === 'function' && typeof Map === 'function' && typeof Symbol === 'function'",
        "typeof require === 'undefined' && typeof process === 'undefined' && typeof setTimeout === 'undefined'",
        "console.log('silent') === undefined",
        "transcript instanceof Array && !([] instanceof Array)",
        "hasOwnProperty.call(this, 'output')",
    ],
)
def test_the_context_is_that_of_waza(assertion: str) -> None:
    assert kinds(assertion) == ["pass"]


@needs_node
def test_variables_persist_between_the_assertions_of_one_grader_only() -> None:
    assert kinds("let q = output; q", "q === output") == ["pass", "pass"]
    assert kinds("q") == ["error"]


@needs_node
def test_a_thrown_value_is_known_by_its_text() -> None:
    outcomes = evaluate_javascript(["throw ''", "throw []", "throw 'fail'", "throw new Error('e1')"], NAMES)
    assert [it.text for it in outcomes] == ["", "", "fail", "Error: e1"]


@needs_node
@pytest.mark.parametrize(
    "assertion",
    [
        "Promise.reject(new Error('x'))",
        "(async () => { throw 1 })()",
        "throw Object.create(null)",
        "throw {toString() { throw 1 }}",
    ],
)
def test_rejections_and_unprintable_values_give_no_verdict(assertion: str) -> None:
    with pytest.raises(GradeError, match="no result"):
        kinds("true", assertion)
    assert kinds("true") == ["pass"]


@needs_node
def test_a_rejection_that_is_handled_is_none() -> None:
    assert kinds("Promise.reject(1).catch(() => 2)") == ["pass"]


@needs_node
def test_an_endless_loop_fails_alone() -> None:
    outcomes = evaluate_javascript(["while (true) {}", "true"], NAMES, 100)
    assert [it.kind for it in outcomes] == ["error", "pass"]
    assert "timed out" in outcomes[0].text


@needs_node
def test_changed_intrinsics_do_not_reach_the_next_grader() -> None:
    assert kinds("Object.prototype.x = Array.prototype.x = String.prototype.x = 1; JSON.parse = null; 1") == [
        "pass"
    ]
    assert kinds("({}).x === undefined && Array.prototype.x === undefined && JSON.parse('1') === 1") == [
        "pass"
    ]


@needs_node
@pytest.mark.parametrize(
    "way",
    [
        "this.constructor.constructor",
        "output.constructor.constructor",
        "Array.constructor",
        "transcript.constructor.constructor",
        "Array.constructor('return this')().constructor.constructor",
        "(() => {}).constructor",
    ],
)
def test_the_worker_s_own_realm_is_out_of_reach(way: str) -> None:
    assert kinds(f"{way}('return typeof process')() === 'undefined'") == ["pass"]


@needs_node
@pytest.mark.slow
def test_a_worker_that_runs_out_of_memory_is_replaced() -> None:
    with pytest.raises(GradeError, match="no result"):
        kinds("var a = []; while (true) a.push(new Array(1e6).fill(1.5))", milliseconds=20_000)
    assert kinds("true") == ["pass"]


@needs_node
@pytest.mark.slow
def test_endless_microtasks_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waza_engine.assertions.evaluation._GRACE_SECONDS", 0.5)
    started = time.monotonic()
    with pytest.raises(GradeError, match="longer than"):
        kinds("(async () => { while (true) await 0 })()", milliseconds=100)
    assert time.monotonic() - started < 5


def test_without_node_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waza_engine.assertions.interpreters.shutil.which", lambda _: None)
    with pytest.raises(NodeMissingError, match=r"need Node\.js"):
        javascript_workers().ask({}, 1)
