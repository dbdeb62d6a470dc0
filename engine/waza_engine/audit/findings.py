"""The findings of an audit: what all of its rules report."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from waza_engine.analysis.rules import rule_modules
from waza_engine.audit.codes import BLIND_GRADER
from waza_engine.audit.placing import PlacedFinding
from waza_engine.audit.score import TaskAudit

PACKAGE = "waza_engine.audit.rules"


def audit_findings(audits: Iterable[TaskAudit]) -> Iterator[PlacedFinding]:
    """Yield the findings of the audits of one eval. What is true of a grader of all tasks is told once."""
    return (placed for _, found in findings_by_task(audits) for placed in found)


def findings_by_task(audits: Iterable[TaskAudit]) -> Iterator[tuple[TaskAudit, list[PlacedFinding]]]:
    """Yield each audit of one eval with those of its findings that no earlier one has.

    Graders that never look at the agent are told once per eval, at the first: an eval that has one often has many.
    """
    told: set[tuple[str, Path | None, object]] = set()
    for audit in audits:
        found = []
        for placed in (it for module in rule_modules(PACKAGE) for it in module.check(audit)):
            is_once = placed.finding.code == BLIND_GRADER.code
            key = (placed.finding.code, *((None, None) if is_once else (placed.path, placed.finding.pointer)))
            if key not in told:
                told.add(key)
                found.append(placed)
        yield audit, found
