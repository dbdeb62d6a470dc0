"""Place the findings of an audit at graders and tasks. Rules are made with it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from waza_engine.audit.codes import MOST_NAMED
from waza_engine.audit.null_agents import UNTOUCHED
from waza_engine.audit.own_words.checks import demands, only_limits
from waza_engine.audit.score import GraderPlace, TaskAudit
from waza_engine.model.findings import Finding, Rule
from waza_engine.model.suite import GraderEntry, Suite


class PlacedFinding(NamedTuple):
    """A finding and the file that it is about."""

    path: Path
    finding: Finding


def place(rule: Rule, grader: GraderPlace | None, audit: TaskAudit, message: str) -> Iterator[PlacedFinding]:
    """Yield the finding at a grader's entry, else at the task; nothing if neither has a place."""
    path, pointer = (grader.path, grader.pointer) if grader is not None and grader.path else (None, ())
    if path is None and audit.path is not None:
        path, pointer = audit.path, audit.pointer
    if path is not None:
        yield PlacedFinding(path, rule.at(pointer, message))


def is_own(audit: TaskAudit, grader: GraderPlace) -> bool:
    """Whether a grader stands in the task's own entry, so that no other task has it."""
    return grader.path == audit.path and grader.pointer[: len(audit.pointer)] == audit.pointer


def listed(words: Sequence[str]) -> str:
    """Return the first words, and how many more there are."""
    more = len(words) - MOST_NAMED
    shown = "; ".join(words[:MOST_NAMED])
    return f"{shown}; and {more} more" if more > 0 else shown


def unseen_files(audit: TaskAudit) -> list[str]:
    """Return the files that the recorded agents wrote, if no grader looks at files and nothing worse passes."""
    if any(it.name != UNTOUCHED for it in [*audit.accused, *audit.undecided]):
        return []
    changes = (it.change for it in audit.unseen if it.name == "delete-file")
    return list(dict.fromkeys(it.removeprefix("without the file ") for it in changes))


def grader_place(entry: GraderEntry, suite: Suite) -> GraderPlace:
    """Return the place of a grader, and what it does there."""
    # Without a threshold every grader must pass, whatever it weighs.
    counts = entry.weight > 0 or suite.scoring is None or suite.scoring.threshold is None
    return GraderPlace(
        entry.name,
        entry.type,
        entry.path,
        entry.pointer,
        counts=counts,
        has_options=bool(entry.config),
        demands=demands(entry),
        limits=only_limits(entry),
    )
