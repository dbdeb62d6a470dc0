"""Hold the audits of a command, and print them as JSON."""

import json
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.analysis.pipeline import check_context
from waza_engine.audit.findings import audit_findings
from waza_engine.audit.score import AuditSums, EvalAudit, TaskAudit, grader_powers, score_text
from waza_engine.lib.files.safe_read import MAX_SOURCE_BYTES, regular_text
from waza_engine.lib.files.spill import Spill
from waza_engine.model.findings import Finding, Rule
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
    sums: AuditSums = field(default_factory=AuditSums)
    problems: list[str] = field(default_factory=list)
    stopped: str = ""
    judge_tokens: int | None = None
    """What the judges have cost; None if they were not asked."""
    not_reached: list[Path] = field(default_factory=list)
    kept: list[tuple[Wanted, Kept]] = field(default_factory=list)

    def take(self, part: "AuditReport") -> None:
        """Add the report of other evals, which come after those of this one."""
        self.evals += part.evals
        self.sums.take(part.sums)
        self.problems += part.problems
        self.stopped = part.stopped or self.stopped
        self.not_reached += part.not_reached

    @property
    def is_partial(self) -> bool:
        """Whether tasks were not reached."""
        return bool(self.not_reached) or any(len(it.audits) < it.task_count for it in self.evals)

    @property
    def audits(self) -> Iterator[TaskAudit]:
        """All tasks, read one by one: not all of them fit into the memory."""
        return (audit for it in self.evals for audit in it.audits)


def counted(count: int, word: str) -> str:
    """Return a number of things: `1 task`, `2 tasks`."""
    return f"{count} {word}{'' if count == 1 else 's'}"


class Conclusion(NamedTuple):
    """Why the audit fails, or, if nothing fails, why it is not decided; "" if it passes."""

    failed: str
    undecided: str = ""


def conclusion(report: AuditReport, least: float | None) -> Conclusion:
    """Return how the audit ends. `least` is the lowest score in percent, if the caller demands one."""
    reasons = list(_reasons(report.sums, least))
    if reasons or least is None or not report.is_partial:
        return Conclusion("; ".join(reasons))
    # What was not reached could have failed.
    return Conclusion("", f"{report.stopped} before all tasks were audited")


def _reasons(sums: AuditSums, least: float | None) -> Iterator[str]:
    kept = sums.counter_examples
    if kept:
        yield f"{counted(kept, 'counter example')} pass{'es' * (kept == 1)}, but must fail"
    if least is None:
        return
    accused = sums.accused
    if accused:
        yield f"{counted(accused, 'task')} pass{'es' * (accused == 1)} for an agent that does no work"
    score = sums.score
    if score is not None and score * 100 < least:
        yield f"the mutation score is {score_text(score)}, but must be at least {least:g} %"
    elif score is None and least and sums.unscored:
        # Else an eval without recordings would be green for nothing.
        yield "there is no mutation score, because no recorded trial passes and could be broken"


def json_chunks(report: AuditReport) -> Iterator[str]:
    """Yield the audit as one JSON object, piece by piece. Scores are from 0 to 1; lines count from 0."""
    sums = report.sums
    yield '{\n  "evals": ['
    for number, it in enumerate(report.evals):
        about = {"path": str(it.path), "name": it.name, "mutation_score": AuditSums.of(it.audits).score}
        yield f'{"," * bool(number)}\n    {_indented(about, 4).removesuffix("}").rstrip()},\n      "tasks": ['
        for place, audit in enumerate(it.audits):
            yield f"{',' * bool(place)}\n        {_indented(_task_json(audit), 8)}"
        yield "\n      ]\n    }" if it.audits else "]\n    }"
    rest = {
        "agents_and_mutations": {
            name: {"passed": passed, "total": total} for name, (passed, total) in sums.by_name.items()
        },
        "summary": {
            "tasks": sums.tasks,
            "pass_without_work": sums.accused,
            "mutation_score": sums.score,
            "problems": report.problems,
            "stopped": report.stopped,
            "judge_tokens": report.judge_tokens,
            "not_reached": [str(it) for it in report.not_reached],
        },
    }
    yield "\n  ]," if report.evals else "],"
    yield _indented(rest, 0).removeprefix("{")


def _indented(value: Any, spaces: int) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False).replace("\n", f"\n{' ' * spaces}")


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


class AuditedFiles:
    """The findings of the audit by file, for the formats of CI systems. Files are read one by one."""

    def __init__(self, report: AuditReport) -> None:
        self.rules = set[Rule]()
        self._findings = Spill[Finding]()
        self._by_file: dict[Path, array[int]] = {}
        for each in report.evals:
            for path, finding in audit_findings(each.audits):
                self._by_file.setdefault(path, array("q")).append(len(self._findings))
                self._findings.append(finding)
                self.rules.add(finding.rule)

    @property
    def names(self) -> list[str]:
        """The names of the files."""
        return [str(short_path(it)) for it in self._by_file]

    def __iter__(self) -> Iterator[CheckedFile]:
        projects = Projects()
        for path, places in self._by_file.items():
            yield _checked_file(path, [self._findings[it] for it in places], projects)


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
