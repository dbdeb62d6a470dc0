"""The text that a verdict covers: as a whole, and without the graders that were graded again since."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from waza_engine.lib.queries.store import kept
from waza_lsp.runnables.hidden import without_errors
from waza_lsp.runnables.runnables import (
    FILE_KINDS,
    Runnable,
    digest_of,
    graders_at,
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

    They are empty if the text is not known. `pieces` is made of the digests of the text's pieces.
    """

    whole: str = ""
    rest: str = ""
    graders: frozenset[str] = frozenset()
    pieces: str = ""


NO_COVERAGE = Coverage()


@dataclass(frozen=True, slots=True)
class CurrentText:
    """The current text of a runnable, without the graders at `without`. Digests are computed as far as needed."""

    snapshot: Snapshot
    runnable: Runnable
    without: tuple[Span, ...] = ()

    def is_edited(self, before: Coverage) -> bool:
        """Whether the text has changed."""
        if self.runnable.kind in FILE_KINDS and without_errors(self.snapshot) is None:
            # After an edit, all other pieces of a long text are known already.
            return _digest_of_pieces(_parts(self.snapshot, self.runnable)) != before.pieces
        return text_digest(self.snapshot, self.runnable) != before.whole

    def is_stale(self, before: Coverage) -> bool:
        """Whether anything has changed except the graders that are left out, because they were graded again."""
        if not self.is_edited(before):
            return False
        parts = _parts(self.snapshot, self.runnable)
        return before.rest != _digest_of_rest(parts) or any(
            digest not in before.graders and span not in self.without
            for part in parts
            if not part.digests <= before.graders
            for span, digest in part.graders
        )


def spans_by_runnable(runnables: Iterable[Runnable], spans: Iterable[Span]) -> dict[int, tuple[Span, ...]]:
    """Return those of some spans that begin in runnables, in the order of the text, by the runnable's identity."""
    wanted = sorted({*spans})
    starts = [it.start for it in wanted]
    found: dict[int, tuple[Span, ...]] = {}
    for it in runnables if wanted else ():
        first = bisect_left(starts, it.range.start)
        if first < len(starts) and starts[first] <= it.range.end:
            found[id(it)] = tuple(wanted[first : bisect_right(starts, it.range.end)])
    return found


def coverage(snapshot: Snapshot, runnable: Runnable) -> Coverage:
    """Return the digests of a runnable's text."""
    parts = _parts(snapshot, runnable)
    counted = frozenset[str]().union(*(it.digests for it in parts))
    whole = text_digest(snapshot, runnable)
    return Coverage(whole, _digest_of_rest(parts), counted, _digest_of_pieces(parts))


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


class _Part(NamedTuple):
    """Lines of a text with digests: of all, of what is not in graders (a NUL stands for each), and of each grader."""

    whole: str
    rest: str
    graders: tuple[tuple[Span, str], ...]
    digests: frozenset[str]


def _digest_of_pieces(parts: Iterable[_Part]) -> str:
    return digest_of("".join(it.whole for it in parts))


def _digest_of_rest(parts: Iterable[_Part]) -> str:
    return digest_of("".join(it.rest for it in parts))


def _parts(snapshot: Snapshot, runnable: Runnable) -> list[_Part]:
    """Return the text of a runnable piece by piece."""
    return kept(snapshot.memory, (_parts, runnable.range), lambda: [*_parts_in(snapshot, runnable.range)])


def _parts_in(snapshot: Snapshot, whole: Span) -> Iterator[_Part]:
    """Yield the text of a span piece by piece. A piece that did not change is not looked at again."""
    pieces, begun, name = snapshot.tree.pieces, whole.start, (_part, snapshot.form)
    first = bisect_right(pieces, whole.start.line, key=attrgetter("end"))
    for piece in (pieces[index] for index in range(first, len(pieces))):
        if piece.start > whole.end.line:
            break
        is_complete = begun <= (piece.start, 0) and piece.end <= whole.end.line
        known: _Part | None = piece.memory.get(name) if is_complete else None
        if known is not None:
            yield known
            continue
        place = Span(Place(piece.start, 0), Place(piece.end, 0))
        here = Span(max(begun, place.start), min(whole.end, place.end))
        if here.start > here.end:
            continue
        spans = (it.span for it in graders_at(snapshot, piece.start, piece.end - 1))
        own = sorted(it for it in spans if here.start <= it.start < here.end)
        begun = max([begun, *(it.end for it in own)])
        found = _part(snapshot, here, own)
        if is_complete and begun <= place.end:
            piece.memory[name] = found
        yield found


def _part(snapshot: Snapshot, place: Span, graders: Sequence[Span]) -> _Part:
    rest, last = list[str](), place.start
    for span in graders:
        if last <= span.start:
            rest += (snapshot.text.slice(Span(last, span.start)), "\0")
        last = max(last, span.end)
    if last <= place.end:
        rest.append(snapshot.text.slice(Span(last, place.end)))
    own = tuple((it, span_digest(snapshot, it)) for it in graders)
    digests = frozenset(digest for _, digest in own)
    return _Part(digest_of(snapshot.text.slice(place)), digest_of("".join(rest)), own, digests)
