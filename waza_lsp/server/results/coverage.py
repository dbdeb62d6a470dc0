"""The text that a verdict covers: as a whole, and without the graders that were graded again since."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from waza_engine.lib.queries.store import derived
from waza_lsp.runnables.runnables import (
    FILE_KINDS,
    Runnable,
    digest_of,
    graders_in,
    part_of,
    runnables_in,
    span_digest,
    text_digest,
)
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span


@dataclass(frozen=True, slots=True)
class Coverage:
    """Digests of a runnable's text: `whole`, `rest` without its graders, and one per grader.

    They are empty if the text is not known.
    """

    whole: str = ""
    rest: str = ""
    graders: frozenset[str] = frozenset()


NO_COVERAGE = Coverage()


@dataclass(frozen=True, slots=True)
class CurrentText:
    """The current text of a runnable, without the graders at `without`. Digests are computed as far as needed."""

    snapshot: Snapshot
    runnable: Runnable
    without: Collection[Span] = ()

    @property
    def whole(self) -> str:
        """The digest of the whole text."""
        return text_digest(self.snapshot, self.runnable)

    def is_edited(self, before: Coverage) -> bool:
        """Whether the text has changed."""
        return self.whole != before.whole

    def is_stale(self, before: Coverage) -> bool:
        """Whether anything has changed except the graders that are left out, because they were graded again."""
        if not self.is_edited(before):
            return False
        graders = _graders_of(self.snapshot, self.runnable)
        return before.rest != _rest(self.snapshot, self.runnable, graders) or any(
            span_digest(self.snapshot, it) not in before.graders for it in graders if it not in self.without
        )


def coverage(snapshot: Snapshot, runnable: Runnable) -> Coverage:
    """Return the digests of a runnable's text."""
    graders = _graders_of(snapshot, runnable)
    counted = frozenset(span_digest(snapshot, it) for it in graders)
    return Coverage(text_digest(snapshot, runnable), _rest(snapshot, runnable, graders), counted)


def coverage_of_task(texts: Mapping[Path, Snapshot], task: str) -> Coverage:
    """Return the coverage of a task, whichever file it is in."""
    for snapshot in texts.values():
        runnable = part_of(snapshot, task)
        if runnable is not None:
            return coverage(snapshot, runnable)
    return Coverage()


def coverage_of_eval(texts: Mapping[Path, Snapshot], eval_path: Path) -> Coverage:
    """Return the coverage of an eval's file."""
    snapshot = texts.get(eval_path)
    if snapshot is None:
        return Coverage()
    found = (it for it in runnables_in(snapshot) if it.kind in FILE_KINDS)
    return next((coverage(snapshot, it) for it in found), Coverage())


def _graders_of(snapshot: Snapshot, runnable: Runnable) -> Sequence[Span]:
    """Return the spans of a runnable's graders, in order."""
    starts, spans = _grader_spans(snapshot)
    return spans[bisect_left(starts, runnable.range.start) : bisect_right(starts, runnable.range.end)]


@derived
def _grader_spans(snapshot: Snapshot) -> tuple[list[Place], list[Span]]:
    """Return where graders start, in order, and their spans."""
    spans = sorted(it.span for it in graders_in(snapshot))
    return [it.start for it in spans], spans


def _rest(snapshot: Snapshot, runnable: Runnable, graders: Sequence[Span]) -> str:
    """Return the digest of a runnable's text without its graders."""
    rest, last = [], runnable.range.start
    for span in graders:
        if last <= span.start:
            rest.append(snapshot.text.slice(Span(last, span.start)))
        last = max(last, span.end)
    if last <= runnable.range.end:
        rest.append(snapshot.text.slice(Span(last, runnable.range.end)))
    return digest_of("\0".join(rest))
