"""Hold the audits of a command, and print them as JSON."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from waza_engine.analysis.pipeline import check_context
from waza_engine.audit.findings import audit_findings
from waza_engine.audit.intent import Intent
from waza_engine.audit.score import (
    EvalAudit,
    TaskAudit,
    eval_score,
    grader_powers,
    score_text,
    totals_by_name,
)
from waza_engine.lib.files.safe_read import MAX_SOURCE_BYTES, regular_text
from waza_engine.model.findings import Finding
from waza_engine.project.settings import Projects
from waza_lsp.cli.audit.keep import Kept, Wanted
from waza_lsp.cli.check.report import CheckedFile, Tries
from waza_lsp.cli.load_errors import find_place, short_path
from waza_lsp.diagnostics.ranges import RangedFinding, span_in
from waza_lsp.diagnostics.suppressions import without_suppressed
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span


@dataclass(slots=True)
class AuditReport:
    """The audits of all evals. `problems` say which evals could not be audited.

    `stopped` is why the audit is not whole; then `not_reached` are the evals that were not begun. `kept` is broken work
    that was to be kept.
    """

    evals: list[EvalAudit] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    stopped: str = ""
    judge_tokens: int | None = None
    """What the judges have cost; None if they were not asked."""
    not_reached: list[Path] = field(default_factory=list)
    kept: list[tuple[Wanted, Kept]] = field(default_factory=list)

    @property
    def is_partial(self) -> bool:
        """Whether tasks were not reached."""
        return bool(self.not_reached) or any(len(it.audits) < it.task_count for it in self.evals)

    @property
    def audits(self) -> list[TaskAudit]:
        return [audit for it in self.evals for audit in it.audits]


def counted(count: int, word: str) -> str:
    """Return a number of things: `1 task`, `2 tasks`."""
    return f"{count} {word}{'' if count == 1 else 's'}"


def conclusion(report: AuditReport, least: float | None) -> str:
    """Return why the audit fails, or "". `least` is the lowest score in percent, if the caller demands one."""
    return "; ".join(_reasons(report.audits, least))


def _reasons(audits: Sequence[TaskAudit], least: float | None) -> Iterator[str]:
    kept = sum(len(it.passing_counter_examples) for it in audits)
    if kept:
        yield f"{counted(kept, 'counter example')} pass{'es' * (kept == 1)}, but must fail"
    if least is None:
        return
    accused = sum(it.passes_without_work for it in audits)
    if accused:
        yield f"{counted(accused, 'task')} pass{'es' * (accused == 1)} for an agent that does no work"
    score = eval_score(audits)
    if score is not None and score * 100 < least:
        yield f"the mutation score is {score_text(score)}, but must be at least {least:g} %"
    elif score is None and least and any(it.intent is Intent.WORK and not it.is_unchecked for it in audits):
        # Else an eval without recordings would be green for nothing.
        yield "there is no mutation score, because no recorded trial passes and could be broken"


def as_json(report: AuditReport) -> str:
    """Return the audit as one JSON object. Scores are from 0 to 1; lines count from 0."""
    audits = report.audits
    data = {
        "evals": [_eval_json(it) for it in report.evals],
        "agents_and_mutations": {
            name: {"passed": passed, "total": total}
            for name, (passed, total) in totals_by_name(audits).items()
        },
        "summary": {
            "tasks": len(audits),
            "pass_without_work": sum(it.passes_without_work for it in audits),
            "mutation_score": eval_score(audits),
            "problems": report.problems,
            "stopped": report.stopped,
            "judge_tokens": report.judge_tokens,
            "not_reached": [str(it) for it in report.not_reached],
        },
    }
    return json.dumps(data, indent=2, ensure_ascii=False)


def _eval_json(audited: EvalAudit) -> dict[str, Any]:
    return {
        "path": str(audited.path),
        "name": audited.name,
        "mutation_score": eval_score(audited.audits),
        "tasks": [_task_json(it) for it in audited.audits],
    }


def _task_json(audit: TaskAudit) -> dict[str, Any]:
    return {
        "id": audit.task,
        "name": audit.name,
        "path": str(short_path(audit.path)) if audit.path else None,
        "line": _line(audit.path, audit.pointer),
        "intent": audit.intent.value,
        "passes_for": [it.name for it in audit.passing_agents],
        "recorded_trials": audit.recorded,
        "mutation_score": audit.mutation_score,
        "mutants": len(audit.mutants),
        "survivors": [
            {
                "mutation": it.name,
                "key": it.key,
                "change": it.change,
                "trial": it.trial,
                "before": it.before,
                "after": it.after,
            }
            for it in audit.survivors
        ],
        "unseen": [it.change for it in audit.unseen],
        "graders": [
            {
                "name": it.grader.name,
                "type": it.grader.type,
                "path": str(short_path(it.grader.path)) if it.grader.path else None,
                "line": _line(it.grader.path, it.grader.pointer),
                "notices": list(it.kills),
                "only_one_to_notice": list(it.only_kills),
            }
            for it in grader_powers(audit)
        ],
        "not_asked": [it.name or it.type for it in audit.left_out],
        "counter_examples": [
            {"path": f"recordings/counter/{it.name}", "status": it.status}
            for it in audit.attempts
            if it.kind == "counter example"
        ],
        "skipped_recordings": [it.shown for it in audit.unreadable],
        "unchecked": audit.is_unchecked,
        "problem": audit.problem,
        "without_verdict": audit.lost,
    }


def _line(path: Path | None, pointer: Sequence[Any]) -> int | None:
    place: Place | None = find_place(path, tuple(pointer)) if path is not None else None
    return place.line if place is not None else None


def checked_files(report: AuditReport) -> list[CheckedFile]:
    """Return the findings of the audit by file, for the formats of CI systems."""
    by_file: dict[Path, list[Finding]] = {}
    for each in report.evals:
        for path, finding in audit_findings(each.audits):
            by_file.setdefault(path, []).append(finding)
    projects = Projects()
    return [_checked_file(path, findings, projects) for path, findings in by_file.items()]


def _checked_file(path: Path, findings: Sequence[Finding], projects: Projects) -> CheckedFile:
    """Return a file with the findings, at the levels that the settings of its project give them."""
    levels = check_context(path, projects.of(path.parent), Path.cwd()).levels
    try:
        text = regular_text(path, "utf-8-sig", MAX_SOURCE_BYTES)
    except (OSError, ValueError):
        text = ""
    snapshot = Snapshot.of(path.as_uri(), text)
    top = Span(Place(0, 0), Place(0, 0))
    marks = [
        RangedFinding(span_in(snapshot.tree, it.pointer) or top, replace(it, severity=level))
        for it in findings
        if (level := levels.get(it.code, it.severity)) is not None
    ]
    marks = without_suppressed(marks, snapshot.tree, snapshot.text.lines)
    return CheckedFile.of(str(short_path(path)), snapshot, sorted(marks, key=lambda it: it.span), Tries.NONE)
