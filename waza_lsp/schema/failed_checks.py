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
    """A check that failed in one task: `message` is a sentence for the line that it stands on."""

    place: Place
    message: str


def failed_checks(trials: Sequence[Sequence[Outcome]]) -> list[FailedCheck]:
    """The failed checks of one task, each once: of several trials that fail it the first speaks for all."""
    told: dict[Place, list[str]] = {}
    for outcomes in trials:
        here = {place: text for outcome in outcomes for place, text in _told(outcome)}
        for place, text in here.items():
            told.setdefault(place, []).append(text)
    return [FailedCheck(place, _counted(texts, len(trials))) for place, texts in told.items()]


def _counted(texts: Sequence[str], trials: int) -> str:
    return f"{texts[0]} ({len(texts)} of {trials} trials)" if trials > 1 else texts[0]


def _told(outcome: Outcome) -> Iterator[tuple[Place, str]]:
    if outcome.get("status") == "passed" or not outcome.get("path"):
        return
    path, entry = Path(outcome["path"]), tuple(outcome.get("pointer", ()))
    parts: Iterable[Mapping[str, Any]] = outcome.get("parts") or ()
    if outcome.get("status") == "error":
        yield Place(path, entry, entry), f"This grader ends the run with an error: {outcome.get('feedback')}"
        return
    for it in parts:
        # The checks of `expected` are lists of texts, all others stand in the config of their entry.
        inside = () if is_expectation(outcome) else ("config",)
        yield Place(path, entry, (*entry, *inside, *it["pointer"])), _sentence(it)
    if not parts:
        yield Place(path, entry, entry), str(outcome.get("feedback") or "This grader did not pass")


def is_expectation(outcome: Outcome) -> bool:
    """Whether this is no grader with an entry of its own but a list of texts that a task expects."""
    pointer: Sequence[str | int] = outcome.get("pointer") or ()
    return bool(pointer) and outcome.get("name") == f"_{pointer[-1]}"


def _sentence(part: Mapping[str, Any]) -> str:
    found = f"; {part['found']}" if part.get("found") else ""
    return f"{part['message']}{found}"
