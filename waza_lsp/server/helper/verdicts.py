"""Live grading: grade recordings again after an edit inside a grader, in the helper process.

The event loop only asks and listens. A grader whose text has errors gets no verdict. An answer about a text that has
changed since is carried to the current text, unless that edit touched it. Nothing is executed during a run of the same
eval: such graders wait until the run has ended.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from waza_engine.lib.pointer import Pointer
from waza_lsp.runnables.failed_checks import CheckLocation as CheckPlace
from waza_lsp.runnables.failed_checks import FailedCheck
from waza_lsp.runnables.runnables import DocumentGrader, Runnable, graders_at, graders_in, task_of
from waza_lsp.server.events import (
    Bus,
    DocumentChanged,
    GradersOutdated,
    JobEnded,
    JobStarted,
    RecordingsKnown,
)
from waza_lsp.server.helper.client import HelperError, Questions
from waza_lsp.server.helper.drafts import Drafts
from waza_lsp.server.helper.questions import Answer, Draft, Grade
from waza_lsp.server.results.annotations.annotation import (
    LIVE_VERDICT,
    Annotation,
    check_annotations,
    short_span,
)
from waza_lsp.server.results.annotations.annotations import Annotations
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.span_mapping import Change, change_between, map_span
from waza_lsp.syntax.text import Span

_PAUSE_SECONDS = 0.02
"""How long to wait for the next key before grading."""

Pending = dict[str, tuple[Snapshot, set[Pointer]]]
"""Graders to grade, by the URI of their document, with the version that the pointers refer to."""


@dataclass(frozen=True, slots=True)
class _Begun:
    """A grader that was graded on some recordings, the verdicts so far, and where the others come from."""

    snapshot: Snapshot
    site: DocumentGrader
    answer: Answer
    parts: AsyncGenerator[Answer, None]


class LiveGrading:
    """Knows which graders to grade again, and grades them one after the other.

    `has_errors` tells whether a range of a document has findings that are errors.
    """

    def __init__(
        self,
        questions: Questions,
        annotations: Annotations,
        has_errors: Callable[[Snapshot, Span], bool],
        bus: Bus,
    ) -> None:
        self._helper = questions.helper
        self._questions = questions
        self._ledger = questions.ledger
        self._annotations = annotations
        self._documents = questions.documents
        self._has_errors = has_errors
        self._client = questions.client
        self._pending: Pending = {}
        self._waiting: Pending = {}
        """Graders that execute something while a run of their eval is going on."""
        self._broken: Pending = {}
        """Graders that cannot be graded until another part of their suite is fixed."""
        self._rest: dict[tuple[str, Pointer], _Begun] = {}
        """Graders that were graded on the newest recordings only."""
        self._early: dict[str, Snapshot] = {}
        """Documents that were edited before their recordings were known, as they were before the edit."""
        self._running: Counter[Path] = Counter()
        self._executing: Path | None = None
        """The eval of the current question, if it may execute something."""
        self._working: asyncio.Task[None] | None = None
        self._warming: asyncio.Task[None] | None = None
        self._drafts = Drafts(questions.helper, questions.client)
        bus.listen(DocumentChanged, self._text_changed)
        bus.listen(RecordingsKnown, self._recordings_known)
        bus.listen(GradersOutdated, self._regrade)
        bus.listen(JobStarted, self._job_started)
        bus.listen(JobEnded, self._job_ended)

    @property
    def _is_enabled(self) -> bool:
        return self._questions.settings.live_enable

    def _recordings_known(self, event: RecordingsKnown) -> None:
        """Grade what was edited before the recordings of a document's eval were known."""
        snapshot = event.document
        eval_path = self._ledger.eval_of(snapshot)
        is_recorded = eval_path is not None and self._ledger.is_recorded(eval_path)
        if is_recorded:
            self._warm_up(snapshot)
        for uri, before in list(self._early.items()):
            now = self._documents.get(uri)
            if now is None:
                del self._early[uri]
            elif uri == snapshot.uri or (eval_path is not None and self._ledger.eval_of(now) == eval_path):
                del self._early[uri]
                self._add(now, rewritten_graders(before, now) if is_recorded else set())

    def _warm_up(self, snapshot: Snapshot) -> None:
        """Start the worker before the first edit, if an open document can be graded."""
        if not self._is_enabled or self._warming is not None:
            return
        if snapshot.path is None or self._documents.of_path(snapshot.path) is None:
            return
        known = graders_in(snapshot)
        if known:
            about, pointer = self._questions.about(snapshot), known[0].pointer
            question = Grade(about, pointer, task_of(snapshot, pointer))
            self._warming = asyncio.get_running_loop().create_task(self._helper.warm_up(question))

    def _text_changed(self, event: DocumentChanged) -> None:
        """Grade the graders again that an edit touched."""
        before, after = event.before, event.after
        if not self._is_enabled or after.path is None or after.form is None:
            return
        if not self._ledger.knows_recordings(after):
            self._early.setdefault(after.uri, before)
            return
        eval_path = self._ledger.eval_of(after)
        if eval_path is None or not self._ledger.is_recorded(eval_path):
            return
        # The edit may have fixed the suite.
        self._add_again(self._broken, eval_path)
        self._add(after, edited_graders(before, after))

    def _regrade(self, event: GradersOutdated) -> None:
        """Grade graders on a new recording; during a run, after it."""
        eval_path = event.eval_path
        for path, spans in event.graders.items():
            snapshot = self._documents.of_path(path)
            if snapshot is None or not self._is_enabled:
                continue
            pointers = {it.pointer for it in graders_in(snapshot) if it.span in spans}
            if pointers and eval_path in self._running:
                add_pending(self._waiting, snapshot, pointers)
            else:
                self._add(snapshot, pointers)

    def _job_started(self, event: JobStarted) -> None:
        """Execute nothing of this eval from now on. A current question that does is stopped and asked again later."""
        self._running[event.eval_path] += 1
        if self._executing == event.eval_path:
            self._helper.end()

    def _job_ended(self, event: JobEnded) -> None:
        """Grade the graders that waited for a run."""
        eval_path = event.eval_path
        self._running[eval_path] -= 1
        if self._running[eval_path] == 0:
            del self._running[eval_path]
            self._add_again(self._waiting, eval_path)

    def is_running(self, eval_path: Path | None) -> bool:
        """Whether the eval is being run or graded now."""
        return eval_path in self._running

    async def drafts_for(self, snapshot: Snapshot, task: Runnable) -> list[dict[str, Any]]:
        """Return drafts of graders for a task; none without a recording, or if the answer takes too long."""
        eval_path = self._ledger.eval_of(snapshot)
        if eval_path is None or not self._ledger.is_recorded(eval_path, task.id):
            return []
        return await self._drafts.asked(Draft(self._questions.about(snapshot), task.id))

    def _add(self, snapshot: Snapshot, pointers: set[Pointer]) -> None:
        if pointers:
            add_pending(self._pending, snapshot, pointers)
            if self._working is None or self._working.done():
                self._working = asyncio.get_running_loop().create_task(self._grade_pending())

    def _add_again(self, graders: Pending, eval_path: Path) -> None:
        """Move the graders of an eval from `graders` to the pending ones."""
        for uri in list(graders):
            snapshot = self._documents.get(uri)
            if snapshot is None or self._ledger.eval_of(snapshot) == eval_path:
                self._add_document_again(graders, uri)

    def _add_document_again(self, graders: Pending, uri: str) -> None:
        before, pointers = graders.pop(uri)
        now = self._documents.get(uri)
        if now is not None:
            self._add(now, current_pointers(before, pointers, now))

    async def _grade_pending(self) -> None:
        while self._pending or self._rest:
            if not self._pending:
                await self._grade_rest()
                continue
            await asyncio.sleep(_PAUSE_SECONDS)
            uri, (before, pointers) = self._pending.popitem()
            snapshot = self._documents.get(uri)
            if snapshot is None:
                continue
            pointers = current_pointers(before, pointers, snapshot)
            for site in graders_in(snapshot):
                if site.pointer in pointers:
                    await self._grade(snapshot, site)

    async def _grade_rest(self) -> None:
        """Go on with the grader that was begun last, unless it was edited since. Edits come between the parts."""
        (uri, pointer), begun = self._rest.popitem()
        snapshot, site, now = begun.snapshot, begun.site, self._documents.get(uri)
        if now is None or map_span(site.span, change_between(snapshot.text.lines, now.text.lines)) is None:
            await begun.parts.aclose()
            return
        more = await self._next_part(snapshot, begun.parts, may_execute=False)
        if "trials" not in more:
            return
        count = begun.answer["trials"] + more["trials"]
        merged = {**more, "trials": count, "failed": {**begun.answer["failed"], **more["failed"]}}
        if more["left"]:
            self._rest[uri, pointer] = replace(begun, answer=merged)
        if not more["left"] or any(more["failed"].values()):
            self._annotations.replace(snapshot, site.span, _annotations(snapshot, site, merged))
            self._ledger.live_changed(self._ledger.eval_of(snapshot))

    async def _grade(self, snapshot: Snapshot, site: DocumentGrader) -> None:
        if snapshot.path is None:
            return
        annotations: list[Annotation] = []
        before = self._rest.pop((snapshot.uri, site.pointer), None)
        if before is not None:
            await before.parts.aclose()
        if not self._has_errors(snapshot, site.span):
            annotations = await self._first_verdicts(snapshot, site)
        self._annotations.replace(snapshot, site.span, annotations)
        self._ledger.live_changed(self._ledger.eval_of(snapshot))
        now = self._documents.get(snapshot.uri)
        if now is None:
            return
        if map_span(site.span, change_between(snapshot.text.lines, now.text.lines)) is None:
            # The document was edited during the question, perhaps both above and below the grader.
            self._add(now, current_pointers(snapshot, {site.pointer}, now))

    async def _first_verdicts(self, snapshot: Snapshot, site: DocumentGrader) -> list[Annotation]:
        """Ask for the verdicts on a grader. There are none if the helper was stopped or has to wait for a run."""
        eval_path = self._ledger.eval_of(snapshot)
        was_running = eval_path in self._running
        # A run from here means that the user trusts the folder.
        may_execute = eval_path in self._ledger.run_here and not was_running
        about, task = self._questions.about(snapshot), task_of(snapshot, site.pointer)
        parts = self._helper.parts(Grade(about, site.pointer, task, may_execute))
        answer = await self._next_part(snapshot, parts, may_execute=may_execute)
        if answer.get("broken"):
            add_pending(self._broken, snapshot, {site.pointer})
            if self._documents.get(snapshot.uri) is not snapshot:
                # The document was edited during the question.
                self._add_document_again(self._broken, snapshot.uri)
        if answer.get("waits") and (was_running or eval_path in self._running):
            add_pending(self._waiting, snapshot, {site.pointer})
            if eval_path not in self._running and eval_path is not None:
                # The run ended during the question.
                self._add_document_again(self._waiting, snapshot.uri)
        if answer.get("left"):
            self._rest[snapshot.uri, site.pointer] = _Begun(snapshot, site, answer, parts)
        else:
            await parts.aclose()
        return _annotations(snapshot, site, answer)

    async def _next_part(
        self, snapshot: Snapshot, parts: AsyncGenerator[Answer, None], *, may_execute: bool
    ) -> Answer:
        eval_path = self._ledger.eval_of(snapshot)
        self._executing = eval_path if may_execute else None
        try:
            return await anext(parts)
        except HelperError as error:
            if eval_path not in self._running:
                self._client.log(f"Live grading of {snapshot.path} was given up: {error}")
            return {"waits": True}
        finally:
            self._executing = None


