"""The ledger of results: the last verdict of every runnable, for lenses, the test view and annotations.

Results come from the events of our own runs at once, and from the run store for all others: earlier runs, other
windows, the command line. The store and the files are read in threads; no request waits for them.
"""

import asyncio
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from waza_engine.lib.queries.disk import Stamp
from waza_engine.lib.queries.store import made_of
from waza_lsp.runnables.commands import RunStatus, Verdict
from waza_lsp.runnables.forecast import Forecast
from waza_lsp.runnables.hidden import shown_runnables, without_errors
from waza_lsp.runnables.runnables import FILE_KINDS
from waza_lsp.server.documents import Documents
from waza_lsp.server.events import (
    Bus,
    DocumentOpened,
    HintsChanged,
    LensesChanged,
    LiveVerdictsChanged,
    RecordingsKnown,
    StoreRead,
    VerdictsChanged,
)
from waza_lsp.server.results.annotations import NO_LIVE_VERDICTS, Annotations, LiveVerdicts
from waza_lsp.server.results.coverage import (
    NO_COVERAGE,
    Coverage,
    CurrentText,
    coverage_of_eval,
    coverage_of_task,
)
from waza_lsp.server.results.flaky import FlakyFindings
from waza_lsp.server.results.live_status import (
    combined_verdict,
    live_status,
    live_status_of_eval,
    live_statuses,
    status_of_experiment,
)
from waza_lsp.server.results.owner import NO_OWNER, Owner, find_owner
from waza_lsp.server.results.reader import LastResult, LastResults, read_last_results
from waza_lsp.server.results.task_result import TaskResult, merged
from waza_lsp.server.transport.client import Client
from waza_lsp.snapshot import Snapshot

if TYPE_CHECKING:
    from waza_engine.runs.history import TaskCost

_Key = tuple[Path, str]
_MOST_SCORES = 8


