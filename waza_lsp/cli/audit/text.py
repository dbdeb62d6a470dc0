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
from waza_engine.audit.score import Attempt, TaskAudit, score_text
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


def text_chunks(report: AuditReport, *, quiet: bool = False, colour: bool = False) -> Iterator[str]:
    """Yield the audit as lines of text. If it is `quiet`, tasks without findings are left out."""
    for each in report.evals:
        title = harmless(str(each.path))
        title = f"{click.style(title, bold=True) if colour else title}\n"
        if not quiet:
            yield title
        is_shown = not quiet
        reasons = set[str]()
        for it in findings_by_task(each.audits):
            for line in _task_lines(*it, reasons, quiet=quiet, colour=colour):
                if not is_shown:
                    yield title
                    is_shown = True
                yield f"{line}\n"
        if is_shown:
            yield "\n"
    yield from (f"{it}\n" for it in _summary(report))


def _task_lines(
    audit: TaskAudit, findings: Sequence[PlacedFinding], reasons: set[str], *, quiet: bool, colour: bool
) -> Iterator[str]:
    """Yield the lines of a task. `reasons` are why earlier tasks of the eval were not audited."""
    is_weak = bool(findings or audit.problem or audit.unreadable or audit.lost or audit.is_unchecked)
    if quiet and not is_weak:
        return
    mark = click.style("!", fg="yellow") if is_weak and colour else "!" if is_weak else " "
    where = f"  {_where(audit.path, audit.pointer)}" if is_weak and audit.path is not None else ""
    yield f"{mark} {harmless(audit.task)}: {'; '.join(_words(audit, reasons))}{where}"
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


def _words(audit: TaskAudit, reasons: set[str]) -> Iterator[str]:
    if audit.problem in reasons:
        yield "not audited for the same reason"
    elif audit.problem:
        reasons.add(audit.problem)
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


def _of_trial(audit: TaskAudit, attempt: Attempt) -> str:
    return f" (trial {attempt.trial})" if audit.trials > 1 else ""


def _where(path: Path, pointer: Sequence[Any]) -> str:
    """Return the place of a grader or task in the form that terminals open."""
    place = find_place(path, tuple(pointer))
    return harmless(f"{short_path(path)}:{place.line + 1}" if place is not None else str(short_path(path)))


def _summary(report: AuditReport) -> Iterator[str]:
    sums = report.sums
    if not sums.tasks and not report.stopped:
        return  # The problems tell why.
    accused = sums.accused
    words = [
        f"{counted(sums.tasks, 'task')} audited",
        f"{accused or 'none'} pass{'es' * (accused == 1)} for an agent that does no work",
    ]
    if sums.score is not None:
        words.append(f"mutation score {score_text(sums.score)}")
    if report.problems:
        words.append(f"{counted(len(report.problems), 'eval')} not audited")
    if report.judge_tokens is not None:
        words.append(f"judges used {report.judge_tokens:,} tokens")
    if report.stopped:
        total = sum(it.task_count for it in report.evals)
        words.append(f"{report.stopped} after {sums.tasks} of {counted(total, 'task')}")
    yield "; ".join(words)
    if sums.unrecorded:
        are, them = ("is", "it") if sums.unrecorded == 1 else ("are", "them")
        yield f"{counted(sums.unrecorded, 'task')} {are} not recorded: run {them}, and the audit breaks the recorded work, too"
    not_asked = list(sums.left_out)
    if not_asked:
        more = f" and {len(not_asked) - _MOST_NAMES} more" if len(not_asked) > _MOST_NAMES else ""
        yield f"not asked, because they run programs or ask a model: {harmless(', '.join(not_asked[:_MOST_NAMES]))}{more}"
    if report.not_reached:
        yield f"not reached: {', '.join(map(str, report.not_reached))}"
