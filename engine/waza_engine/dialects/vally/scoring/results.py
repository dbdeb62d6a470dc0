"""Grader results in vally's format, and unique names for graders.

A vally file may use one grader name several times. See docs/reference/vally.md, sections 5 and 6.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from waza_engine.graders.base import Criterion
from waza_engine.graders.result import GraderVerdict

VERDICT_MEMBERS = frozenset(["name", "passed", "score", "evidence"])
"""Members of a result object that have their own field in a verdict."""
_REQUIRED = VERDICT_MEMBERS | {"kind"}


def result_members(verdict: GraderVerdict) -> dict[str, Any]:
    """Return the result object of a verdict, without empty optional members."""
    result = verdict.result
    members: dict[str, Any] = {
        "name": verdict.name,
        "kind": result.kind,
        "passed": result.passed,
        "score": result.score,
        "evidence": result.feedback,
        "label": result.label,
        "details": [_criterion(it, result.kind) for it in result.criteria],
        "metadata": result.details or {},
        "status": result.status,
    }
    return {key: it for key, it in members.items() if it or key in _REQUIRED}


def _criterion(criterion: Criterion, kind: str) -> dict[str, Any]:
    members: dict[str, Any] = {
        "name": criterion.name,
        "kind": kind,
        "passed": criterion.passed,
        "score": criterion.score,
        "evidence": criterion.evidence,
        "details": [_criterion(it, kind) for it in criterion.criteria],
        "metadata": dict(criterion.metadata),
        "status": criterion.status,
    }
    return {key: it for key, it in members.items() if it or key in _REQUIRED}


def unique_names(names: Sequence[str]) -> Iterator[str]:
    """Yield the names in order; each repeated name gets a number that makes it unique."""
    taken, seen = set(names), Counter[str]()
    for label in names:
        seen[label] += 1
        name = label
        while seen[label] > 1 and (name := f"{label} ({seen[label]})") in taken:
            seen[label] += 1
        taken.add(name)
        yield name
