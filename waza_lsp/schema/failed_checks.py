"""From what graders said about trials to one message per place in a file.

The data is that of run events and of the grading worker: `GraderOutcome` as JSON.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.findings import Pointer

Outcome = Mapping[str, Any]


class Place(NamedTuple):
    """Where a check stands: the file, the grader's entry, and the check itself as deep as it is known."""

    path: Path
    entry: Pointer
    check: Pointer


class FailedCheck(NamedTuple):
    """A check that failed in one task: `message` is a sentence for the line that it stands on.

    `excerpt` are the recorded lines nearest to what it looked for, with their numbers.
    """

    place: Place
    message: str
    excerpt: str = ""


def failed_checks(trials: Sequence[Sequence[Outcome]]) -> list[FailedCheck]:
    """The failed checks of one task, each once: of several trials that fail it the first speaks for all."""
    told: dict[Place, list[FailedCheck]] = {}
    for outcomes in trials:
        here = {it.place: it for outcome in outcomes for it in _told(outcome)}
        for place, it in here.items():
            told.setdefault(place, []).append(it)
    return [_counted(its, len(trials)) for its in told.values()]


def _counted(checks: Sequence[FailedCheck], trials: int) -> FailedCheck:
    first = checks[0]
    return (
        first._replace(message=f"{first.message} ({len(checks)} of {trials} trials)") if trials > 1 else first
    )


def _told(outcome: Outcome) -> Iterator[FailedCheck]:
    if outcome.get("status") == "passed" or not outcome.get("path"):
        return
    path, entry = Path(outcome["path"]), tuple(outcome.get("pointer", ()))
    parts: Iterable[Mapping[str, Any]] = outcome.get("parts") or ()
    if outcome.get("status") == "error":
        why = f"This grader ends the run with an error: {outcome.get('feedback')}"
        yield FailedCheck(Place(path, entry, entry), why)
        return
    for it in parts:
        # The checks of `expected` are lists of texts, all others stand in the config of their entry.
        inside = () if is_expectation(outcome) else ("config",)
        place = Place(path, entry, (*entry, *inside, *it["pointer"]))
        yield FailedCheck(place, _sentence(it), it.get("excerpt") or "")
    if not parts:
        feedback = str(outcome.get("feedback") or "This grader did not pass")
        yield FailedCheck(Place(path, entry, entry), feedback)


def is_expectation(outcome: Outcome) -> bool:
    """Whether this is no grader with an entry of its own but a list of texts that a task expects."""
    pointer: Sequence[str | int] = outcome.get("pointer") or ()
    return bool(pointer) and outcome.get("name") == f"_{pointer[-1]}"


def _sentence(part: Mapping[str, Any]) -> str:
    found = f"; {part['found']}" if part.get("found") else ""
    return f"{part['message']}{found}"
