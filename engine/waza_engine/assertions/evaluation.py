"""Evaluate assertions and Python patterns, and return an outcome for each. Graders turn outcomes into scores."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from waza_engine.assertions.interpreters import (
    JAVASCRIPT_MILLISECONDS,
    TIME_LIMIT_SECONDS,
    NodeMissingError,
    javascript_workers,
    python_workers,
)
from waza_engine.assertions.workers import WorkerError, Workers
from waza_engine.graders.base import GradeError
from waza_engine.lib.go.text import without_surrogates

_GRACE_SECONDS = 5.0
_STARVED_SECONDS = 50.0
"""Extra time for a Python interpreter, which enforces its own limit: it starts slowly on a busy machine."""
_PYTHON = python_workers()
_JAVASCRIPT = javascript_workers()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an expression: true, false, or an exception with its text, which may be empty."""

    kind: Literal["pass", "fail", "error"]
    text: str = ""


def evaluate_python(
    assertions: Sequence[Any], names: Mapping[str, Any], cwd: Path, workers: Workers | None = None
) -> list[Outcome]:
    """Evaluate `assertions` in order; they share `names` and variables bound with `:=`.

    Raises:
        GradeError: no outcomes, because of a timeout, a crash or disturbed output.

    """
    request = {"assertions": list(assertions), "names": dict(names), "cwd": str(cwd.absolute())}
    return _in_python(request, len(assertions), workers)


def search_python_patterns(
    patterns: Sequence[Any], text: str, workers: Workers | None = None
) -> list[Outcome]:
    """Search each Python pattern in `text`, case-insensitively; an invalid pattern is an error.

    Raises:
        GradeError: no outcomes, for instance because a pattern takes exponential time.

    """
    request = {"patterns": list(patterns), "text": text}
    return _in_python(request, len(patterns), workers)


def evaluate_javascript(
    assertions: Sequence[str], names: Mapping[str, Any], milliseconds: int = JAVASCRIPT_MILLISECONDS
) -> list[Outcome]:
    """Evaluate JavaScript `assertions` in one context; each may take `milliseconds`.

    Raises:
        GradeError: Node.js is missing, or no outcomes, because of an unhandled rejection, a crash or a timeout.

    """
    secret = secrets.token_hex()
    request = {
        "assertions": list(assertions),
        "names": dict(names),
        "milliseconds": milliseconds,
        "secret": secret,
    }
    answer = _ask(_JAVASCRIPT, request, len(assertions) * milliseconds / 1000 + _GRACE_SECONDS)
    if answer.get("secret") != secret:
        raise GradeError("The assertions gave no result: they disturbed the interpreter's output")
    if error := answer.get("error"):
        raise GradeError(f"The assertions gave no result: {error}")
    return _outcomes(answer.get("results"), len(assertions))


def _in_python(request: Mapping[str, Any], count: int, workers: Workers | None) -> list[Outcome]:
    if not count:
        return []
    answer = _ask(workers or _PYTHON, request, TIME_LIMIT_SECONDS + _STARVED_SECONDS)
    if answer["ended"] == "time":
        raise GradeError(f"The assertions took longer than {answer['seconds']:g} s and were stopped")
    if answer["ended"] == "flood":
        raise GradeError("The assertions gave no result: they wrote too much output")
    if answer["status"]:
        raise GradeError(
            f"The assertions gave no result: the interpreter ended with status {answer['status']}"
        )
    return _outcomes(answer["results"], count)


def _ask(workers: Workers, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    try:
        answer = workers.ask(request, seconds)
    except (WorkerError, OSError, NodeMissingError) as error:
        raise GradeError(f"The assertions gave no result: {error}") from error
    return answer if isinstance(answer, dict) else {}


def _outcomes(results: Any, count: int) -> list[Outcome]:
    try:
        outcomes = [Outcome(kind, without_surrogates(text)) for kind, text in results]
    except (TypeError, ValueError, AttributeError) as error:
        raise GradeError("The assertions gave no result: they disturbed the interpreter's output") from error
    if len(outcomes) != count:
        raise GradeError("The assertions gave no result: they disturbed the interpreter's output")
    return outcomes
