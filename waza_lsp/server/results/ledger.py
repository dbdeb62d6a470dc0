"""The ledger of results: the last verdict of every runnable, for lenses, the test view and annotations.

Results come from the events of our own runs at once, and from the run store for all others: earlier runs, other
windows, the command line. The store and the files are read in threads; no request waits for them.
"""

import asyncio
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

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
from waza_lsp.server.results.annotations.annotations import NO_LIVE_VERDICTS, Annotations, LiveVerdicts
from waza_lsp.server.results.coverage import coverage_of_eval
from waza_lsp.server.results.eval_results import EvalResults
from waza_lsp.server.results.flaky import FlakyFindings
from waza_lsp.server.results.live_status import live_statuses
from waza_lsp.server.results.owner import NO_OWNER, Owner, find_owner
from waza_lsp.server.results.reader import LastResults, read_last_results
from waza_lsp.server.transport.client import Client
from waza_lsp.snapshot import Snapshot

_NO_RESULTS = EvalResults()


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
        self._evals: dict[Path, EvalResults] = {}
        self._live: dict[Path, LiveVerdicts] = {}
        """The live verdicts that the client's lenses show."""
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
            lambda: self._known(eval_path).standings(snapshot, shown_runnables(snapshot), live),
        )

    def live_changed(self, eval_path: Path | None) -> None:
        """Tell the client the live verdicts of graders that were graded again."""
        if eval_path is None:
            return
        before = self._live.get(eval_path, NO_LIVE_VERDICTS)
        live = self._current_live(eval_path)
        if not live.is_shown_as(before):
            self._bus.publish(LensesChanged())
            self._bus.publish(HintsChanged())
        statuses = live_statuses(self._known(eval_path).verdicts(), live)
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

    def _known(self, eval_path: Path) -> EvalResults:
        """Return the results of an eval, to be read only: many evals have none."""
        return self._evals.get(eval_path, _NO_RESULTS)

    def _change(self, eval_path: Path) -> EvalResults:
        """Return the results of an eval to change them."""
        self._states[eval_path] = object()
        return self._evals.setdefault(eval_path, EvalResults())

    def verdict_of(self, eval_path: Path, task: str) -> Verdict | None:
        """The last verdict of a task."""
        known = self._known(eval_path).tasks.get(task)
        return known.verdict if known else None

    def is_stale(self, eval_path: Path, task: str, digest: str, path: Path | None) -> bool:
        """Whether a task's verdict is about another text than the one in this file with this digest."""
        known = self._known(eval_path).tasks.get(task)
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
        return self._known(eval_path).metrics

    def seen_trials_of(self, eval_path: Path) -> Sequence[tuple[int, int]]:
        """The passes and trials of each task of an eval under its present conditions."""
        return self._known(eval_path).seen

    def forecast(self, eval_path: Path, tasks: Collection[str] = (), trials: int = 0) -> Forecast | None:
        """What a run of these tasks, or of all, will probably cost; None if no earlier run spent tokens."""
        return self._known(eval_path).forecast(tasks, trials)

    def verdict_of_eval(self, eval_path: Path) -> Verdict | None:
        """The combined last verdicts of an eval's tasks."""
        return self._known(eval_path).verdict()

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
        return self._known(eval_path).failed_tasks()

    def is_recorded(self, eval_path: Path, task: str = "") -> bool:
        """Whether a task has a recording; without a task, whether any task has."""
        return self._known(eval_path).is_recorded(task)

    def knows_recordings(self, snapshot: Snapshot) -> bool:
        """Whether the recordings of a document's eval were read, or the document has no eval."""
        eval_path = self.eval_of(snapshot)
        if eval_path is None:
            return snapshot.path in self._owners or not (snapshot.form and snapshot.form.runnable)
        return self._known(eval_path).recorded is not None

    def task_started(self, eval_path: Path, task: str, run_id: str) -> None:
        """Note that a run has begun a task."""
        known = self._change(eval_path)
        known.running[task] = run_id
        known.cancelled.pop(task, None)
        self._bus.publish(LensesChanged())

    def task_ended(self, eval_path: Path, task: str) -> None:
        """Note that a run has ended a task, with or without a result."""
        self._change(eval_path).running.pop(task, None)
        self._bus.publish(LensesChanged())

    def task_cancelled(self, eval_path: Path, task: str, run_id: str) -> None:
        """Note that the last run of a task was cancelled before it had a result."""
        self._change(eval_path).cancelled[task] = Verdict(run_id, "cancelled", 0.0, time.time())

    def add(self, eval_path: Path, task: str, verdict: Verdict, texts: Mapping[Path, Snapshot]) -> None:
        """Store the verdict of a task. `texts` are the files as the run read them."""
        known = self._change(eval_path)
        known.add(task, verdict, texts)
        known.covered = coverage_of_eval(texts, eval_path)

    def clear(self, path: Path | None, tasks: Collection[str]) -> None:
        """Remove the annotations of a file and the verdicts of its `tasks` until the next run; None: of all files."""
        self._states.clear()
        self._annotations.clear(lambda file, annotation: path is None or path in {file, annotation.eval_path})
        for eval_path, known in self._evals.items():
            is_whole = path is None or path == eval_path
            is_owned = path is not None and self._owners.get(path, NO_OWNER).eval_path == eval_path
            known.clear([*known.tasks] if is_whole else tasks if is_owned else ())
            known.cancelled = (
                {} if is_whole else {k: it for k, it in known.cancelled.items() if k not in tasks}
            )
        self._bus.publish(LensesChanged())

    def forget(self, eval_path: Path, tasks: Collection[str]) -> None:
        """Remove the results of tasks that the suite no longer has."""
        if gone := self._known(eval_path).clear(tasks):
            self._states[eval_path] = object()
            self._annotations.clear(
                lambda _, annotation: annotation.eval_path == eval_path and annotation.task in gone
            )
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
            at = known or owner.eval_path
            if owner.eval_path != known and at is not None and self._known(at).recorded is not None:
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
        known = self._change(eval_path)
        shown, before = known.shown(), known.verdict()
        known.recorded, known.metrics = found.recorded, found.metrics
        known.costs = {task: it.cost for task, it in found.tasks.items() if it.cost is not None}
        seen = tuple(it.seen for it in found.tasks.values() if it.seen[1])
        if seen != known.seen:
            known.seen = seen
            self._bus.publish(HintsChanged())
        self.forget(eval_path, found.gone)
        news = {task: it for task, it in found.tasks.items() if known.merge_task(task, it)}
        self._annotations.show_all(eval_path, {task: (it.checks, it.texts) for task, it in news.items()})
        self._flaky.show(eval_path, found.tasks)
        if found.tasks:
            newest = max(found.tasks.values(), key=lambda result: result.verdict.at)
            known.covered = known.covered or coverage_of_eval(newest.texts, eval_path)
        self._states[eval_path] = object()
        # Not after every reading: the client answers with requests that read again.
        if shown != known.shown():
            self._bus.publish(LensesChanged())
        if before != known.verdict():
            self._bus.publish(VerdictsChanged())
        if found.tasks:
            self._bus.publish(StoreRead())
