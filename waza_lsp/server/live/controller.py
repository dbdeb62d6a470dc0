"""Live grading: after an edit inside a grader, what was recorded is graded again, in a worker process.

The request loop only asks and listens. A grader whose text has findings of its own gets no verdict; an answer to a
text that has changed meanwhile is carried to the text as it is now, where what was touched is gone. Nothing executes
beside a run of the same eval: such graders wait until it has ended.
"""

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waza_engine.findings import Pointer, Severity
from waza_lsp.features.diagnostics import findings
from waza_lsp.schema.failed_checks import failed_checks
from waza_lsp.schema.grader_sites import GraderSite
from waza_lsp.server.live.client import Worker, WorkerError, question
from waza_lsp.server.results.annotations import LIVE_VERDICT, Said, said_of, short_span, tell
from waza_lsp.snapshot import Snapshot
from waza_lsp.suite.in_document import graders_in, runnables_in
from waza_lsp.syntax.carry import Change, carried, change_between
from waza_lsp.syntax.text import Span

if TYPE_CHECKING:
    from waza_lsp.server.session import WazaServer


Wanted = dict[str, tuple[Snapshot, set[Pointer]]]
"""Graders by the URI of their document, with the version of it that the pointers lead into."""


def add(wanted: Wanted, snapshot: Snapshot, pointers: set[Pointer]) -> None:
    """Have these graders among those that are wanted."""
    known = wanted.get(snapshot.uri)
    before = pointers_now(*known, snapshot) if known is not None else set()
    wanted[snapshot.uri] = snapshot, before | pointers


def pointers_now(before: Snapshot, pointers: set[Pointer], now: Snapshot) -> set[Pointer]:
    """Where the same graders stand in another version of their document.

    Where the text is another one, they are those that nobody has left out before.
    """
    change = change_between(before.text.lines, now.text.lines) if before is not now else None
    if change is None:
        return pointers
    its = graders_in(before)
    kept = {carried(it.span, change) for it in its if it.pointer in pointers}
    left_out = {before.text.slice(it.span) for it in its if it.pointer not in pointers}
    return {
        it.pointer
        for it in graders_in(now)
        if it.span in kept or (_is_touched(it.span, change) and now.text.slice(it.span) not in left_out)
    }


def touched(before: Snapshot, now: Snapshot) -> set[Pointer]:
    """The graders that one edit was at."""
    change = change_between(before.text.lines, now.text.lines)
    if change is None:
        return set()
    return {it.pointer for it in graders_in(now) if _is_touched(it.span, change)}


def rewritten(before: Snapshot, now: Snapshot) -> set[Pointer]:
    """The graders whose text is that of none before; edits may have been in many places."""
    known = {before.text.slice(it.span) for it in graders_in(before)}
    return {it.pointer for it in graders_in(now) if now.text.slice(it.span) not in known}


def _is_touched(span: Span, change: Change) -> bool:
    """Whether an edit was on the lines of a grader."""
    return span.start.line <= change.new_end.line and change.start.line <= span.end.line


_PAUSE_SECONDS = 0.02
"""How long to wait for the next key before grading."""
_LIMIT_SECONDS = 5.0


def _new_worker() -> Worker:
    return Worker("waza_lsp.server.live.worker", _LIMIT_SECONDS)


