"""Print an audit for people: a block for each eval, and a summary. Each line names something that its author can change."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from waza_engine.audit.codes import (
    COUNTER_EXAMPLE_PASSES,
    PASSES_WITHOUT_WORK,
    SURVIVING_MUTANT,
    UNREADABLE_RECORDING,
)
from waza_engine.audit.findings import findings_by_task
from waza_engine.audit.intent import Intent
from waza_engine.audit.placing import PlacedFinding
from waza_engine.audit.score import Attempt, TaskAudit, eval_score, score_text
from waza_engine.reports.inert import harmless
from waza_lsp.cli.audit.report import AuditReport, counted
from waza_lsp.cli.load_errors import find_place, short_path

_MOST_SURVIVORS = 5
_MOST_NAMES = 5
_INTENTS = {Intent.NOTHING: "negative test", Intent.REFUSAL: "refusal test"}
_SHOWN_WHOLE = frozenset(
    [PASSES_WITHOUT_WORK, SURVIVING_MUTANT, COUNTER_EXAMPLE_PASSES, UNREADABLE_RECORDING]
)
"""Findings whose agents, mutants and files have lines of their own."""


def as_text(report: AuditReport, *, quiet: bool = False, colour: bool = False) -> str:
    """Return the audit as text. If it is `quiet`, tasks without findings are left out."""
    lines: list[str] = []
    for it in report.evals:
        audits = findings_by_task(it.audits)
        found = [line for each in audits for line in _task_lines(*each, quiet=quiet, colour=colour)]
        if found or not quiet:
            title = harmless(str(it.path))
            lines.extend([click.style(title, bold=True) if colour else title, *found, ""])
    return "\n".join([*lines, *_summary(report)])


def _task_lines(
    audit: TaskAudit, findings: Sequence[PlacedFinding], *, quiet: bool, colour: bool
) -> Iterator[str]:
    is_weak = bool(findings or audit.problem or audit.unreadable or audit.lost or audit.is_unchecked)
    if quiet and not is_weak:
        return
    mark = click.style("!", fg="yellow") if is_weak and colour else "!" if is_weak else " "
    where = f"  {_where(audit.path, audit.pointer)}" if is_weak and audit.path is not None else ""
    yield f"{mark} {harmless(audit.task)}: {'; '.join(_words(audit))}{where}"
    for broken in audit.unreadable:
        yield f"    skipped: {harmless(broken.shown)}"
    if audit.lost and not audit.problem:
        yield f"    {harmless(audit.lost.partition(chr(10))[0])}"
    if audit.accused:
        agents = "; ".join(it.does for it in audit.accused)
        yield f"    passes for an agent that {harmless(agents)}"
    for path, finding in findings:
        if finding.rule not in _SHOWN_WHOLE:
            yield f"    {harmless(finding.message)}  {_where(path, finding.pointer)}"
    for it in audit.passing_counter_examples:
        yield f"    must fail, but passes: recordings/counter/{harmless(it.name)}"
    shown = audit.survivors[:_MOST_SURVIVORS]
    for it in shown:
        yield f"    still passes {harmless(it.change)}{_of_trial(audit, it)} [{harmless(it.key)}]"
    if len(audit.survivors) > len(shown):
        yield f"    and {len(audit.survivors) - len(shown)} more"


def _words(audit: TaskAudit) -> Iterator[str]:
    if audit.problem:
        yield f"not audited: {harmless(audit.problem)}"
    elif audit.intent in _INTENTS:
        yield _INTENTS[audit.intent]
    elif audit.is_unchecked:
        yield "nothing checks this task, so every agent passes"
    elif audit.mutation_score is not None:
        mutants = audit.mutants
        killed = len(mutants) - len(audit.survivors)
        yield f"mutation score {score_text(audit.mutation_score)} ({killed} of {len(mutants)})"
    elif audit.trials:
        yield "no mutants that a grader could notice"
    elif audit.recorded:
        yield f"no mutants, because no recorded trial passes ({audit.recorded} recorded)"
    else:
        yield "not recorded"


def _lacks_recording(audit: TaskAudit) -> bool:
    """Whether a recorded trial would tell more."""
    return not (audit.recorded or audit.problem or audit.is_unchecked or audit.intent in _INTENTS)


def _of_trial(audit: TaskAudit, attempt: Attempt) -> str:
    return f" (trial {attempt.trial})" if audit.trials > 1 else ""


def _where(path: Path, pointer: Sequence[Any]) -> str:
    """Return the place of a grader or task in the form that terminals open."""
    place = find_place(path, tuple(pointer))
    return harmless(f"{short_path(path)}:{place.line + 1}" if place is not None else str(short_path(path)))


def _summary(report: AuditReport) -> Iterator[str]:
    audits = report.audits
    if not audits and not report.stopped:
        return  # The problems tell why.
    score = eval_score(audits)
    accused = sum(it.passes_without_work for it in audits)
    words = [
        f"{counted(len(audits), 'task')} audited",
        f"{accused or 'none'} pass{'es' * (accused == 1)} for an agent that does no work",
    ]
    if score is not None:
        words.append(f"mutation score {score_text(score)}")
    if report.problems:
        words.append(f"{counted(len(report.problems), 'eval')} not audited")
    if report.judge_tokens is not None:
        words.append(f"judges used {report.judge_tokens:,} tokens")
    if report.stopped:
        total = sum(it.task_count for it in report.evals)
        words.append(f"{report.stopped} after {len(audits)} of {counted(total, 'task')}")
    yield "; ".join(words)
    missing = sum(_lacks_recording(it) for it in audits)
    if missing:
        are, them = ("is", "it") if missing == 1 else ("are", "them")
        yield f"{counted(missing, 'task')} {are} not recorded: run {them}, and the audit breaks the recorded work, too"
    not_asked = list(dict.fromkeys(each.name or each.type for it in audits for each in it.left_out))
    if not_asked:
        more = f" and {len(not_asked) - _MOST_NAMES} more" if len(not_asked) > _MOST_NAMES else ""
        yield f"not asked, because they run programs or ask a model: {harmless(', '.join(not_asked[:_MOST_NAMES]))}{more}"
    if report.not_reached:
        yield f"not reached: {', '.join(map(str, report.not_reached))}"
