"""Annotations that runs put on documents: stored per file, moved with edits, published as diagnostics.

Each file keeps the text that its annotations refer to. They are carried to the current text when someone asks, so a
file need not be open. An edit inside an annotation removes it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from waza_engine.lib.links import manual_page, rule_page
from waza_lsp.features.diagnostics import SOURCE
from waza_lsp.runnables.failed_checks import FailedCheck, TaskChecks
from waza_lsp.runnables.runnables import part_of
from waza_lsp.server.documents import Documents
from waza_lsp.server.events import AnnotationsChanged, Bus, GradersOutdated
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.span_mapping import change_between, map_span
from waza_lsp.syntax.text import Place, Span, Text

FAILED_CHECK, LIVE_VERDICT, RECORDED_RUNS = "failed-check", "live-verdict", "recorded-runs"
FLAKY_GRADER = "flaky-grader"
"""It is about many runs: only an edit of the grader, or other runs, remove it."""
_SEVERITIES = {
    FAILED_CHECK: types.DiagnosticSeverity.Information,
    LIVE_VERDICT: types.DiagnosticSeverity.Hint,
    RECORDED_RUNS: types.DiagnosticSeverity.Information,
    FLAKY_GRADER: types.DiagnosticSeverity.Hint,
}
Texts = Mapping[Path, Snapshot]
"""Files as a run read them."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """A message at a range of a file. `eval_path` and `task` name the results that it belongs to.

    An edit inside `span` or `cover` removes it. The live verdict of a grader, in `cover`, has the tasks whose recordings
    were `graded`, and those that `failed`. It is not shown if its message is empty, because failed checks are.
    """

    span: Span
    message: str
    code: str
    eval_path: Path
    task: str = ""
    names_task: bool = False
    cover: Span | None = None
    excerpt: str = ""
    graded: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()
    severity: types.DiagnosticSeverity | None = None
    """Its level, if the code does not decide it."""


class LiveVerdicts(NamedTuple):
    """The live verdicts of an eval: the number of failing graders of each graded task, and their texts by file.

    `failed_checks` are the tasks with failed checks in the text, whether live or of the last run.
    """

    failing: Mapping[str, int]
    failed_checks: frozenset[str]
    covers: Mapping[Path, Collection[Span]]

    def is_shown_as(self, other: "LiveVerdicts") -> bool:
        """Whether lenses show the same. Ranges alone are not shown."""
        counts = [{path: len(its) for path, its in one.covers.items()} for one in (self, other)]
        return self[:2] == other[:2] and counts[0] == counts[1]


NO_LIVE_VERDICTS = LiveVerdicts({}, frozenset(), {})


class PlacedCheck(NamedTuple):
    """A failed check at its current range in a file."""

    path: Path
    range: types.Range
    check: Annotation


@dataclass(slots=True)
class _File:
    lines: Sequence[str]
    annotations: list[Annotation]


class Annotations:
    """Annotations by path."""

    def __init__(self, documents: Documents, bus: Bus) -> None:
        self._documents = documents
        self._bus = bus
        self._files: dict[Path, _File] = {}

    def show(self, eval_path: Path, task: str, checks: TaskChecks, texts: Texts) -> None:
        """Replace a task's annotations with its failed checks, in files that had these texts.

        Live verdicts on a text that was edited since stay until the new recording is graded.
        """
        newer = self._newer_graders(eval_path, texts)
        touched = self._drop(
            lambda path, annotation: (
                annotation.eval_path == eval_path
                and (
                    annotation.code == RECORDED_RUNS
                    or (annotation.task == task and annotation.cover not in newer.get(path, ()))
                )
            )
        )
        touched |= self._drop_graded(checks, texts, LIVE_VERDICT)
        self._publish(touched | self._add_checks(eval_path, task, checks, texts))
        if newer:
            self._bus.publish(GradersOutdated(eval_path, newer))

    def show_graders(self, eval_path: Path, task: str, checks: TaskChecks, texts: Texts) -> None:
        """Replace the annotations of the graded entries only."""
        newer = self._newer_graders(eval_path, texts)
        touched = self._drop_graded(checks, texts)
        self._publish(touched | self._add_checks(eval_path, task, checks, texts))
        if newer:
            self._bus.publish(GradersOutdated(eval_path, newer))

    def replace(
        self, snapshot: Snapshot, span: Span, annotations: Collection[Annotation], code: str = ""
    ) -> None:
        """Replace the annotations (of this code) in a range of a file that had the text of `snapshot`."""
        path = snapshot.path
        if path is None:
            return
        self._follow(path, self._documents.current(snapshot).text.lines)
        is_dropped = self._drop_in(path, snapshot.text.lines, span, code)
        self._add(path, snapshot.text.lines, annotations)
        if is_dropped or annotations:
            self._publish({path})

    def add(self, snapshot: Snapshot, annotations: Collection[Annotation]) -> None:
        """Add annotations to a file that had the text of `snapshot`."""
        if snapshot.path is not None and annotations:
            self._add(snapshot.path, snapshot.text.lines, annotations)
            self._publish({snapshot.path})

    def at(self, snapshot: Snapshot, place: Place) -> list[Annotation]:
        """The annotations at a place of an open document."""
        return [it for it in self._of(snapshot) if it.span.start <= place <= it.span.end]

    def on_line(self, snapshot: Snapshot, line: int) -> list[Annotation]:
        """The annotations of a line of an open document."""
        return [it for it in self._of(snapshot) if it.span.start.line <= line <= it.span.end.line]

    def clear(self, is_meant: Callable[[Path, Annotation], bool]) -> None:
        """Remove the annotations for which `is_meant(path, annotation)` holds."""
        self._publish(self._drop(is_meant))

    def live(self, eval_path: Path) -> LiveVerdicts:
        """The live verdicts on graders of an eval, in their current texts."""
        failing: dict[str, int] = {}
        failed: set[str] = set()
        covers: dict[Path, list[Span]] = {}
        for path, it in self._current(lambda one: one.eval_path == eval_path):
            if it.code == FAILED_CHECK:
                failed.add(it.task)
            elif it.code == LIVE_VERDICT and it.cover is not None:
                covers.setdefault(path, []).append(it.cover)
                for task in it.graded:
                    failing[task] = failing.get(task, 0) + (task in it.failed)
        return LiveVerdicts(failing, frozenset(failed), covers)

    def passing_live(self, snapshot: Snapshot) -> list[Annotation]:
        """The graders of an open document that pass on all their recordings."""
        return [it for it in self._of(snapshot) if it.code == LIVE_VERDICT and it.message]

    def live_graders(self, eval_path: Path) -> Iterator[tuple[Path, Annotation]]:
        """The live verdicts on graders of an eval with their files, at their places in the current texts."""
        yield from self._current(lambda it: (it.code, it.eval_path) == (LIVE_VERDICT, eval_path))

    def failed_checks(self, eval_path: Path, task: str) -> Iterator[tuple[Path, Annotation]]:
        """The failed checks of a task with their files, at their places in the current texts."""
        yield from self._current(
            lambda it: (it.code, it.eval_path, it.task) == (FAILED_CHECK, eval_path, task)
        )

    def _current(self, is_meant: Callable[[Annotation], bool]) -> Iterator[tuple[Path, Annotation]]:
        for path, known in list(self._files.items()):
            opened = self._documents.of_path(path)
            if opened is not None:
                self._follow(path, opened.text.lines)
            yield from ((path, it) for it in known.annotations if is_meant(it))

    def failed_at(self, snapshot: Snapshot, place: Place) -> list[Annotation]:
        """The failed checks at a place of an open document."""
        found = (it for it in self._of(snapshot) if it.span.start <= place <= it.span.end)
        return sorted(
            (it for it in found if it.code == FAILED_CHECK),
            key=lambda annotation: (annotation.span, annotation.task),
        )

    def failed_by_eval(self, encoding: str) -> dict[Path, dict[str, list[PlacedCheck]]]:
        """The failed checks of each eval by task, at their ranges in the current texts."""
        found: dict[Path, dict[str, list[PlacedCheck]]] = {}
        for path, known in self._files.items():
            current = self._documents.of_path(path)
            if current is not None:
                self._follow(path, current.text.lines)
            text = current.text if current is not None else Text(known.lines, encoding)
            for it in known.annotations:
                if it.code == FAILED_CHECK:
                    own = found.setdefault(it.eval_path, {}).setdefault(it.task, [])
                    own.append(PlacedCheck(path, text.range(it.span), it))
        return found

    def diagnostics(self, snapshot: Snapshot) -> list[types.Diagnostic]:
        """The annotations of an open document as diagnostics, one per range and code."""
        by_place: dict[tuple[Span, str], list[Annotation]] = {}
        for annotation in sorted(
            self._of(snapshot), key=lambda annotation: (annotation.span, annotation.task)
        ):
            if annotation.message:
                by_place.setdefault((annotation.span, annotation.code), []).append(annotation)
        return [_diagnostic(snapshot, span, code, its) for (span, code), its in by_place.items()]

    def _of(self, snapshot: Snapshot) -> list[Annotation]:
        path = snapshot.path
        known = self._files.get(path) if path is not None else None
        if path is None or known is None:
            return []
        self._follow(path, snapshot.text.lines)
        return known.annotations

    def _publish(self, paths: Collection[Path]) -> None:
        for snapshot in self._documents:
            if snapshot.path in paths:
                self._bus.publish(AnnotationsChanged(snapshot))

    def _follow(self, path: Path, lines: Sequence[str]) -> None:
        """Move the annotations of a file to its new text."""
        known = self._files.get(path)
        if known is not None:
            known.annotations = _carry(known.annotations, known.lines, lines)
            known.lines = lines

    def _add(self, path: Path, lines: Sequence[str], annotations: Iterable[Annotation]) -> None:
        """Add annotations of a file that had the text `lines`."""
        known = self._files.setdefault(path, _File(lines, []))
        known.annotations += _carry(list(annotations), lines, known.lines)

    def _add_checks(self, eval_path: Path, task: str, checks: TaskChecks, texts: Texts) -> set[Path]:
        """Add the failed checks of a task. Returns the files that they are in."""
        by_path: dict[Path, list[FailedCheck]] = {}
        for check in checks.failed:
            by_path.setdefault(check.location.path, []).append(check)
        for path, its in by_path.items():
            text = texts.get(path)
            if text is not None:
                self._add(path, text.text.lines, check_annotations(text, its, eval_path, task))
        return set(by_path)

    def _drop(self, is_meant: Callable[[Path, Annotation], bool]) -> set[Path]:
        """Remove annotations. Returns the files that they were in."""
        touched: set[Path] = set()
        for path, known in list(self._files.items()):
            rest = [it for it in known.annotations if not is_meant(path, it)]
            if len(rest) < len(known.annotations):
                touched.add(path)
                known.annotations = rest
            if not rest:
                del self._files[path]
        return touched

    def _drop_in(self, path: Path, lines: Sequence[str], span: Span, code: str = "") -> bool:
        """Remove annotations (of this code) in a range of the file as `lines` has it, unless it was edited since."""
        known = self._files.get(path)
        current = map_span(span, change_between(lines, known.lines)) if known is not None else None
        return current is not None and bool(
            self._drop(
                lambda file, annotation: (
                    file == path
                    and current.contains(annotation.span.start)
                    and code in {"", annotation.code}
                    and annotation.code != FLAKY_GRADER
                )
            )
        )

    def _drop_graded(self, checks: TaskChecks, texts: Texts, code: str = "") -> set[Path]:
        """Remove annotations (of this code) from the entries that were graded. Returns their files."""
        touched = set()
        for path, pointer in checks.entries:
            text = texts.get(path)
            span = entry_span(text, pointer) if text is not None else None
            if text is not None and span is not None and self._drop_in(path, text.text.lines, span, code):
                touched.add(path)
        return touched

    def _newer_graders(self, eval_path: Path, texts: Texts) -> dict[Path, set[Span]]:
        """The graders of an eval with live verdicts on a later text than `texts`, by file, at their current ranges."""
        found: dict[Path, set[Span]] = {}
        for path, known in self._files.items():
            newest = self._documents.of_path(path) or texts.get(path)
            if newest is not None:
                self._follow(path, newest.text.lines)
            covers = {
                annotation.cover
                for annotation in known.annotations
                if annotation.cover is not None
                and annotation.eval_path == eval_path
                and annotation.code != RECORDED_RUNS
            }
            if covers and (read := texts.get(path)) is not None:
                change = change_between(known.lines, read.text.lines)
                covers = {it for it in covers if map_span(it, change) is None}
            if covers:
                found[path] = covers
        return found


def check_annotations(
    snapshot: Snapshot,
    checks: Iterable[FailedCheck],
    eval_path: Path,
    task: str,
    cover: Span | None = None,
) -> list[Annotation]:
    """The failed checks of a task as annotations of a text. Outside of the task's own text they name the task."""
    part = part_of(snapshot, task)
    own = part.range if part is not None and part.kind == "task" else None
    found = []
    for check in checks:
        span = short_span(snapshot, check.location.check, len(check.location.entry))
        if span is not None:
            names_task = own is None or not own.contains(span.start)
            about = FAILED_CHECK, eval_path, task, names_task, cover, check.excerpt
            found.append(Annotation(span, check.message, *about))
    return found