@dataclass(slots=True)
class LiveGrading:
    """Which graders have to be graded again, by document."""

    worker: Worker = field(default_factory=_new_worker)
    _wanted: Wanted = field(default_factory=dict)
    _waiting: Wanted = field(default_factory=dict)
    """Those that execute something while their eval is being run."""
    _broken: Wanted = field(default_factory=dict)
    """Those that nobody can grade until another part of their suite is mended."""
    _early: dict[str, Snapshot] = field(default_factory=dict)
    """Documents that were edited before their recordings were known, as they were before that."""
    _running: Counter[Path] = field(default_factory=Counter)
    _executing: Path | None = None
    """The eval of the question that the worker is at, if it may execute something."""
    _working: asyncio.Task[None] | None = None
    _warming: asyncio.Task[None] | None = None

    def recordings_known(self, server: "WazaServer", snapshot: Snapshot) -> None:
        """What was recorded of a document's eval is known by now: what was edited meanwhile is graded."""
        eval_path = server.results.eval_of(snapshot)
        is_recorded = eval_path is not None and server.results.is_recorded(eval_path)
        if is_recorded:
            self._warm_up(server, snapshot)
        for uri, before in list(self._early.items()):
            now = server.documents.get(uri)
            if now is None:
                del self._early[uri]
            elif uri == snapshot.uri or (eval_path is not None and server.results.eval_of(now) == eval_path):
                del self._early[uri]
                self._want(server, now, rewritten(before, now) if is_recorded else set())

    def _warm_up(self, server: "WazaServer", snapshot: Snapshot) -> None:
        """Something open can be graded: have the worker ready before the first edit."""
        if not server.settings.live_enable or self._warming is not None:
            return
        if snapshot.path is None or server.documents.of_path(snapshot.path) is None:
            return
        known = graders_in(snapshot)
        if known:
            asked = question(server, snapshot, snapshot.path, "grade", known[0].pointer)
            self._warming = asyncio.get_running_loop().create_task(self.worker.warm_up(asked))

    def changed(self, server: "WazaServer", before: Snapshot, after: Snapshot) -> None:
        """A document was edited: its graders that the edit touched are to be graded again."""
        if not server.settings.live_enable or after.path is None or after.form is None:
            return
        if not server.results.knows_recordings(after):
            self._early.setdefault(after.uri, before)
            return
        eval_path = server.results.eval_of(after)
        if eval_path is None or not server.results.is_recorded(eval_path):
            return
        self._want_what_was_broken(server, eval_path)
        self._want(server, after, touched(before, after))

    def grade_again(
        self, server: "WazaServer", eval_path: Path, graders: Mapping[Path, Collection[Span]]
    ) -> None:
        """There is a new recording: these graders, by file, are graded on it; when a run goes on, after it."""
        for path, spans in graders.items():
            snapshot = server.documents.of_path(path)
            if snapshot is None or not server.settings.live_enable:
                continue
            pointers = {it.pointer for it in graders_in(snapshot) if it.span in spans}
            if pointers and eval_path in self._running:
                add(self._waiting, snapshot, pointers)
            else:
                self._want(server, snapshot, pointers)

    def _want(self, server: "WazaServer", snapshot: Snapshot, pointers: set[Pointer]) -> None:
        if pointers:
            add(self._wanted, snapshot, pointers)
            self._work_soon(server)

    def run_starts(self, eval_path: Path) -> None:
        """From now on nothing of this eval is executed here; what is at it is stopped, and asked again later."""
        self._running[eval_path] += 1
        if self._executing == eval_path:
            self.worker.end()

    def run_ended(self, server: "WazaServer", eval_path: Path) -> None:
        """What had to wait for the run is graded now."""
        self._running[eval_path] -= 1
        if self._running[eval_path] > 0:
            return
        del self._running[eval_path]
        for uri in list(self._waiting):
            snapshot = server.documents.get(uri)
            if snapshot is None or server.results.eval_of(snapshot) == eval_path:
                self._want_again(server, uri, self._waiting)

    def _want_what_was_broken(self, server: "WazaServer", eval_path: Path) -> None:
        """A file of the suite was edited: perhaps it can be loaded again."""
        for uri in list(self._broken):
            snapshot = server.documents.get(uri)
            if snapshot is None or server.results.eval_of(snapshot) == eval_path:
                self._want_again(server, uri, self._broken)

    def _want_again(self, server: "WazaServer", uri: str, among: Wanted) -> None:
        before, pointers = among.pop(uri)
        now = server.documents.get(uri)
        if now is not None:
            self._want(server, now, pointers_now(before, pointers, now))

    def is_run(self, eval_path: Path | None) -> bool:
        """Whether the eval is being run or graded now."""
        return eval_path in self._running

    def end(self) -> None:
        """The server ends: so does the worker."""
        self.worker.end()

    def _work_soon(self, server: "WazaServer") -> None:
        if self._working is None or self._working.done():
            self._working = asyncio.get_running_loop().create_task(self._work(server))

    async def _work(self, server: "WazaServer") -> None:
        while self._wanted:
            await asyncio.sleep(_PAUSE_SECONDS)
            uri, (before, wanted) = self._wanted.popitem()
            snapshot = server.documents.get(uri)
            if snapshot is None:
                continue
            pointers = pointers_now(before, wanted, snapshot)
            for site in graders_in(snapshot):
                if site.pointer in pointers:
                    await self._grade(server, snapshot, site)

    async def _grade(self, server: "WazaServer", snapshot: Snapshot, site: GraderSite) -> None:
        path = snapshot.path
        if path is None:
            return
        said: list[Said] = []
        if _is_valid(server, snapshot, site):
            said = _said(snapshot, site, await self._answer(server, snapshot, path, site))
        _replace_said(server, snapshot, site, said)
        now = server.documents.get(snapshot.uri)
        if (
            now is not None
            and carried(site.span, change_between(snapshot.text.lines, now.text.lines)) is None
        ):
            # Edited while the worker was asked, perhaps above the grader and below it.
            self._want(server, now, pointers_now(snapshot, {site.pointer}, now))

    async def _answer(
        self, server: "WazaServer", snapshot: Snapshot, path: Path, site: GraderSite
    ) -> dict[str, Any]:
        """What the worker says; nothing when it was stopped, or has to wait."""
        eval_path = server.results.eval_of(snapshot)
        was_running = eval_path in self._running
        may_execute = server.trusted and eval_path in server.results.ran_here and not was_running
        asked = question(server, snapshot, path, "grade", site.pointer, may_execute=may_execute)
        self._executing = eval_path if may_execute else None
        try:
            answer = await self.worker.ask(asked)
        except WorkerError as error:
            answer = {"waits": True}
            if eval_path not in self._running:
                server.log(f"Live grading of {path} was given up: {error}")
        finally:
            self._executing = None
        if answer.get("broken"):
            add(self._broken, snapshot, {site.pointer})
            if server.documents.get(snapshot.uri) is not snapshot:
                # Edited while the worker was asked.
                self._want_again(server, snapshot.uri, self._broken)
        if answer.get("waits") and (was_running or eval_path in self._running):
            add(self._waiting, snapshot, {site.pointer})
            if eval_path not in self._running and eval_path is not None:
                # The run ended while the worker was asked.
                self._want_again(server, snapshot.uri, self._waiting)
        return answer


