"""The text that a verdict covers: as a whole, and without the graders that were graded again since."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

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
        parts = [*_parts(self.snapshot, self.runnable)]
        return before.rest != _digest_of_rest(parts) or any(
            digest not in before.graders
            for part in parts
            for span, digest in part.graders
            if span not in self.without
        )


def coverage(snapshot: Snapshot, runnable: Runnable) -> Coverage:
    """Return the digests of a runnable's text."""
    parts = [*_parts(snapshot, runnable)]
    counted = frozenset(digest for it in parts for _, digest in it.graders)
    return Coverage(text_digest(snapshot, runnable), _digest_of_rest(parts), counted)


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


class _Part(NamedTuple):
    """Lines of a text: what is in them without graders, with a NUL for each, and the digests of these."""

    rest: str
    graders: tuple[tuple[Span, str], ...]


def _digest_of_rest(parts: Iterable[_Part]) -> str:
    return digest_of("".join(it.rest for it in parts))


def _parts(snapshot: Snapshot, runnable: Runnable) -> Iterator[_Part]:
    """Yield the text of a runnable piece by piece. A piece that did not change is not looked at again."""
    graders, at, begun = _graders_of(snapshot, runnable), 0, runnable.range.start
    for piece in snapshot.tree.pieces:
        place = Span(Place(piece.start, 0), Place(piece.end, 0))
        start, end = max(begun, place.start), min(runnable.range.end, place.end)
        first = at
        while at < len(graders) and graders[at].start < end:
            at += 1
        own = graders[first:at]
        begun = max([begun, *(it.end for it in own)])
        if start > end or piece.end <= runnable.range.start.line:
            continue
        if (start, end) != place or begun > end:
            yield _part(snapshot, Span(start, end), own)
            continue
        known: tuple[Sequence[Span], _Part] | None = piece.memory.get(_part)
        if known is None or known[0] != own:
            known = piece.memory[_part] = own, _part(snapshot, place, own)
        yield known[1]


def _part(snapshot: Snapshot, place: Span, graders: Sequence[Span]) -> _Part:
    rest, last = list[str](), place.start
    for span in graders:
        if last <= span.start:
            rest += (snapshot.text.slice(Span(last, span.start)), "\0")
        last = max(last, span.end)
    if last <= place.end:
        rest.append(snapshot.text.slice(Span(last, place.end)))
    return _Part("".join(rest), tuple((it, span_digest(snapshot, it)) for it in graders))
