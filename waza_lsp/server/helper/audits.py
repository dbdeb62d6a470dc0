"""The live audit: audits the tasks of open evals in the helper process, and again after edits.

Only evals with recordings are audited unasked; for others, the user asks by opening the page. It executes nothing, so it
needs no trust. Findings of a task stay until its next audit is there, unless an edit touches their place.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.lib.queries.disk import Stamp
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.project.store_location import (
    RECORDINGS_FOLDER,
    default_store_dir,
    file_state,
    recording_sources,
    recording_stems,
)
from waza_lsp.runnables.commands import AuditStatus, RunStatus
from waza_lsp.runnables.runnables import FILE_KINDS, Runnable, runnables_in
from waza_lsp.server.events import (
    Bus,
    DocumentChanged,
    DocumentOpened,
    FilesChanged,
    LensesChanged,
    RecordingsKnown,
)
from waza_lsp.server.helper.client import HelperError, Questions
from waza_lsp.server.helper.drafts import Drafts
from waza_lsp.server.helper.questions import Answer, Audit, AuditPage, Keep, TellApart
from waza_lsp.server.results.annotations.annotation import Annotation
from waza_lsp.server.results.annotations.findings import FindingAnnotations
from waza_lsp.snapshot import Snapshot, path_of
from waza_lsp.syntax.span_mapping import change_between
from waza_lsp.syntax.text import Place
from waza_lsp.workspace.audit_notes import AuditNote, Survivor

CHANGED = "waza/auditChanged"
_PAUSE_SECONDS = 0.3
"""How long to wait after an edit for the next key. Live grading comes first."""
_MOST_TASKS = 100
"""So many tasks of an eval are audited unasked; `waza-lsp audit` audits all."""
_MOST_DRAFTS = 3
_MOST_RECORDINGS = 4
"""So many recordings of a task are watched; the helper audits as many."""


@dataclass(frozen=True, slots=True)
class AuditedTask:
    """The audit of a task: the null agents that pass, the mutation score (None without mutants), and what survives."""

    passes_for: tuple[str, ...]
    score: float | None
    mutants: int
    survivors: tuple[Survivor, ...]

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> "AuditedTask | None":
        """Return the audit in an answer; None if the task could not be audited."""
        if result["problem"]:
            return None
        survivors = tuple(Survivor(*(it[key] for key in Survivor._fields)) for it in result["survivors"])
        return cls(tuple(result["passesFor"]), result["score"], result["mutants"], survivors)


class _Pending(NamedTuple):
    """What to audit of a document: tasks in order, those edited last first; then all other tasks, if `is_all`."""

    tasks: tuple[str, ...] = ()
    is_all: bool = False


class LiveAudit:
    """Audits of open documents."""

    def __init__(self, questions: Questions, marks: FindingAnnotations, bus: Bus) -> None:
        self._helper = questions.helper
        self._questions = questions
        self._ledger = questions.ledger
        self._marks = marks
        self._documents = questions.documents
        self._client = questions.client
        self._bus = bus
        self._audits: dict[Path, dict[str, AuditedTask]] = {}
        self._with_audits: dict[str, Mapping[tuple[str, str], tuple[RunStatus, AuditStatus, RunStatus]]] = {}
        """By the URI of a document: each status without its audit, the audit, and the status with it."""
        self._pending: dict[str, _Pending] = {}
        """By the URI of a document; the one to audit next is the last one."""
        self._edited = 0.0
        """When the last edit was, by the clock of the event loop."""
        self._states: dict[str, tuple[Path, tuple[Stamp, ...]]] = {}
        """The eval of each document, and the state of its recordings that the audit knows, by the document's URI."""
        self._audited: set[Path] = set()
        """Evals with results that the client has not heard of."""
        self._asked: set[Path] = set()
        """Evals whose page the user has opened."""
        self._working: asyncio.Task[None] | None = None
        self._drafts = Drafts(questions.helper, questions.client)
        bus.listen(DocumentOpened, self._document_opened)
        bus.listen(DocumentChanged, self._text_changed)
        bus.listen(FilesChanged, self._files_changed)
        bus.listen(RecordingsKnown, self._recordings_known)

    def _document_opened(self, event: DocumentOpened) -> None:
        """Audit the document's tasks once its recordings are known: its files may have changed while it was closed."""
        self._states.pop(event.document.uri, None)

    def _recordings_known(self, event: RecordingsKnown) -> None:
        """Audit the tasks of a document, if the recordings of its eval have changed."""
        snapshot = event.document
        eval_path = self._ledger.eval_of(snapshot)
        if eval_path is None or not self._is_seen(snapshot):
            return
        sources = recording_sources(eval_path, default_store_dir(eval_path))
        # A recording that is edited in place does not change the time of its folder; most clients report it.
        files = () if self._client.watches_files else _recordings(eval_path, snapshot)
        state = eval_path, tuple(map(file_state, (*sources, *files)))
        if self._states.get(snapshot.uri) != state:
            self._states[snapshot.uri] = state
            self._add(snapshot.uri, _Pending(is_all=True))

    def _is_seen(self, snapshot: Snapshot) -> bool:
        """Whether somebody sees the audit of a document: it is open, and its eval has recordings or an open page."""
        if not self._questions.settings.audit_enable or self._documents.get(snapshot.uri) is None:
            return False
        eval_path = self._ledger.eval_of(snapshot)
        return eval_path is not None and (self._ledger.is_recorded(eval_path) or eval_path in self._asked)

    def _files_changed(self, event: FilesChanged) -> None:
        """Audit the open documents again whose evals have one of these files, or may test a skill among them."""
        seen = [one for one in self._documents if self._is_seen(one)]
        if not seen:
            return
        # The texts of open documents are known.
        paths = [
            it for uri in event.uris if (it := path_of(uri)) is not None and not self._documents.of_path(it)
        ]
        folders = {parent for it in paths for parent in it.parents}
        has_skill = any(it.name == SKILL_FILE for it in paths)
        for one in seen:
            eval_path = self._ledger.eval_of(one)
            if has_skill or (eval_path is not None and eval_path.parent in folders):
                self._add(one.uri, _Pending(is_all=True))

    def _text_changed(self, event: DocumentChanged) -> None:
        """Audit the tasks again that an edit touched; all of them if it touched what they share."""
        before, after = event.before, event.after
        if not self._is_seen(after):
            return
        change = change_between(before.text.lines, after.text.lines)
        if change is None:
            return
        first, last = change.start.line, change.new_end.line
        tasks = [it for it in runnables_in(after) if it.kind == "task"]
        touched = (it.id for it in tasks if it.range.start.line <= first and last <= it.range.end.line)
        self._edited = asyncio.get_running_loop().time()
        self._add_edited(after.uri, touched)

    def standings(
        self, snapshot: Snapshot, known: Mapping[tuple[str, str], RunStatus]
    ) -> dict[tuple[str, str], RunStatus]:
        """Return the status of each runnable, by kind and id, with its audit."""
        if not self._questions.settings.audit_enable:
            off = AuditStatus(is_off=True)
            return {key: replace(it, audit=off) if key[0] == "eval" else it for key, it in known.items()}
        eval_path = self._ledger.eval_of(snapshot)
        audits = self._audits.get(eval_path, {}) if eval_path is not None else {}
        before = self._with_audits.get(snapshot.uri, {})
        now: dict[tuple[str, str], tuple[RunStatus, AuditStatus, RunStatus]] = {}
        for key, it in known.items():
            audit = _status(audits, *key)
            if audit is not None:
                last = before.get(key)
                is_same = last is not None and last[0] is it and last[1] == audit
                now[key] = last if last is not None and is_same else (it, audit, replace(it, audit=audit))
        self._with_audits[snapshot.uri] = now
        return {**known, **{key: it for key, (*_, it) in now.items()}}

    def notes_at(self, snapshot: Snapshot, place: Place) -> list[AuditNote]:
        """Return what the hover tells of the findings at a place: what survives in their tasks."""
        return self._notes(self._marks.at(snapshot, place))

    def notes_on(self, snapshot: Snapshot, line: int) -> list[AuditNote]:
        """Return what survives in the tasks of the findings of a line."""
        return self._notes(self._marks.on_line(snapshot, line))

    def _notes(self, marks: Iterable[Annotation]) -> list[AuditNote]:
        return [
            AuditNote(it.span, it.task, audit.survivors, it.code)
            for it in marks
            if (audit := self._audits.get(it.eval_path, {}).get(it.task)) is not None
        ]

    async def page(self, snapshot: Snapshot, task: str) -> AsyncGenerator[Answer, None]:
        """Yield how far the page about an eval is, see `AuditPage`. It begins with `task`, if that is not "".

        Raises:
            HelperError: there is no answer.

        """
        eval_path = self._ledger.eval_of(snapshot)
        if eval_path is not None:
            self._asked.add(eval_path)
            self._add(snapshot.uri, _Pending(is_all=True))
        async with aclosing(self._helper.parts(AuditPage(self._questions.about(snapshot), task))) as parts:
            async for part in parts:
                yield part

    async def drafts_for(self, snapshot: Snapshot, task: Runnable) -> list[dict[str, Any]]:
        """Return checks that notice broken work of a task which passes now; none if the answer takes too long."""
        eval_path = self._ledger.eval_of(snapshot)
        audit = self._audits.get(eval_path, {}).get(task.id) if eval_path is not None else None
        if audit is None or not audit.survivors:
            return []
        drafts = await self._drafts.asked(TellApart(self._questions.about(snapshot), task.id))
        return drafts[:_MOST_DRAFTS]

    async def keep(self, snapshot: Snapshot, task: str, mutant: str) -> dict[str, Any]:
        """Write broken work of a task into a counter example: `{path, change}`; `{none}` says why not."""
        try:
            answer = await self._helper.ask(Keep(self._questions.about(snapshot), task, mutant))
        except HelperError as error:
            return {"none": str(error)}
        self._add_edited(snapshot.uri, [task])
        return answer

    def _add_edited(self, uri: str, tasks: Iterable[str]) -> None:
        """Audit these tasks before all others; all tasks of the document, if there are none."""
        touched = tuple(tasks)
        self._add(uri, _Pending(touched, is_all=not touched))

    def _add(self, uri: str, wanted: _Pending) -> None:
        known = self._pending.pop(uri, _Pending())
        self._pending[uri] = _joined(wanted, known)
        if self._working is None or self._working.done():
            self._working = asyncio.get_running_loop().create_task(self._audit_pending())

    async def _audit_pending(self) -> None:
        loop = asyncio.get_running_loop()
        while self._pending:
            # An edit during the pause begins it anew.
            while (pause := self._edited + _PAUSE_SECONDS - loop.time()) > 0:  # noqa: ASYNC110  # as long as keys come
                await asyncio.sleep(pause)
            uri, wanted = self._pending.popitem()
            snapshot = self._documents.get(uri)
            if snapshot is not None and self._is_seen(snapshot):
                await self._audit(snapshot, wanted)
        audited, self._audited = self._audited, set()
        for path in audited if self._client.follows_runs else ():
            self._client.notify(CHANGED, {"uri": path.as_uri()})

    async def _audit(self, snapshot: Snapshot, wanted: _Pending) -> None:
        """Audit the tasks of a document. What an edit comes before is audited with the next version."""
        own = [it.id for it in runnables_in(snapshot) if it.kind == "task"] if wanted.is_all else []
        left = [*dict.fromkeys((*wanted.tasks, *own[:_MOST_TASKS]))]
        question = Audit(self._questions.about(snapshot), tuple(left))
        try:
            async with aclosing(self._helper.parts(question)) as parts:
                async for answer in parts:
                    if "tasks" not in answer:
                        self._client.log(f"{snapshot.path} was not audited: {answer.get('none')}")
                        return
                    self._show(snapshot, answer)
                    left = answer["left"]
                    if self._pending:
                        break
        except HelperError as error:
            self._client.log(f"The audit of {snapshot.path} was given up: {error}")
            return
        if left:
            # After everything that was edited meanwhile.
            known = self._pending.pop(snapshot.uri, None)
            both = _joined(known, _Pending(tuple(left))) if known is not None else _Pending(tuple(left))
            self._pending = {snapshot.uri: both, **self._pending}

    def _show(self, asked: Snapshot, answer: Mapping[str, Any]) -> None:
        eval_path = Path(answer["eval"])
        self._audited.add(eval_path)
        audits = self._audits.setdefault(eval_path, {})
        before = dict(audits)
        for task, result in answer["tasks"].items():
            audit = AuditedTask.of(result)
            if audit is not None:
                audits[task] = audit
            else:
                audits.pop(task, None)
        self._marks.show_findings(
            asked, eval_path, answer["findings"], is_old=lambda it: it.task in answer["tasks"]
        )
        if audits != before:
            self._bus.publish(LensesChanged())


def _recordings(eval_path: Path, snapshot: Snapshot) -> Iterator[Path]:
    """Yield where the recordings of a document's tasks may be."""
    folder = eval_path.parent / RECORDINGS_FOLDER
    tasks = [it.id for it in runnables_in(snapshot) if it.kind == "task"]
    for task in tasks[:_MOST_TASKS]:
        yield from (folder / f"{it}.json" for it in islice(recording_stems(task), _MOST_RECORDINGS))


def _joined(one: _Pending, other: _Pending) -> _Pending:
    return _Pending((*dict.fromkeys((*one.tasks, *other.tasks)),), is_all=one.is_all or other.is_all)


def _status(audits: Mapping[str, AuditedTask], kind: str, id_: str) -> AuditStatus | None:
    if kind == "task" and id_ in audits:
        return AuditStatus(audits[id_].passes_for, audits[id_].score)
    if kind not in FILE_KINDS or not audits:
        return None
    mutants = sum(it.mutants for it in audits.values())
    killed = sum((it.score or 0) * it.mutants for it in audits.values())
    accused = sum(bool(it.passes_for) for it in audits.values())
    return AuditStatus((), killed / mutants if mutants else None, accused, len(audits))
