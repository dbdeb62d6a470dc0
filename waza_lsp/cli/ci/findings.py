"""The findings of the check and of the audit, for the summary and as SARIF."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from waza_engine.audit.score import AuditSums, EvalAudit
from waza_engine.model.findings import Severity
from waza_engine.reports.pull_request.summary import AuditSummary, FindingSummary, cut
from waza_lsp.cli.audit.perform import Audits
from waza_lsp.cli.audit.perform import Request as AuditRequest
from waza_lsp.cli.audit.report import AuditedFiles
from waza_lsp.cli.check.checks import CodeFilter
from waza_lsp.cli.check.formats import as_github, as_sarif
from waza_lsp.cli.check.report import CheckedFile, ReportedFinding, Tries
from waza_lsp.cli.check.sources import find_sources
from waza_lsp.cli.check.start import check_sources
from waza_lsp.cli.ci.event import is_on_github

_MOST = 100


@dataclass(slots=True)
class Findings:
    """What was found. `lines` are the most severe findings of the check."""

    lines: list[FindingSummary] = field(default_factory=list)
    errors: int = 0
    warnings: int = 0
    audits: list[AuditSummary] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    sarif: str = ""


def find_all(paths: Sequence[Path], audited: Sequence[Path]) -> Findings:
    """Check the paths and audit the evals. On GitHub, findings become annotations."""
    found = Findings()
    sources = find_sources(tuple(map(os.fspath, paths)), "", None)
    nothing: frozenset[str] = frozenset()
    checked = check_sources(sources, sources, CodeFilter(nothing, nothing), found.problems, Tries.NONE)
    _sum_up(checked, found)
    # A file of hints would hide what matters: GitHub shows ten annotations of a kind.
    annotated = [replace(it, found=tuple(filter(_is_serious, it.found))) for it in checked]
    if audited:
        report = Audits(AuditRequest()).perform(it.absolute() for it in audited)
        found.problems += report.problems
        found.audits = [_audit(it) for it in report.evals[:500]]
        of_audit = list(AuditedFiles(report))
        checked, annotated = [*checked, *of_audit], [*annotated, *of_audit]
    if is_on_github() and (commands := as_github(annotated)):
        click.echo(commands)
    found.sarif = as_sarif(checked)
    return found


def _is_serious(reported: ReportedFinding) -> bool:
    return reported.finding.severity in {Severity.ERROR, Severity.WARNING}


def _sum_up(checked: Sequence[CheckedFile], found: Findings) -> None:
    """Count the findings and keep the most severe ones. Hints have no place in a comment."""
    lines = []
    for file in checked:
        for it in file.found:
            if _is_serious(it):
                found.errors += it.finding.severity is Severity.ERROR
                found.warnings += it.finding.severity is Severity.WARNING
                lines.append((file.name, it))
    lines.sort(key=lambda it: it[1].finding.severity is not Severity.ERROR)
    found.lines = [
        FindingSummary(
            path=cut(name.replace(os.sep, "/")),
            line=it.span.start.line + 1,
            level="error" if it.finding.severity is Severity.ERROR else "warning",
            code=it.finding.code,
            message=cut(it.finding.message),
        )
        for name, it in lines[:_MOST]
    ]


def _audit(audited: EvalAudit) -> AuditSummary:
    sums = AuditSums.of(audited.audits)
    return AuditSummary(
        path=cut(audited.path.as_posix()),
        score=sums.score,
        passing=[cut(it.name or it.task) for it in audited.audits if it.passes_without_work][:50],
        survivors=sums.mutants - sums.killed,
    )
