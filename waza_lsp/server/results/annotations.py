"""Failed checks and live verdicts where they stand in the text: they move with edits and go when they are touched.

A ledger of slow findings (peers.md, section 4, AN): what a run said is kept per file with the text it was said
about, and carried to the text as it is now. Files need not be open for that.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from waza_engine.addresses import PAGES
from waza_lsp.features.diagnostics import SOURCE
from waza_lsp.schema.failed_checks import FailedCheck, Outcome, failed_checks
from waza_lsp.snapshot import Snapshot
from waza_lsp.suite.in_document import runnables_in
from waza_lsp.syntax.carry import carried, change_between
from waza_lsp.syntax.text import Place, Span

if TYPE_CHECKING:
    from waza_lsp.server.session import WazaServer


FAILED_CHECK, LIVE_VERDICT, RECORDED_RUNS = "failed-check", "live-verdict", "recorded-runs"
_SEVERITIES = {
    FAILED_CHECK: types.DiagnosticSeverity.Information,
    LIVE_VERDICT: types.DiagnosticSeverity.Hint,
    RECORDED_RUNS: types.DiagnosticSeverity.Information,
}


@dataclass(frozen=True, slots=True)
class Said:
    """Something said about a stretch of a file. `eval_path` and `task` say which results it belongs to.

    It goes when its own text is touched, and when anything in `cover` is.
    """

    span: Span
    message: str
    code: str
    eval_path: Path
    task: str = ""
    names_task: bool = False
    cover: Span | None = None
    excerpt: str = ""


@dataclass(slots=True)
class _OfFile:
    lines: Sequence[str]
    said: list[Said]


@dataclass(slots=True)
class InlineResults:
    """What is said about files, by path."""

    _files: dict[Path, _OfFile] = field(default_factory=dict)

    def follow(self, path: Path, lines: Sequence[str]) -> bool:
        """The file's text is now this one: move what is said. Whether anything changed for the reader."""
        known = self._files.get(path)
        if known is None:
            return False
        before, known.said = known.said, _carried(known.said, known.lines, lines)
        known.lines = lines
        return before != known.said

    def add(self, path: Path, lines: Sequence[str], said: Iterable[Said]) -> None:
        """Something was said about the file when its text was `lines`."""
        known = self._files.setdefault(path, _OfFile(lines, []))
        known.said += _carried(list(said), lines, known.lines)

    def drop(self, is_meant: Callable[[Path, Said], bool]) -> set[Path]:
        """Forget some of it; the files that it stood in."""
        touched: set[Path] = set()
        for path, known in list(self._files.items()):
            kept = [it for it in known.said if not is_meant(path, it)]
            if len(kept) < len(known.said):
                touched.add(path)
                known.said = kept
            if not kept:
                del self._files[path]
        return touched

    def drop_in(self, path: Path, lines: Sequence[str], span: Span, code: str = "") -> bool:
        """Forget what is said (with this code) in a stretch of the file as `lines` have it, unless it was edited since."""
        known = self._files.get(path)
        here = carried(span, change_between(lines, known.lines)) if known is not None else None
        return here is not None and bool(
            self.drop(
                lambda file, it: file == path and here.contains(it.span.start) and code in {"", it.code}
            )
        )

    def paths(self) -> list[Path]:
        """The files that something is said about."""
        return list(self._files)

    def newer(self, eval_path: Path, texts: Mapping[Path, Sequence[str]]) -> dict[Path, set[Span]]:
        """The graders of an eval with live verdicts on a text that is not the one in `texts`, by file, as they stand now."""
        found: dict[Path, set[Span]] = {}
        for path, known in self._files.items():
            covers = {
                it.cover
                for it in known.said
                if it.cover is not None and it.eval_path == eval_path and it.code != RECORDED_RUNS
            }
            if covers and (lines := texts.get(path)) is not None:
                change = change_between(known.lines, lines)
                covers = {it for it in covers if carried(it, change) is None}
            if covers:
                found[path] = covers
        return found

    def at(self, snapshot: Snapshot, place: Place) -> list[Said]:
        """What is said about the text at a place of an open document."""
        known = self._files.get(snapshot.path) if snapshot.path is not None else None
        if known is None:
            return []
        self.follow(snapshot.path or Path(), snapshot.text.lines)
        found = (it for it in known.said if it.span.start <= place <= it.span.end)
        return sorted(found, key=lambda it: (it.span, it.task))

    def diagnostics(self, snapshot: Snapshot) -> list[types.Diagnostic]:
        """What is said about an open document."""
        known = self._files.get(snapshot.path) if snapshot.path is not None else None
        if known is None:
            return []
        self.follow(snapshot.path or Path(), snapshot.text.lines)
        together: dict[tuple[Span, str], list[Said]] = {}
        for it in sorted(known.said, key=lambda it: (it.span, it.task)):
            together.setdefault((it.span, it.code), []).append(it)
        return [_diagnostic(snapshot, span, code, its) for (span, code), its in together.items()]


def said_of(
    snapshot: Snapshot,
    checks: Iterable[FailedCheck],
    eval_path: Path,
    task: str,
    own: Span | None,
    cover: Span | None = None,
) -> list[Said]:
    """Failed checks of a task, at their places in a text. `own` is the stretch of the task itself in it."""
    return [
        replace(it, names_task=own is None or not own.contains(it.span.start), cover=cover)
        for check in checks
        if (it := _said(snapshot, check, eval_path, task)) is not None
    ]


def entry_span(snapshot: Snapshot, pointer: tuple[str | int, ...]) -> Span | None:
    """The whole stretch of a grader's entry."""
    found = snapshot.tree.find(pointer) if pointer else None
    return Span(found.key.start if found.key else found.value.start, found.value.end) if found else None