def _annotations(snapshot: Snapshot, site: DocumentGrader, answer: dict[str, Any]) -> list[Annotation]:
    """The failed checks in a worker's answer, or one verdict if everything passes."""
    count = answer.get("trials", 0)
    if not count:
        return []
    eval_path = Path(answer["eval"])
    failed = [
        annotation
        for task, checks in answer["failed"].items()
        for annotation in check_annotations(
            snapshot, [_check(check) for check in checks], eval_path, task, cover=site.span
        )
    ]
    message = "" if failed else _passing_message(count, is_all=not answer["left"])
    return [*failed, *_live_verdict(snapshot, site, eval_path, message, answer["failed"])]


def _check(data: Mapping[str, Any]) -> FailedCheck:
    place = CheckPlace(Path(data["path"]), tuple(data["entry"]), tuple(data["check"]))
    return FailedCheck(place, data["message"], data["excerpt"])


def _passing_message(count: int, *, is_all: bool) -> str:
    what = "the recorded trial" if count == 1 else f"all {count} recorded trials"
    return f"Passes on {what}" if is_all else f"Passes on the newest {count} recorded trials so far"


def _live_verdict(
    snapshot: Snapshot,
    site: DocumentGrader,
    eval_path: Path,
    message: str,
    checks: Mapping[str, Sequence[Any]],
) -> list[Annotation]:
    span = short_span(snapshot, (*site.pointer, "type"), len(site.pointer))
    if span is None:
        return []
    failed = frozenset(task for task, its in checks.items() if its)
    verdict = Annotation(
        span, message, LIVE_VERDICT, eval_path, cover=site.span, graded=frozenset(checks), failed=failed
    )
    return [verdict]


