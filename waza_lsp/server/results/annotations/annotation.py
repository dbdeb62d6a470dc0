"""One annotation that a run puts on a file: a message at a range, for the results of a task."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import is_
from pathlib import Path

from lsprotocol import types

from waza_lsp.runnables.failed_checks import FailedCheck
from waza_lsp.runnables.runnables import part_of
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.span_mapping import Change, change_between, map_span
from waza_lsp.syntax.text import Place, Span

FAILED_CHECK, LIVE_VERDICT, RECORDED_RUNS = "failed-check", "live-verdict", "recorded-runs"
FLAKY_GRADER = "flaky-grader"
"""It is about many runs: only an edit of the grader, or other runs, remove it."""


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


def carried(annotations: list[Annotation], before: Sequence[str], after: Sequence[str]) -> list[Annotation]:
    """Return annotations as they are after an edit, without those that it touches.

    Those before the edit, and those below that did not move, stay the same objects; without others, so does the list.
    """
    change = change_between(before, after) if before is not after and annotations else None
    if change is None:
        return annotations
    found = [moved for it in annotations if (moved := _moved(it, change)) is not None]
    is_same = len(found) == len(annotations) and all(map(is_, found, annotations))
    return annotations if is_same else found


def _moved(annotation: Annotation, change: Change) -> Annotation | None:
    outer = annotation.cover or annotation.span
    if annotation.span.end < change.start and outer.end < change.start:
        return annotation
    if (
        change.old_end.line == change.new_end.line
        and min(annotation.span, outer).start.line > change.old_end.line
    ):
        return annotation
    span = map_span(annotation.span, change)
    cover = annotation.cover and map_span(annotation.cover, change)
    if span is None or (annotation.cover is not None and cover is None):
        return None
    return replace(annotation, span=span, cover=cover)