def entry_span(snapshot: Snapshot, pointer: tuple[str | int, ...]) -> Span | None:
    """The range of a grader's whole entry."""
    found = snapshot.tree.find(pointer) if pointer else None
    return Span(found.key.start if found.key else found.value.start, found.value.end) if found else None


def short_span(snapshot: Snapshot, pointer: tuple[str | int, ...], least: int = 0) -> Span | None:
    """The smallest range on one line for a pointer, or for its nearest ancestor with at least `least` parts."""
    while len(pointer) >= max(1, least):
        found = snapshot.tree.find(pointer)
        if found is not None:
            span = found.value if not found.node.is_empty else (found.key or found.value)
            if span.end.line > span.start.line:
                # For several lines: the key, or the first line.
                start = span.start
                end = Place(start.line, len(snapshot.text.line(start.line).rstrip()))
                span = found.key or Span(start, end)
            return span
        pointer = pointer[:-1]
    return None


def _carry(annotations: list[Annotation], before: Sequence[str], after: Sequence[str]) -> list[Annotation]:
    if before is after or not annotations:
        return annotations
    change = change_between(before, after)
    if change is None:
        return annotations
    moved = ((it, map_span(it.span, change), it.cover and map_span(it.cover, change)) for it in annotations)
    return [
        replace(annotation, span=span, cover=cover)
        for annotation, span, cover in moved
        if span is not None and (annotation.cover is None or cover is not None)
    ]


def _diagnostic(snapshot: Snapshot, span: Span, code: str, annotations: list[Annotation]) -> types.Diagnostic:
    lines = [f"{it.task}: {it.message}" if it.names_task and it.task else it.message for it in annotations]
    return types.Diagnostic(
        range=snapshot.range(span),
        message="\n".join(dict.fromkeys(lines)),
        severity=annotations[0].severity or _SEVERITIES[code],
        code=code,
        code_description=types.CodeDescription(
            manual_page("running") if code in _SEVERITIES else rule_page(code)
        ),
        source=SOURCE,
    )
