"""Tests of Python assertions: evaluation exactly like waza's, without effects on the engine."""

import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from waza_engine.assertions.evaluation import Outcome, evaluate_python, search_python_patterns
from waza_engine.assertions.interpreters import python_workers
from waza_engine.assertions.workers import Workers
from waza_engine.graders.base import GradeError

OS = "re.enum.sys.modules['os']"
"""How an expression gets at `os` all the same: names of modules hang on other modules."""


def check(assertion: str, kind: str, text: str | None = None, **names: Any) -> None:
    [outcome] = evaluate_python([assertion], {"output": "It is OK", **names}, Path())
    assert outcome.kind == kind
    if text is not None:
        assert text in outcome.text


@pytest.mark.parametrize(
    ("assertion", "kind"),
    [
        ("len(output) > 3", "pass"),
        ("[1]", "pass"),
        ("[]", "fail"),
        ("None", "fail"),
        ("True, False", "pass"),
        ("  True # comment", "pass"),
        ("dict(a=1) == {'a': 1}", "pass"),
        ("[c for c in output if c == 'O']", "pass"),
        ("any(k in output for k in ['OK'])", "error"),
        ("(lambda: len(output))()", "error"),
        ("min(1, 2)", "error"),
        ("print", "error"),
        ("import os", "error"),
        ("x = 1", "error"),
        ("x := 1", "error"),
        ("", "error"),
        ("\n", "error"),
        ("1/0", "error"),
        ("output\x00", "error"),
    ],
)
def test_an_expression_is_evaluated_as_waza_does(assertion: str, kind: str) -> None:
    check(assertion, kind)


def test_an_exception_keeps_its_text_even_an_empty_one() -> None:
    check("{}['key']", "error", "'key'")
    outcomes = evaluate_python(["[].__iter__().__next__()"], {}, Path())
    assert outcomes == [Outcome("error", "")]


def test_bindings_are_shared_within_a_grader_and_not_beyond() -> None:
    assert [it.kind for it in evaluate_python(["(q := 3) == 3", "q == 3"], {}, Path())] == ["pass", "pass"]
    check("q == 3", "error", "'q'")


def test_changes_to_modules_do_not_reach_the_next_grader() -> None:
    check("re.__dict__.__setitem__('search', None) is None", "pass")
    check("re.search('OK', output)", "pass")


def test_the_working_directory_is_that_of_the_context(tmp_path: Path) -> None:
    [outcome] = evaluate_python([f"{OS}.getcwd() == where"], {"where": str(tmp_path)}, tmp_path)
    assert outcome.kind == "pass"


def test_unprintable_characters_survive() -> None:
    check("output == 'é\\u2028<>&\\x00'", "pass", output="é\u2028<>&\x00")


def test_no_assertions_need_no_interpreter() -> None:
    assert evaluate_python([], {}, Path(), Workers(pytest.fail)) == []


@pytest.mark.parametrize(
    "assertion",
    [
        f"{OS}._exit(0)",
        "re.enum.sys.exit(0)",
        "re.enum.sys.exit('text')",
        "re.enum.sys.modules['builtins'].quit()",
        "(x for x in [1]).throw(re.enum.sys.modules['builtins'].KeyboardInterrupt)",
        "re.enum.sys.modules['builtins'].print('noise')",
        "re.enum.sys.stdout.write('noise')",
        "re.enum.sys.stdout.close()",
        f"{OS}.close(1)",
        f"{OS}.dup2(0, 1)",
    ],
)
def test_what_ends_or_disturbs_the_interpreter_gives_no_verdict(assertion: str) -> None:
    with pytest.raises(GradeError, match="no result"):
        evaluate_python(["True", assertion], {}, Path())
    check("True", "pass")


@pytest.mark.parametrize(
    "assertion",
    [
        f"{OS}.system('touch /tmp/waza-escaped')",
        f"{OS}.fork()",
        f"{OS}.execv('/bin/true', ['true'])",
        f"{OS}.posix_spawn('/bin/true', ['true'], {{}})",
        f"{OS}.kill({OS}.getppid(), 9)",
        f"{OS}.killpg(0, 9)",
        f"{OS}.open('waza-escaped', {os.O_WRONLY | os.O_CREAT})",
        f"{OS}.remove('waza-escaped')",
        f"{OS}.mkdir('waza-escaped')",
        "re.enum.sys.modules['builtins'].open('waza-escaped', 'w')",
        "re.enum.sys.modules['builtins'].__import__('_posixsubprocess')",
        "re.enum.sys.modules['builtins'].__import__('socket')",
        "re.enum.sys.modules['builtins'].__import__('ctypes')",
    ],
)
def test_ways_out_of_the_expression_are_refused(assertion: str, tmp_path: Path) -> None:
    [outcome] = evaluate_python([assertion], {}, tmp_path)
    assert outcome.kind == "error"
    assert "not allowed in an assertion" in outcome.text
    assert not list(tmp_path.iterdir())