def add_pending(graders: Pending, snapshot: Snapshot, pointers: set[Pointer]) -> None:
    """Add graders of a document to those that are pending."""
    known = graders.get(snapshot.uri)
    before = current_pointers(*known, snapshot) if known is not None else set()
    graders[snapshot.uri] = snapshot, before | pointers


def current_pointers(before: Snapshot, pointers: set[Pointer], now: Snapshot) -> set[Pointer]:
    """The pointers of the same graders in a later version of their document.

    Of the graders that the edits touched, those count whose text was not in the earlier version without a pointer.
    """
    change = change_between(before.text.lines, now.text.lines) if before is not now else None
    if change is None:
        return pointers
    graders = graders_in(before)
    moved = {map_span(it.span, change) for it in graders if it.pointer in pointers}
    skipped = {before.text.slice(it.span) for it in graders if it.pointer not in pointers}
    return {
        site.pointer
        for site in graders_in(now)
        if site.span in moved or (_is_touched(site.span, change) and now.text.slice(site.span) not in skipped)
    }


def edited_graders(before: Snapshot, now: Snapshot) -> set[Pointer]:
    """The graders that one edit touched."""
    change = change_between(before.text.lines, now.text.lines)
    if change is None:
        return set()
    return {it.pointer for it in graders_at(now, change.start.line, change.new_end.line)}


def rewritten_graders(before: Snapshot, now: Snapshot) -> set[Pointer]:
    """The graders whose text is new; there may have been several edits."""
    known = {before.text.slice(it.span) for it in graders_in(before)}
    return {it.pointer for it in graders_in(now) if now.text.slice(it.span) not in known}


def _is_touched(span: Span, change: Change) -> bool:
    """Whether an edit was on the lines of a grader."""
    return span.start.line <= change.new_end.line and change.start.line <= span.end.line