def short_span(snapshot: Snapshot, pointer: tuple[str | int, ...], least: int = 0) -> Span | None:
    """The smallest stretch that stands for a place, on one line; the nearest place above it, down to `least` parts."""
    while len(pointer) >= max(1, least):
        found = snapshot.tree.find(pointer)
        if found is not None:
            span = found.value if not found.node.is_empty else (found.key or found.value)
            if span.end.line > span.start.line:
                # Of what goes over several lines, the key, or the first line.
                start = span.start
                span = found.key or Span(
                    start, Place(start.line, len(snapshot.text.line(start.line).rstrip()))
                )
            return span
        pointer = pointer[:-1]
    return None


def _said(snapshot: Snapshot, check: FailedCheck, eval_path: Path, task: str) -> Said | None:
    place = check.place
    span = short_span(snapshot, place.check, len(place.entry))
    if span is None:
        return None
    return Said(span, check.message, FAILED_CHECK, eval_path, task, excerpt=check.excerpt)


def _carried(said: list[Said], before: Sequence[str], after: Sequence[str]) -> list[Said]:
    if before is after or not said:
        return said
    change = change_between(before, after)
    if change is None:
        return said
    moved = ((it, carried(it.span, change), it.cover and carried(it.cover, change)) for it in said)
    return [
        replace(it, span=span, cover=cover)
        for it, span, cover in moved
        if span is not None and (it.cover is None or cover is not None)
    ]


def _diagnostic(snapshot: Snapshot, span: Span, code: str, said: list[Said]) -> types.Diagnostic:
    lines = [f"{it.task}: {it.message}" if it.names_task and it.task else it.message for it in said]
    return types.Diagnostic(
        range=snapshot.range(span),
        message="\n".join(dict.fromkeys(lines)),
        severity=_SEVERITIES[code],
        code=code,
        code_description=types.CodeDescription(f"{PAGES}/running.md"),
        source=SOURCE,
    )


Texts = Mapping[Path, Snapshot]
"""Files as they were when a run read them."""


def said_at(server: "WazaServer", snapshot: Snapshot, place: Place) -> list[Said]:
    """The failed checks that a reader of the document sees at a place."""
    if not server.settings.results_inline:
        return []
    return [it for it in server.results.inline.at(snapshot, place) if it.code == FAILED_CHECK]


def tell(server: "WazaServer", paths: Collection[Path]) -> None:
    """Have what is said about these files delivered."""
    for snapshot in server.documents:
        if snapshot.path in paths:
            server.delivery.results_changed(server, snapshot)


def show(
    server: "WazaServer", eval_path: Path, task: str, trials: Sequence[Sequence[Outcome]], texts: Texts
) -> None:
    """Put a task's failed checks into the files, which had these texts; earlier ones of the task go.

    What live grading says of a text that was edited since stays, until it has seen what is recorded now.
    """
    newer = _newer(server, eval_path, texts)
    touched = server.results.inline.drop(
        lambda path, it: (
            it.eval_path == eval_path
            and (it.code == RECORDED_RUNS or (it.task == task and it.cover not in newer.get(path, ())))
        )
    )
    touched |= _drop_judged(server, trials, texts, LIVE_VERDICT)
    tell(server, touched | _add(server, eval_path, task, trials, texts))
    server.live.grade_again(server, eval_path, newer)


def show_graders(
    server: "WazaServer", eval_path: Path, task: str, trials: Sequence[Sequence[Outcome]], texts: Texts
) -> None:
    """As `show`, of single graders: what the others said stays."""
    newer = _newer(server, eval_path, texts)
    touched = _drop_judged(server, trials, texts)
    tell(server, touched | _add(server, eval_path, task, trials, texts))
    server.live.grade_again(server, eval_path, newer)


def _newer(server: "WazaServer", eval_path: Path, texts: Texts) -> dict[Path, set[Span]]:
    """The graders with live verdicts on later texts than these; everything said stands where it stands in those by then."""
    inline = server.results.inline
    for path in inline.paths():
        newest = server.documents.of_path(path) or texts.get(path)
        if newest is not None:
            inline.follow(path, newest.text.lines)
    return inline.newer(eval_path, {path: it.text.lines for path, it in texts.items()})


def _drop_judged(
    server: "WazaServer", trials: Sequence[Sequence[Outcome]], texts: Texts, code: str = ""
) -> set[Path]:
    """Forget what is said (with this code) in the graders that were asked; the files that it stood in."""
    touched = set()
    for path, pointer in {
        (Path(it["path"]), tuple(it["pointer"])) for trial in trials for it in trial if it["path"]
    }:
        text = texts.get(path)
        span = entry_span(text, pointer) if text is not None else None
        inline = server.results.inline
        if text is not None and span is not None and inline.drop_in(path, text.text.lines, span, code):
            touched.add(path)
    return touched


def _add(
    server: "WazaServer", eval_path: Path, task: str, trials: Sequence[Sequence[Outcome]], texts: Texts
) -> set[Path]:
    """Put the checks where they stand; the files that they are in."""
    by_path: dict[Path, list[FailedCheck]] = {}
    for check in failed_checks(trials):
        by_path.setdefault(check.place.path, []).append(check)
    for path, checks in by_path.items():
        text = texts.get(path)
        if text is not None:
            runnables = runnables_in(text)
            own = next((it.range for it in runnables if (it.kind, it.id) == ("task", task)), None)
            server.results.inline.add(path, text.text.lines, said_of(text, checks, eval_path, task, own))
    return set(by_path)
