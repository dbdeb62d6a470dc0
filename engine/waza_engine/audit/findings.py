"""What an author should know of an audit, as findings at the graders and tasks concerned."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from waza_engine.audit.codes import (
    BLIND_GRADER,
    IDLE_GRADER,
    ONLY_JUDGE,
    PASSES_WITHOUT_WORK,
    SURVIVING_MUTANT,
    UNSEEN_WORK,
)
from waza_engine.audit.intent import Intent
from waza_engine.audit.null_agents import UNTOUCHED
from waza_engine.audit.score import Attempt, GraderPlace, TaskAudit, grader_powers
from waza_engine.model.findings import Finding, Rule

_MOST_NAMED = 3
_ENOUGH_MUTANTS = 5
"""A grader is called idle only if it had so many chances."""


class PlacedFinding(NamedTuple):
    """A finding and the file that it is about."""

    path: Path
    finding: Finding


def audit_findings(audits: Iterable[TaskAudit]) -> Iterator[PlacedFinding]:
    """Yield the findings of the audits of one eval. What is true of a grader of all tasks is told once."""
    told: set[tuple[str, Path | None, object]] = set()
    for audit in audits:
        for placed in _findings_of_task(audit):
            key = (placed.finding.code, placed.path, placed.finding.pointer)
            if key not in told:
                told.add(key)
                yield placed


def _findings_of_task(audit: TaskAudit) -> Iterator[PlacedFinding]:
    yield from _blind_graders(audit)
    if audit.intent is not Intent.WORK:
        return
    yield from _without_work(audit)
    yield from _survivors(audit)
    yield from _idle_graders(audit)


def _without_work(audit: TaskAudit) -> Iterator[PlacedFinding]:
    place = next((it for it in reversed(audit.graders) if it.path == audit.path), None)
    agents = [it.change for it in audit.accused]
    files = _unseen_files(audit)
    if files and all(it.name == UNTOUCHED for it in audit.accused):
        message = f"The recorded agent wrote {_listed(files)}, but no grader looks at files"
        yield from _at(UNSEEN_WORK, None, audit, message)
    elif audit.left_out and (agents or not audit.graders):
        judge = audit.left_out[-1]
        message = f"Only '{judge.name or judge.type}' keeps an agent that does no work from passing this task"
        yield from _at(ONLY_JUDGE, judge, audit, message)
    elif agents:
        message = f"This task passes for {_listed(agents)}. Add a check that only the finished work passes"
        yield from _at(PASSES_WITHOUT_WORK, place, audit, message)


def _survivors(audit: TaskAudit) -> Iterator[PlacedFinding]:
    by_grader: dict[str, list[Attempt]] = {}
    for it in audit.survivors:
        by_grader.setdefault(_who_should_notice(audit, it), []).append(it)
    places = {it.name: it for it in audit.graders}
    for name, attempts in by_grader.items():
        changes = list(dict.fromkeys(it.change for it in attempts))
        message = f"Broken work passes: {_listed(changes)}"
        yield from _at(SURVIVING_MUTANT, places.get(name), audit, message)


def _who_should_notice(audit: TaskAudit, survivor: Attempt) -> str:
    """Return the grader nearest to the task that read what is broken."""
    own = [it.name for it in audit.graders if it.path == audit.path]
    return next((it for it in (*own, *survivor.observers) if it in survivor.observers), "")


def _unseen_files(audit: TaskAudit) -> list[str]:
    """Return the files that the recorded agents wrote and no grader looks at."""
    changes = (it.change for it in audit.unseen if it.name == "delete-file")
    return list(dict.fromkeys(it.removeprefix("without the file ") for it in changes))


def _idle_graders(audit: TaskAudit) -> Iterator[PlacedFinding]:
    if len(audit.mutants) < _ENOUGH_MUTANTS:
        return
    seen = [name for it in audit.mutants for name in it.observers]
    for it in grader_powers(audit):
        if not it.kills and seen.count(it.grader.name) >= _ENOUGH_MUTANTS:
            message = (
                f"None of {len(audit.mutants)} broken trials of '{audit.task}' fails because of this grader"
            )
            yield from _at(IDLE_GRADER, it.grader, audit, message)


def _blind_graders(audit: TaskAudit) -> Iterator[PlacedFinding]:
    for it in audit.graders:
        if it.name in audit.blind:
            message = "This grader reads only the prompt: its verdict is the same whatever the agent does"
            yield from _at(BLIND_GRADER, it, audit, message)


def _at(rule: Rule, grader: GraderPlace | None, audit: TaskAudit, message: str) -> Iterator[PlacedFinding]:
    """Place a finding at a grader's entry, else at the task."""
    path, pointer = (grader.path, grader.pointer) if grader is not None and grader.path else (None, ())
    if path is None and audit.path is not None:
        path, pointer = audit.path, audit.pointer
    if path is not None:
        yield PlacedFinding(path, rule.at(pointer, message))


def _listed(words: Sequence[str]) -> str:
    more = len(words) - _MOST_NAMED
    shown = "; ".join(words[:_MOST_NAMED])
    return f"{shown}; and {more} more" if more > 0 else shown
