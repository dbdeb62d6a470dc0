"""Annotations that runs put on documents: stored per file, moved with edits, published as diagnostics.

Each file keeps the text that its annotations refer to. They are carried to the current text when someone asks, so a
file need not be open. An edit inside an annotation removes it.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, is_
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from waza_engine.lib.pointer import Pointer
from waza_lsp.runnables.failed_checks import FailedCheck, TaskChecks
from waza_lsp.server.documents import Documents
from waza_lsp.server.events import AnnotationsChanged, Bus, GradersOutdated
from waza_lsp.server.results.annotations.annotation import (
    FAILED_CHECK,
    FLAKY_GRADER,
    LIVE_VERDICT,
    RECORDED_RUNS,
    Annotation,
    carried,
    check_annotations,
    entry_span,
)
from waza_lsp.server.results.annotations.json import AnnotationJson
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.span_mapping import change_between, map_span
from waza_lsp.syntax.text import Place, Span, Text

Texts = Mapping[Path, Snapshot]
"""Files as a run read them."""


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
    """The annotations of a file, at their places in `lines`. The list is replaced, never changed."""

    lines: Sequence[str]
    annotations: list[Annotation]
    json: AnnotationJson = field(default_factory=AnnotationJson)


class Annotations:
    """Annotations by path."""

    def __init__(self, documents: Documents, bus: Bus) -> None:
        self._documents = documents
        self._bus = bus
        self._files: dict[Path, _File] = {}
        self._live: dict[Path, tuple[Mapping[Path, list[Annotation]], LiveVerdicts]] = {}
        """The live verdicts of each eval, with the annotations that they are made of."""

    def show(self, eval_path: Path, task: str, checks: TaskChecks, texts: Texts) -> None:
        """Replace a task's annotations with its failed checks, in files that had these texts.

        Live verdicts on a text that was edited since stay until the new recording is graded.
        """
        self.show_all(eval_path, {task: (checks, texts)})

    def show_all(self, eval_path: Path, shown: Mapping[str, tuple[TaskChecks, Texts]]) -> None:
        """Replace the annotations of several tasks, as `show` does for one."""
        groups: list[tuple[Texts, dict[str, TaskChecks]]] = []
        for task, (checks, texts) in shown.items():
            group = next((it for it in groups if it[0] == texts), None)
            if group is None:
                groups.append(group := (texts, {}))
            group[1][task] = checks
        for texts, its in groups:
            self._show(eval_path, its, texts)

    def _show(self, eval_path: Path, checks: Mapping[str, TaskChecks], texts: Texts) -> None:
        newer = self._newer_graders(eval_path, texts)
        touched = self._drop(
            lambda path, annotation: (
                annotation.eval_path == eval_path
                and (
                    annotation.code == RECORDED_RUNS
                    or (annotation.task in checks and annotation.cover not in newer.get(path, ()))
                )
            )
        )
        touched |= self._drop_graded(checks.values(), texts, LIVE_VERDICT)
        self._publish(touched | self._add_checks(eval_path, checks, texts))
        if newer:
            self._bus.publish(GradersOutdated(eval_path, newer))

    def show_graders(self, eval_path: Path, task: str, checks: TaskChecks, texts: Texts) -> None:
        """Replace the annotations of the graded entries only."""
        newer = self._newer_graders(eval_path, texts)
        touched = self._drop_graded([checks], texts)
        self._publish(touched | self._add_checks(eval_path, {task: checks}, texts))
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
        is_dropped = self._drop_in(path, snapshot.text.lines, [span], code)
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
        texts = {path: known.annotations for path, known in self._followed()}
        known = self._live.get(eval_path)
        if known is None or [*known[0]] != [*texts] or not all(map(is_, known[0].values(), texts.values())):
            known = self._live[eval_path] = texts, _live_verdicts(eval_path, texts)
        return known[1]

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
        for path, known in self._followed():
            yield from ((path, it) for it in known.annotations if is_meant(it))

    def _followed(self) -> Iterator[tuple[Path, _File]]:
        """Yield the files with annotations, these at their places in the current texts."""
        for path, known in list(self._files.items()):
            opened = self._documents.of_path(path)
            if opened is not None:
                self._follow(path, opened.text.lines)
            yield path, known

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

    def diagnostics_json(self, snapshot: Snapshot) -> list[str]:
        """The annotations of an open document as diagnostics in JSON, one per range and code."""
        its = self._of(snapshot)
        known = self._files.get(snapshot.path) if snapshot.path is not None else None
        return known.json.diagnostics(snapshot.text, its) if known is not None else []

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
            known.annotations = carried(known.annotations, known.lines, lines)
            known.lines = lines

    def _add(self, path: Path, lines: Sequence[str], annotations: Iterable[Annotation]) -> None:
        """Add annotations of a file that had the text `lines`."""
        known = self._files.setdefault(path, _File(lines, []))
        known.annotations = [*known.annotations, *carried(list(annotations), lines, known.lines)]

    def _add_checks(self, eval_path: Path, checks: Mapping[str, TaskChecks], texts: Texts) -> set[Path]:
        """Add the failed checks of tasks. Returns the files that they are in."""
        found: dict[Path, list[Annotation]] = {}
        for task, its in checks.items():
            by_path: dict[Path, list[FailedCheck]] = {}
            for check in its.failed:
                by_path.setdefault(check.location.path, []).append(check)
            for path, failed in by_path.items():
                text = texts.get(path)
                own = check_annotations(text, failed, eval_path, task) if text is not None else ()
                found.setdefault(path, []).extend(own)
        for path, annotations in found.items():
            if annotations:
                self._add(path, texts[path].text.lines, annotations)
        return set(found)

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

    def _drop_in(self, path: Path, lines: Sequence[str], spans: Iterable[Span], code: str = "") -> bool:
        """Remove annotations (of this code) in ranges of the file as `lines` has it, unless these were edited since."""
        known = self._files.get(path)
        meant = [
            it
            for it in (known.annotations if known is not None else ())
            if code in {"", it.code} and it.code != FLAKY_GRADER
        ]
        if known is None or not meant:
            return False
        change = change_between(lines, known.lines)
        current = _joined(span for it in spans if (span := map_span(it, change)) is not None)
        gone = {id(it) for it in meant if _is_in(it.span.start, current)}
        return bool(gone and self._drop(lambda file, annotation: file == path and id(annotation) in gone))

    def _drop_graded(self, checks: Iterable[TaskChecks], texts: Texts, code: str = "") -> set[Path]:
        """Remove annotations (of this code) from the entries that were graded. Returns their files."""
        by_path: dict[Path, set[Pointer]] = {}
        for its in checks:
            for path, pointer in its.entries:
                by_path.setdefault(path, set()).add(pointer)
        touched = set()
        for path, pointers in by_path.items():
            text = texts.get(path) if path in self._files else None
            if text is not None:
                spans = (span for it in pointers if (span := entry_span(text, it)) is not None)
                if self._drop_in(path, text.text.lines, spans, code):
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


def _live_verdicts(eval_path: Path, texts: Mapping[Path, list[Annotation]]) -> LiveVerdicts:
    failing: dict[str, int] = {}
    failed: set[str] = set()
    covers: dict[Path, list[Span]] = {}
    for path, annotations in texts.items():
        for it in annotations:
            if it.code not in {FAILED_CHECK, LIVE_VERDICT} or it.eval_path != eval_path:
                continue
            if it.code == FAILED_CHECK:
                failed.add(it.task)
            elif it.cover is not None:
                covers.setdefault(path, []).append(it.cover)
                for task in it.graded:
                    failing[task] = failing.get(task, 0) + (task in it.failed)
    return LiveVerdicts(failing, frozenset(failed), covers)


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Return spans in the order of the text. Those that overlap are joined."""
    found: list[Span] = []
    for it in sorted(spans):
        if found and it.start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, it.end))
        else:
            found.append(it)
    return found


def _is_in(place: Place, spans: Sequence[Span]) -> bool:
    """Whether a place is in one of some spans, which are in the order of the text and do not overlap."""
    before = bisect_right(spans, place, key=attrgetter("start"))
    return before > 0 and spans[before - 1].contains(place)
