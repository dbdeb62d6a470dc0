"""A verdict as vally writes it into its results (docs/reference/vally.md, section 6).

Names for graders of vally, whose files and results may have one name several times.

See docs/reference/vally.md, sections 5 and 6.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from waza_engine.graders.base import Criterion
from waza_engine.graders.result import GraderVerdict

IN_VERDICTS = frozenset(["name", "passed", "score", "evidence"])
"""Members of a result object that a verdict has fields of its own for."""


def result_object(verdict: GraderVerdict) -> dict[str, Any]:
    """The result of a grader; members that say nothing are left out."""
    result = verdict.result
    told: dict[str, Any] = {
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
    return {
        key: it for key, it in told.items() if it or key in {"name", "kind", "passed", "score", "evidence"}
    }


def _criterion(criterion: Criterion, kind: str) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": criterion.name,
        "kind": kind,
        "passed": criterion.passed,
        "score": criterion.score,
        "evidence": criterion.evidence,
        "details": [_criterion(it, kind) for it in criterion.criteria],
        "metadata": dict(criterion.metadata),
        "status": criterion.status,
    }
    return {
        key: it for key, it in told.items() if it or key in {"name", "kind", "passed", "score", "evidence"}
    }


def names_apart(names: Sequence[str]) -> Iterator[str]:
    """The names, in order: of several alike each after the first gets a number, and none that another one has."""
    taken, seen = set(names), Counter[str]()
    for label in names:
        seen[label] += 1
        name = label
        while seen[label] > 1 and (name := f"{label} ({seen[label]})") in taken:
            seen[label] += 1
        taken.add(name)
        yield name
