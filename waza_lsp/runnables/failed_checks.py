"""Turn the outcomes of graders into one message per location in a file."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from waza_engine.lib.pointer import Pointer

if TYPE_CHECKING:
    from waza_engine.model.results.evidence import FailedCheck as FailedPart
    from waza_engine.model.results.records import GraderOutcome

Trials = Sequence[Sequence["GraderOutcome"]]
"""The outcomes of a task's graders, per trial."""


class CheckLocation(NamedTuple):
    """The location of a check: the file, the grader's entry, and the check as precisely as it is known."""

    path: Path
    entry: Pointer
    check: Pointer


class FailedCheck(NamedTuple):
    """A check that failed in one task: `message` is a sentence for its line.

    `excerpt` has the recorded lines nearest to what the check looked for, with their numbers; `actual` is the text to
    compare with what it wanted, or "".
    """

    location: CheckLocation
    message: str
    excerpt: str = ""
    actual: str = ""


class TaskChecks(NamedTuple):
    """The failed checks of one task, and the grader entries (file, pointer) that were graded."""

    failed: list[FailedCheck]
    entries: frozenset[tuple[Path, Pointer]]


def task_checks(trials: Trials) -> TaskChecks:
    """Return the checks of one task over its trials."""
    entries = ((it.path, it.pointer) for trial in trials for it in trial if it.path is not None)
    return TaskChecks(failed_checks(trials), frozenset(entries))


def failed_checks(trials: Trials) -> list[FailedCheck]:
    """Return the failed checks of one task, each once, with the message of the first trial that failed it."""
    by_location: dict[CheckLocation, list[FailedCheck]] = {}
    for outcomes in trials:
        in_trial = {it.location: it for outcome in outcomes for it in _failed_in(outcome)}
        for location, check in in_trial.items():
            by_location.setdefault(location, []).append(check)
    return [_with_count(its, len(trials)) for its in by_location.values()]


def _with_count(checks: Sequence[FailedCheck], trials: int) -> FailedCheck:
    first = checks[0]
    if trials <= 1:
        return first
    return first._replace(message=f"{first.message} ({len(checks)} of {trials} trials)")


def _failed_in(outcome: "GraderOutcome") -> Iterator[FailedCheck]:
    path, entry = outcome.path, outcome.pointer
    if outcome.status == "passed" or path is None:
        return
    if outcome.status == "error":
        what = (
            "This could not be judged" if outcome.infrastructure else "This grader ends the run with an error"
        )
        why = f"{what}: {outcome.feedback}"
        yield FailedCheck(CheckLocation(path, entry, entry), why)
        return
    for part in outcome.parts:
        location = CheckLocation(path, entry, outcome.pointer_of(part))
        yield FailedCheck(location, sentence(part), part.excerpt, part.actual)
    if not outcome.parts:
        yield FailedCheck(CheckLocation(path, entry, entry), outcome.feedback or "This grader did not pass")


def sentence(part: "FailedPart") -> str:
    """Return the message of a failed part, with what the trial has instead."""
    return f"{part.message}; {part.found}" if part.found else part.message