class ResultLedger:
    """Verdicts by eval and task id. The store is read for the first time once the server has started."""

    def __init__(self, documents: Documents, annotations: Annotations, client: Client, bus: Bus) -> None:
        self.run_here: set[Path] = set()
        """The evals that the user has run since the start. Only their graders may execute programs unasked."""
        self._documents = documents
        self._annotations = annotations
        self._client = client
        self._states: dict[Path, object] = {}
        """Another object after each change of an eval's results."""
        self._bus = bus
        bus.listen(DocumentOpened, self._document_opened)
        self._owners: dict[Path, Owner] = {}
        self._tasks: dict[_Key, TaskResult] = {}
        self._covered: dict[Path, Coverage] = {}
        self._live: dict[Path, LiveVerdicts] = {}
        """The live verdicts that the client's lenses show."""
        self._running: dict[_Key, str] = {}
        self._recorded: dict[Path, frozenset[str]] = {}
        self._metrics: dict[Path, Mapping[str, float]] = {}
        self._cancelled: dict[_Key, Verdict] = {}
        """Tasks whose last run was cancelled before it had a result."""
        self._costs: dict[Path, Mapping[str, TaskCost]] = {}
        """What tasks cost in earlier runs."""
        self._seen: dict[Path, Sequence[tuple[int, int]]] = {}
        self._cleared: dict[_Key, tuple[int, float]] = {}
        """The last run of a task when its results were cleared, and when that was."""
        self._read: dict[Path, tuple[Stamp, ...]] = {}
        self._reading: dict[Path, asyncio.Task[None]] = {}
        self._reported: set[str] = set()
        self._flaky = FlakyFindings(annotations)

    def standings(self, snapshot: Snapshot) -> dict[tuple[str, str], RunStatus]:
        """The status of each runnable of a document, by kind and id. Reads changes in the background."""
        readable = snapshot if snapshot.form is not None else without_errors(snapshot) or snapshot
        self.read_again(readable)
        eval_path = self.eval_of(readable)
        if eval_path is None:
            return {}
        live = self._current_live(eval_path)
        return made_of(
            snapshot.memory,
            "standings",
            self.state_of(eval_path),
            lambda: self._standings(eval_path, snapshot, live),
        )

    def _standings(
        self, eval_path: Path, snapshot: Snapshot, live: LiveVerdicts
    ) -> dict[tuple[str, str], RunStatus]:
        graded = frozenset(live.covers.get(snapshot.path or Path(), ()))
        return {
            (it.kind, it.id): self._standing(eval_path, CurrentText(snapshot, it, graded), live)
            for it in shown_runnables(snapshot)
        }

    def live_changed(self, eval_path: Path | None) -> None:
        """Tell the client the live verdicts of graders that were graded again."""
        if eval_path is None:
            return
        before = self._live.get(eval_path, NO_LIVE_VERDICTS)
        live = self._current_live(eval_path)
        if not live.is_shown_as(before):
            self._bus.publish(LensesChanged())
            self._bus.publish(HintsChanged())
        statuses = live_statuses(self._verdicts(eval_path), live)
        self._bus.publish(LiveVerdictsChanged(eval_path, statuses))

    def _current_live(self, eval_path: Path) -> LiveVerdicts:
        live = self._annotations.live(eval_path)
        if live != self._live.get(eval_path):
            self._live[eval_path] = live
            self._states[eval_path] = object()
        return live

    def state_of(self, eval_path: Path) -> object:
        """Return an object that is another one after each change of an eval's results."""
        return self._states.setdefault(eval_path, object())

    def verdict_of(self, eval_path: Path, task: str) -> Verdict | None:
        """The last verdict of a task."""
        known = self._tasks.get((eval_path, task))
        return known.verdict if known else None

    def is_stale(self, eval_path: Path, task: str, digest: str, path: Path | None) -> bool:
        """Whether a task's verdict is about another text than the one in this file with this digest."""
        known = self._tasks.get((eval_path, task))
        if known is None or known.covered.whole == digest:
            return False
        if known.covered.whole or path is None or self._documents.of_path(path) is not None:
            return True
        # Files that are not open are not read for this: a suite may have thousands.
        try:
            return path.stat().st_mtime > known.verdict.at
        except OSError:
            return True

    def metrics_of(self, eval_path: Path) -> Mapping[str, float]:
        """The last values of an eval's metrics that were measured."""
        return self._metrics.get(eval_path, {})

    def seen_trials_of(self, eval_path: Path) -> Sequence[tuple[int, int]]:
        """The passes and trials of each task of an eval under its present conditions."""
        return self._seen.get(eval_path, ())

    def forecast(self, eval_path: Path, tasks: Collection[str] = (), trials: int = 0) -> Forecast | None:
        """What a run of these tasks, or of all, will probably cost; None if no earlier run spent tokens."""
        known = self._costs.get(eval_path, {})
        return Forecast.of([known[it] for it in tasks or known if it in known], trials)

    def verdict_of_eval(self, eval_path: Path) -> Verdict | None:
        """The combined last verdicts of an eval's tasks."""
        return combined_verdict([*self._verdicts(eval_path).values()], stale=False)

    def eval_of(self, snapshot: Snapshot) -> Path | None:
        """The eval that a document belongs to, if it is known by now."""
        if snapshot.form is None or snapshot.path is None:
            return None
        owner = self._owners.get(snapshot.path, NO_OWNER).eval_path
        return snapshot.path if snapshot.form.runnable in FILE_KINDS else owner

    def documents_of(self, eval_path: Path) -> list[Snapshot]:
        """The open documents that belong to an eval."""
        return [it for it in self._documents if self.eval_of(it) == eval_path]

    def failed_tasks(self, eval_path: Path) -> list[str]:
        """The tasks that failed in their last result. Those that could not be judged have not."""
        return [
            task
            for (path, task), result in self._tasks.items()
            if path == eval_path
            and result.verdict.status in {"failed", "error"}
            and not result.verdict.infrastructure
        ]

    def is_recorded(self, eval_path: Path, task: str = "") -> bool:
        """Whether a task has a recording; without a task, whether any task has."""
        recorded = self._recorded.get(eval_path, frozenset())
        return task in recorded if task else bool(recorded)

    def knows_recordings(self, snapshot: Snapshot) -> bool:
        """Whether the recordings of a document's eval were read, or the document has no eval."""
        eval_path = self.eval_of(snapshot)
        if eval_path is None:
            return snapshot.path in self._owners or not (snapshot.form and snapshot.form.runnable)
        return eval_path in self._recorded

    def task_started(self, eval_path: Path, task: str, run_id: str) -> None:
        """Note that a run has begun a task."""
        self._states[eval_path] = object()
        self._running[eval_path, task] = run_id
        self._cancelled.pop((eval_path, task), None)
        self._bus.publish(LensesChanged())

    def task_ended(self, eval_path: Path, task: str) -> None:
        """Note that a run has ended a task, with or without a result."""
        self._states[eval_path] = object()
        self._running.pop((eval_path, task), None)
        self._bus.publish(LensesChanged())

    def task_cancelled(self, eval_path: Path, task: str, run_id: str) -> None:
        """Note that the last run of a task was cancelled before it had a result."""
        self._cancelled[eval_path, task] = Verdict(run_id, "cancelled", 0.0, time.time())
        self._states[eval_path] = object()

    def add(self, eval_path: Path, task: str, verdict: Verdict, texts: Mapping[Path, Snapshot]) -> None:
        """Store the verdict of a task. `texts` are the files as the run read them."""
        known = self._tasks.get((eval_path, task))
        before = known.verdict if known else None
        scores = (*(before.scores if before else ()), verdict.score)[-_MOST_SCORES:]
        # Grading a run again uses its reviews too, so only later reviews are news.
        is_same = known is not None and known.verdict.run_id == verdict.run_id
        self._tasks[eval_path, task] = TaskResult(
            replace(verdict, scores=scores),
            coverage_of_task(texts, task),
            reviews=known.reviews if known and is_same else "",
        )
        self._recorded[eval_path] = self._recorded.get(eval_path, frozenset()) | {task}
        self._covered[eval_path] = coverage_of_eval(texts, eval_path)
        self._states[eval_path] = object()

    def clear(self, path: Path | None, tasks: Collection[str]) -> None:
        """Remove the annotations of a file and the verdicts of its `tasks` until the next run; None: of all files."""
        self._states.clear()
        self._annotations.clear(lambda file, annotation: path is None or path in {file, annotation.eval_path})
        for key in [it for it in self._cancelled if path is None or path == it[0] or it[1] in tasks]:
            del self._cancelled[key]
        for key in list(self._tasks):
            eval_path, task = key
            is_of_file = (
                path is not None and self._owners.get(path, NO_OWNER).eval_path == eval_path and task in tasks
            )
            if path is None or path == eval_path or is_of_file:
                self._cleared[key] = (self._tasks.pop(key).order, time.time())
        self._bus.publish(LensesChanged())

    def forget(self, eval_path: Path, tasks: Collection[str]) -> None:
        """Remove the results of tasks that the suite no longer has."""
        gone = [(eval_path, it) for it in tasks if (eval_path, it) in self._tasks]
        for key in gone:
            self._cleared[key] = (self._tasks.pop(key).order, time.time())
        if gone:
            self._states[eval_path] = object()
            self._annotations.clear(lambda _, annotation: (annotation.eval_path, annotation.task) in gone)
            self._bus.publish(LensesChanged())

    def _document_opened(self, event: DocumentOpened) -> None:
        """Read the results of a document that was opened, and whether it has changed since."""
        snapshot = event.document
        if snapshot.path is not None and snapshot.form is not None:
            eval_path = self.eval_of(snapshot)
            self._read.pop(eval_path or Path(), None)
            if eval_path is None:
                self._owners.pop(snapshot.path, None)
            self.read_again(snapshot)

    async def find_evals(self, snapshots: Iterable[Snapshot]) -> None:
        """Find out which evals documents belong to, before a command uses the texts of one eval."""
        for snapshot in snapshots:
            if snapshot.form is not None and snapshot.form.runnable:
                await self._owner(snapshot)

    def read_again(self, snapshot: Snapshot) -> None:
        """Read in the background what is new in the store about a document's eval."""
        path = snapshot.path
        if path is not None and snapshot.form is not None and snapshot.form.runnable:
            known = self.eval_of(snapshot) or path
            if known not in self._reading:
                task = asyncio.get_running_loop().create_task(self._read_in(snapshot, known))
                self._reading[known] = task

    async def _read_in(self, snapshot: Snapshot, key: Path) -> None:
        try:
            await self._client.is_started.wait()
            eval_path = await self._owner(snapshot)
            if eval_path is not None:
                known = self._read.get(eval_path)
                paths = [it.path for it in self.documents_of(eval_path) if it.path]
                encoding = self._client.encoding
                found = await asyncio.to_thread(read_last_results, eval_path, known, paths, encoding)
                if found is not None:
                    self.merge(eval_path, found)
            # A reading is about an eval: of its open documents, only one asks.
            beside = self.documents_of(eval_path) if eval_path is not None else []
            for it in {snapshot.uri: snapshot, **{it.uri: it for it in beside}}.values():
                self._bus.publish(RecordingsKnown(it))
        finally:
            self._reading.pop(key, None)

    async def _owner(self, snapshot: Snapshot) -> Path | None:
        path, known = snapshot.path, self.eval_of(snapshot)
        if path is None or known == path:
            return known
        before = self._owners.get(path)
        if before is None or await asyncio.to_thread(before.is_outdated):
            owner = self._owners[path] = await asyncio.to_thread(find_owner, path)
            if owner.eval_path != known and (known or owner.eval_path) in self._recorded:
                # The lenses were answered for another eval, or for none.
                self._bus.publish(LensesChanged())
        return self._owners[path].eval_path

    def stamps_of(self, eval_path: Path) -> tuple[Stamp, ...] | None:
        """The state of the store when an eval's results were read last, if they were."""
        return self._read.get(eval_path)

    def merge(self, eval_path: Path, found: LastResults) -> None:
        """Add what was read in the store about an eval."""
        if found.stamps:
            self._read[eval_path] = found.stamps
        if found.problem and found.problem not in self._reported:
            self._reported.add(found.problem)
            self._client.log(found.problem, types.MessageType.Warning)
        shown = self._shown(eval_path)
        self._recorded[eval_path] = found.recorded
        self._metrics[eval_path] = found.metrics
        self._costs[eval_path] = {task: it.cost for task, it in found.tasks.items() if it.cost is not None}
        seen = tuple(it.seen for it in found.tasks.values() if it.seen[1])
        if seen != self.seen_trials_of(eval_path):
            self._seen[eval_path] = seen
            self._bus.publish(HintsChanged())
        before = self.verdict_of_eval(eval_path)
        self.forget(eval_path, found.gone)
        for task, result in found.tasks.items():
            self._merge_task(eval_path, task, result)
        self._flaky.show(eval_path, found.tasks)
        if found.tasks:
            newest = max(found.tasks.values(), key=lambda result: result.verdict.at)
            self._covered.setdefault(eval_path, coverage_of_eval(newest.texts, eval_path))
        self._states[eval_path] = object()
        # Not after every reading: the client answers with requests that read again.
        if shown != self._shown(eval_path):
            self._bus.publish(LensesChanged())
        if before != self.verdict_of_eval(eval_path):
            self._bus.publish(VerdictsChanged())
        if found.tasks:
            self._bus.publish(StoreRead())

    def _shown(self, eval_path: Path) -> tuple[object, ...]:
        """Everything that the lenses of an eval's files show."""
        tasks = {task: it for (path, task), it in self._tasks.items() if path == eval_path}
        return tasks, self._recorded.get(eval_path, frozenset()), self._covered.get(eval_path)

    def _merge_task(self, eval_path: Path, task: str, found: LastResult) -> None:
        key = eval_path, task
        if not found.is_later(*self._cleared.get(key, (0, 0.0))):
            return
        news = merged(self._tasks.get(key), found, task)
        if news is None:
            return
        self._tasks[key] = news.result
        if news.has_checks:
            cancelled = self._cancelled.get(key)
            if cancelled is not None and cancelled.at < found.verdict.at:
                del self._cancelled[key]
            self._annotations.show(eval_path, task, found.checks, found.texts)

    def _standing(self, eval_path: Path, now: CurrentText, live: LiveVerdicts) -> RunStatus:
        runnable = now.runnable
        if runnable.kind in FILE_KINDS:
            found = self._standing_of_all(eval_path, now, live)
            found = replace(found, forecast=self.forecast(eval_path))
            return found if runnable.kind == "eval" else status_of_experiment(found)
        key = eval_path, runnable.id
        known = self._tasks.get(key)
        found = RunStatus(
            forecast=self.forecast(eval_path, [runnable.id]) if runnable.kind == "task" else None,
            running=self._running.get(key, ""),
            is_recorded=self.is_recorded(*key) if runnable.kind == "task" else known is not None,
        )
        if key in self._cancelled:
            return replace(found, verdict=self._cancelled[key])
        if known is None:
            return found
        verdict, is_stale = known.verdict, now.is_stale(known.covered)
        if verdict.stale != is_stale:
            verdict = replace(verdict, stale=is_stale)
        is_edited = now.is_edited(known.covered)
        return replace(
            found, verdict=verdict, live=live_status(verdict, runnable.id, live, is_edited=is_edited)
        )

    def _verdicts(self, eval_path: Path) -> dict[str, Verdict]:
        return {task: it.verdict for (path, task), it in self._tasks.items() if path == eval_path}

    def _standing_of_all(self, eval_path: Path, now: CurrentText, live: LiveVerdicts) -> RunStatus:
        known, before = self._verdicts(eval_path), self._covered.get(eval_path, NO_COVERAGE)
        running = next((run for (path, _), run in self._running.items() if path == eval_path), "")
        failed = len(self.failed_tasks(eval_path))
        verdict = combined_verdict([*known.values()], stale=now.is_stale(before))
        cancelled = next((it for (path, _), it in self._cancelled.items() if path == eval_path), None)
        if cancelled is not None:
            if verdict is not None:
                cancelled = replace(cancelled, passed=verdict.passed, total=verdict.total)
            return RunStatus(cancelled, running, self.is_recorded(eval_path), failed)
        status = live_status_of_eval(known, live, is_edited=now.is_edited(before))
        return RunStatus(verdict, running, self.is_recorded(eval_path), failed, status)
