"""Live grading: after an edit inside a grader, what was recorded is graded again, in a worker process.

The request loop only asks and listens. A grader whose text has findings of its own gets no verdict; an answer to a
text that has changed meanwhile is carried to the text as it is now, where what was touched is gone.
"""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waza_engine.findings import Pointer, Severity
from waza_lsp.features.diagnostics import findings
from waza_lsp.schema.failed_checks import failed_checks
from waza_lsp.schema.grader_sites import GraderSite, grader_sites
from waza_lsp.server.covered import runnables_in
from waza_lsp.server.inline_results import LIVE_VERDICT, Said, said_of, short_span
from waza_lsp.server.results import tell
from waza_lsp.server.worker import Worker, WorkerError
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.carry import Change, change_between
from waza_lsp.syntax.text import Span

if TYPE_CHECKING:
    from waza_lsp.server.app import WazaServer

_PAUSE_SECONDS = 0.03
"""How long to wait for the next key before grading."""
_LIMIT_SECONDS = 5.0


def _new_worker() -> Worker:
    return Worker("waza_lsp.server.live_worker", _LIMIT_SECONDS)


@dataclass(slots=True)
class LiveGrading:
    """Which graders have to be graded again, by document."""

    worker: Worker = field(default_factory=_new_worker)
    _wanted: dict[str, set[Pointer]] = field(default_factory=dict)
    _working: asyncio.Task[None] | None = None
    _warming: asyncio.Task[None] | None = None

    def recordings_found(self, server: "WazaServer", snapshot: Snapshot) -> None:
        """Something open can be graded: have the worker ready before the first edit."""
        if not server.settings.live_enable or self._warming is not None:
            return
        if snapshot.path is None or snapshot.form is None:
            return
        sites = grader_sites(snapshot.form, snapshot.tree)
        if sites:
            question = _question(server, snapshot, snapshot.path, sites[0])
            self._warming = asyncio.get_running_loop().create_task(self.worker.warm_up(question))

    def changed(self, server: "WazaServer", before: Snapshot, after: Snapshot) -> None:
        """A document was edited: its graders that the edit touched are to be graded again."""
        if not server.settings.live_enable or after.path is None or after.form is None:
            return
        eval_path = server.results.eval_of(after)
        change = change_between(before.text.lines, after.text.lines)
        if change is None or eval_path is None or not server.results.is_recorded(eval_path):
            return
        touched = {it.pointer for it in grader_sites(after.form, after.tree) if _is_touched(it.span, change)}
        if touched:
            self._wanted.setdefault(after.uri, set()).update(touched)
            if self._working is None or self._working.done():
                self._working = asyncio.get_running_loop().create_task(self._work(server))

    def end(self) -> None:
        """The server ends: so does the worker."""
        self.worker.end()

    async def _work(self, server: "WazaServer") -> None:
        while self._wanted:
            await asyncio.sleep(_PAUSE_SECONDS)
            uri, pointers = self._wanted.popitem()
            snapshot = server.documents.get(uri)
            if snapshot is None or snapshot.form is None:
                continue
            for site in grader_sites(snapshot.form, snapshot.tree):
                if site.pointer in pointers:
                    await self._grade(server, snapshot, site)

    async def _grade(self, server: "WazaServer", snapshot: Snapshot, site: GraderSite) -> None:
        path = snapshot.path
        if path is None:
            return
        said: list[Said] = []
        if _is_valid(server, snapshot, site):
            try:
                said = _said(snapshot, site, await self.worker.ask(_question(server, snapshot, path, site)))
            except WorkerError as error:
                server.log(f"Live grading of {path} was given up: {error}")
        replace_said(server, snapshot, site, said)


def replace_said(server: "WazaServer", snapshot: Snapshot, site: GraderSite, said: list[Said]) -> None:
    """Put a new verdict on a grader, as it stands in `snapshot`, in the place of what was said about it."""
    path = snapshot.path
    if path is None:
        return
    inline = server.results.inline
    now = server.documents.get(snapshot.uri)
    touched = inline.drop_in(path, snapshot.text.lines, site.span)
    inline.add(path, snapshot.text.lines, said)
    if now is not None:
        inline.follow(path, now.text.lines)
    if touched or said:
        tell(server, {path})


def _is_touched(span: Span, change: Change) -> bool:
    """Whether an edit was on the lines of a grader."""
    return span.start.line <= change.new_end.line and change.start.line <= span.end.line


def _is_valid(server: "WazaServer", snapshot: Snapshot, site: GraderSite) -> bool:
    return not any(
        it.finding.severity is Severity.ERROR and site.span.contains(it.span.start)
        for it in findings(snapshot, server.world(snapshot))
    )


def _question(server: "WazaServer", snapshot: Snapshot, path: Path, site: GraderSite) -> dict[str, Any]:
    around = [it for it in runnables_in(snapshot) if site.pointer[: len(it.pointer)] == it.pointer]
    task = next((it.id for it in reversed(around) if it.kind == "task"), "")
    open_texts = {str(it.path): str(it.text) for it in server.documents if it.path and it.form}
    return {
        "path": str(path),
        "pointer": list(site.pointer),
        "task": task,
        "texts": {**open_texts, str(path): str(snapshot.text)},
        "processDir": str(server.process_dir(path)),
        "ranHere": [str(it) for it in server.results.ran_here] if server.trusted else [],
    }


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
