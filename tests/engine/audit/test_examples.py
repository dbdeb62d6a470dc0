"""The example that is weak on purpose has the findings that its page shows, and its improved form has none."""

from collections.abc import Iterator
from pathlib import Path

from tests.engine.audit.evals import plan_of, recorded
from waza_engine.audit.findings import audit_findings
from waza_engine.audit.run import audit_suite
from waza_engine.audit.score import AuditSums, TaskAudit

FOLDER = Path(__file__).parents[3] / "examples" / "meeting-minutes"


def audits(name: str) -> list[TaskAudit]:
    plan = plan_of(FOLDER / name)
    return list(audit_suite(plan, recorded(plan), FOLDER))


def told(found: list[TaskAudit]) -> Iterator[tuple[str, str]]:
    """Yield the task and the code of each finding."""
    for it in found:
        yield from ((it.task, placed.finding.code) for placed in audit_findings([it]))


def test_the_weak_eval() -> None:
    assert set(told(audits("eval.yaml"))) == {
        ("tells-the-decisions", "passes-without-work"),
        ("tells-what-is-open", "counter-example-passes"),
        ("tells-what-is-open", "idle-grader"),
        ("tells-what-is-open", "surviving-mutant"),
        ("writes-the-minutes", "surviving-mutant"),
        ("reads-well", "only-judge"),
    }


def test_the_improved_eval() -> None:
    found = audits("improved.eval.yaml")
    assert list(told(found)) == []
    assert AuditSums.of(it for it in found if it.task != "leaves-the-agenda-alone").score == 1
