"""The findings of an audit: what all of its rules report."""

from collections.abc import Iterable, Iterator, Sequence

from waza_engine.analysis.rules import rule_modules
from waza_engine.audit.codes import BLIND_GRADER
from waza_engine.audit.placing import PlacedFinding
from waza_engine.audit.rules import idle_grader
from waza_engine.audit.score import TaskAudit

PACKAGE = "waza_engine.audit.rules"


def audit_findings(audits: Iterable[TaskAudit]) -> Iterator[PlacedFinding]:
    """Yield the findings of the audits of one eval. What is true of a grader of all tasks is told once."""
    return (placed for _, found in findings_by_task(audits) for placed in found)


def task_findings(audit: TaskAudit) -> Iterator[PlacedFinding]:
    """Yield what the audit of one task alone tells. Whether a grader of several tasks is idle, it does not."""
    for module in rule_modules(PACKAGE):
        yield from module.check(audit)


def findings_by_task(audits: Iterable[TaskAudit]) -> Iterator[tuple[TaskAudit, list[PlacedFinding]]]:
    """Yield each audit of one eval with those of its findings that no earlier one has.

    Graders that never look at the agent are told once per eval, at the first: an eval that has one often has many.
    """
    # Not a list of what is in a file: all of it would not fit into the memory.
    audits = audits if isinstance(audits, Sequence) else list(audits)
    shared: dict[int, list[PlacedFinding]] = {}
    for number, placed in idle_grader.check_shared(audits):
        shared.setdefault(number, []).append(placed)
    told = set[int]()
    for number, audit in enumerate(audits):
        found = []
        for placed in (*task_findings(audit), *shared.get(number, ())):
            is_once = placed.finding.code == BLIND_GRADER.code
            # The hash is enough, and much smaller.
            key = hash((placed.finding.code, *(() if is_once else (placed.path, placed.finding.pointer))))
            if key not in told:
                told.add(key)
                found.append(placed)
        yield audit, found
