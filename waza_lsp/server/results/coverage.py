"""The text that a verdict covers: as a whole, and without the graders that were graded again since."""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from waza_lsp.runnables.runnables import (
    FILE_KINDS,
    PART_KINDS,
    Runnable,
    graders_in,
    runnables_in,
    text_digest,
)
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Span


@dataclass(frozen=True, slots=True)
class Coverage:
    """Digests of a runnable's text: `whole`, `rest` without its graders, and one per grader.

    They are empty if the text is not known.
    """

    whole: str = ""
    rest: str = ""
    graders: frozenset[str] = frozenset()


NO_COVERAGE = Coverage()


def coverage(snapshot: Snapshot, runnable: Runnable, without: Collection[Span] = ()) -> Coverage:
    """Return the digests of a runnable's text. The graders at `without` are left out."""
    graders = [it.span for it in graders_in(snapshot) if runnable.range.contains(it.span.start)]
    rest, last = [], runnable.range.start
    for span in sorted(graders):
        if last <= span.start:
            rest.append(snapshot.text.slice(Span(last, span.start)))
        last = max(last, span.end)
    if last <= runnable.range.end:
        rest.append(snapshot.text.slice(Span(last, runnable.range.end)))
    counted = frozenset(_digest(snapshot.text.slice(it)) for it in graders if it not in without)
    return Coverage(text_digest(snapshot, runnable), _digest("\0".join(rest)), counted)


def is_stale(before: Coverage, now: Coverage) -> bool:
    """Whether anything has changed except graders that `now` leaves out, because they were graded again."""
    return before.whole != now.whole and (before.rest != now.rest or not now.graders <= before.graders)


def coverage_of_task(texts: Mapping[Path, Snapshot], task: str) -> Coverage:
    """Return the coverage of a task, whichever file it is in."""
    for snapshot in texts.values():
        for runnable in runnables_in(snapshot):
            if runnable.kind in PART_KINDS and runnable.id == task:
                return coverage(snapshot, runnable)
    return Coverage()


def coverage_of_eval(texts: Mapping[Path, Snapshot], eval_path: Path) -> Coverage:
    """Return the coverage of an eval's file."""
    snapshot = texts.get(eval_path)
    if snapshot is None:
        return Coverage()
    found = (it for it in runnables_in(snapshot) if it.kind in FILE_KINDS)
    return next((coverage(snapshot, it) for it in found), Coverage())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