def _replace_said(server: "WazaServer", snapshot: Snapshot, site: GraderSite, said: list[Said]) -> None:
    """Put a new verdict on a grader, as it stands in `snapshot`, in the place of what was said about it."""
    path = snapshot.path
    if path is None:
        return
    inline = server.results.inline
    inline.follow(path, (server.documents.get(snapshot.uri) or snapshot).text.lines)
    dropped = inline.drop_in(path, snapshot.text.lines, site.span)
    inline.add(path, snapshot.text.lines, said)
    if dropped or said:
        tell(server, {path})


def _is_valid(server: "WazaServer", snapshot: Snapshot, site: GraderSite) -> bool:
    return not any(
        it.finding.severity is Severity.ERROR and site.span.contains(it.span.start)
        for it in findings(snapshot, server.world(snapshot))
    )


def _said(snapshot: Snapshot, site: GraderSite, answer: dict[str, Any]) -> list[Said]:
    trials: list[dict[str, Any]] = answer.get("trials", [])
    if not trials:
        return []
    eval_path = Path(answer["eval"])
    by_task: dict[str, list[dict[str, Any]]] = {}
    for it in trials:
        by_task.setdefault(it["task"], []).append(it["outcome"])
    own = {it.id: it.range for it in runnables_in(snapshot) if it.kind == "task"}
    said = [
        one
        for task, outcomes in by_task.items()
        for one in said_of(
            snapshot,
            failed_checks([[it] for it in outcomes]),
            eval_path,
            task,
            own.get(task),
            cover=site.span,
        )
    ]
    return said or _passed(snapshot, site, eval_path, len(trials))


def _passed(snapshot: Snapshot, site: GraderSite, eval_path: Path, count: int) -> list[Said]:
    span = short_span(snapshot, (*site.pointer, "type"), len(site.pointer))
    what = "what was recorded" if count == 1 else f"all {count} recorded trials"
    message = f"Passes on {what}"
    return [Said(span, message, LIVE_VERDICT, eval_path, cover=site.span)] if span is not None else []