def test_the_environment_holds_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    workers = python_workers()
    try:
        expression = f"[name for name in {OS}.environ if name not in ('PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'WAZA_LSP_BIRTH')]"
        assert evaluate_python([expression], {}, Path(), workers) == [Outcome("fail")]
    finally:
        workers.close()


@pytest.fixture
def hasty() -> Any:
    """Workers with little time and memory."""
    workers = python_workers(seconds=0.3, memory_bytes=200 << 20, output_bytes=100_000)
    yield workers
    workers.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits inside the worker need fork")
@pytest.mark.parametrize(
    "assertion",
    ["9**9**9", "re.search('(a+)+$', 'a' * 40 + '!')", "re.enum.sys.modules['time'].sleep(60)"],
)
def test_what_takes_too_long_is_stopped_and_the_worker_goes_on(assertion: str, hasty: Workers) -> None:
    started = time.monotonic()
    with pytest.raises(GradeError, match=r"longer than 0\.3 s"):
        evaluate_python([assertion], {}, Path(), hasty)
    assert time.monotonic() - started < 3
    worker = hasty._idle[0].pid
    assert evaluate_python(["True"], {}, Path(), hasty) == [Outcome("pass")]
    assert hasty._idle[0].pid == worker


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits inside the worker need fork")
def test_a_flood_of_output_is_stopped(hasty: Workers) -> None:
    with pytest.raises(GradeError, match="too much output"):
        evaluate_python(["re.enum.sys.stdout.write('x' * 1000000)"], {}, Path(), hasty)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits inside the worker need fork")
@pytest.mark.parametrize("assertion", ["'a' * 10**10", "[0] * 10**9", "len('a' * 10**10) == 5"])
def test_too_much_memory_is_a_failure_and_never_a_pass(assertion: str, hasty: Workers) -> None:
    [outcome] = evaluate_python([assertion], {}, Path(), hasty)
    assert outcome.kind == "error"
    assert "more memory than the limit of 200 MB" in outcome.text


def test_a_killed_worker_is_replaced() -> None:
    workers = python_workers()
    try:
        evaluate_python(["True"], {}, Path(), workers)
        first = workers._idle[0]
        first.kill()
        first.wait()
        assert evaluate_python(["True"], {}, Path(), workers) == [Outcome("pass")]
        assert workers._idle[0].pid != first.pid
    finally:
        workers.close()


def test_threads_can_grade_at_the_same_time() -> None:
    kinds: list[str] = []

    def grade(number: int) -> None:
        for _ in range(10):
            [outcome] = evaluate_python([f"n == {number}"], {"n": number}, Path())
            kinds.append(outcome.kind)

    threads = [threading.Thread(target=grade, args=(it,)) for it in range(6)]
    for it in threads:
        it.start()
    for it in threads:
        it.join()
    assert kinds == ["pass"] * 60


def test_without_fork_every_request_gets_its_own_interpreter() -> None:
    workers = python_workers(fork=False)
    try:
        assert evaluate_python(["(q := output) == 'a'"], {"output": "a"}, Path(), workers) == [
            Outcome("pass")
        ]
        assert [it.kind for it in evaluate_python(["q"], {}, Path(), workers)] == ["error"]
        with pytest.raises(GradeError, match="no result"):
            evaluate_python(["re.enum.sys.exit(0)"], {}, Path(), workers)
        with pytest.raises(GradeError, match="no result"):
            evaluate_python([f"{OS}._exit(0)"], {}, Path(), workers)
        with pytest.raises(GradeError, match="disturbed"):
            evaluate_python(["re.enum.sys.stdout.write('noise')"], {}, Path(), workers)
    finally:
        workers.close()


def test_python_patterns_are_python_s_own_without_case() -> None:
    outcomes = search_python_patterns([r"(\w)\1", "(?=dep)", "none$", "["], "aa Dep\nNone\n")
    assert [it.kind for it in outcomes] == ["pass", "pass", "pass", "error"]


def test_a_pattern_of_exponential_time_is_stopped(hasty: Workers) -> None:
    with pytest.raises(GradeError, match="longer than"):
        search_python_patterns(["(a+)+$"], "a" * 40 + "!", hasty)
