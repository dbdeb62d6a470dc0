"""The ledger of results: the last verdict of every runnable, for lenses, the test view and annotations.

Results come from the events of our own runs at once, and from the run store for all others: earlier runs, other
windows, the command line. The store and the files are read in threads; no request waits for them.
"""

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from waza_engine.lib.files.read_tracking import Stamp, stamp, track_reads
from waza_lsp.runnables.commands import RunStatus, Verdict
from waza_lsp.runnables.hidden import shown_runnables, without_errors
from waza_lsp.runnables.runnables import FILE_KINDS, PART_KINDS, Runnable, runnables_in, text_digest
from waza_lsp.server.documents import Documents
from waza_lsp.server.results.annotations import Annotations
from waza_lsp.server.results.reader import LastResult, LastResults, read_last_results
from waza_lsp.server.transport.client import Client
from waza_lsp.snapshot import Snapshot

_Key = tuple[Path, str]
_MOST_SCORES = 8


@dataclass(frozen=True, slots=True)
class LedgerEvents:
    """What the ledger calls when something has changed. `build` connects it to the other parts."""

    results_changed: Callable[[], None]
    """Lenses show other results now."""
    verdict_changed: Callable[[], None]
    """The verdict of an eval changed, and with it the test view."""
    recordings_known: Callable[[Snapshot], None]
    """The recordings of a document's eval were read."""
    store_read: Callable[[], None]
    """Reading the store left garbage behind."""


class _Owner(NamedTuple):
    """The eval that a file belongs to, and the state of all files that this depends on."""

    eval_path: Path | None
    read: Mapping[Path, Stamp]

    def is_outdated(self) -> bool:
        """Whether a file has changed since. Runs in a thread."""
        return any(stamp(path) != it for path, it in self.read.items())


_NO_OWNER = _Owner(None, {})


def _find_owner(path: Path) -> _Owner:
    """Find the eval of a file on disk. Runs in a thread."""
    # Imported late: it reads YAML.
    from waza_engine.project.suite_files import eval_of

    with track_reads() as reads:
        found = eval_of(path)
    return _Owner(found, {it: stamp(it) for it in reads.paths})


@dataclass(frozen=True, slots=True)
class TaskResult:
    """A task's verdict with the digest of the text that it covers; "" if that text is no longer known."""

    verdict: Verdict
    covered: str = ""
    order: int = 0
    """Greater for later runs in the store; 0 if the run was not read from the store yet."""
    reviews: str = ""
    """As `LastResult.reviews`, as far as they were read."""


class ResultLedger:
    """Verdicts by eval and task id. `started` is awaited before the store is read for the first time."""

    def __init__(
        self,
        documents: Documents,
        annotations: Annotations,
        client: Client,
        started: asyncio.Event,
        on_change: LedgerEvents,
    ) -> None:
        self.run_here: set[Path] = set()
        """The evals that the user has run since the start. Only their graders may execute programs unasked."""
        self._documents = documents
        self._annotations = annotations
        self._client = client
        self._started = started
        self._on_change = on_change
        self._owners: dict[Path, _Owner] = {}
        self._tasks: dict[_Key, TaskResult] = {}
        self._covered: dict[Path, str] = {}
        self._running: dict[_Key, str] = {}
        self._recorded: dict[Path, frozenset[str]] = {}
        self._metrics: dict[Path, Mapping[str, float]] = {}
        self._cleared: dict[_Key, tuple[int, float]] = {}
        """The last run of a task when its results were cleared, and when that was."""
        self._read: dict[Path, tuple[Stamp, ...]] = {}
        self._reading: dict[Path, asyncio.Task[None]] = {}
        self._reported: set[str] = set()

    def standings(self, snapshot: Snapshot) -> dict[tuple[str, str], RunStatus]:
        """The status of each runnable of a document, by kind and id. Reads changes in the background."""
        readable = snapshot if snapshot.form is not None else without_errors(snapshot) or snapshot
        self.read_again(readable)
        eval_path = self.eval_of(readable)
        if eval_path is None:
            return {}
        return {(it.kind, it.id): self._standing(eval_path, it, snapshot) for it in shown_runnables(snapshot)}

    def verdict_of(self, eval_path: Path, task: str) -> Verdict | None:
        """The last verdict of a task."""
        known = self._tasks.get((eval_path, task))
        return known.verdict if known else None

    def is_stale(self, eval_path: Path, task: str, digest: str, path: Path | None) -> bool:
        """Whether a task's verdict is about another text than the one in this file with this digest."""
        known = self._tasks.get((eval_path, task))
        if known is None or known.covered == digest:
            return False
        if known.covered or path is None or self._documents.of_path(path) is not None:
            return True
        # Files that are not open are not read for this: a suite may have thousands.
        try:
            return path.stat().st_mtime > known.verdict.at
        except OSError:
            return True

    def metrics_of(self, eval_path: Path) -> Mapping[str, float]:
        """The last values of an eval's metrics that were measured."""
        return self._metrics.get(eval_path, {})

    def verdict_of_eval(self, eval_path: Path) -> Verdict | None:
        """The combined last verdicts of an eval's tasks."""
        known = [it.verdict for (path, _), it in self._tasks.items() if path == eval_path]
        return _combine(known, stale=False)

    def eval_of(self, snapshot: Snapshot) -> Path | None:
        """The eval that a document belongs to, if it is known by now."""
        if snapshot.form is None or snapshot.path is None:
            return None
        owner = self._owners.get(snapshot.path, _NO_OWNER).eval_path
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
        self._running[eval_path, task] = run_id
        self._on_change.results_changed()

    def task_ended(self, eval_path: Path, task: str) -> None:
        """Note that a run has ended a task, with or without a result."""
        self._running.pop((eval_path, task), None)
        self._on_change.results_changed()

    def add(self, eval_path: Path, task: str, verdict: Verdict, texts: Mapping[Path, Snapshot]) -> None:
        """Store the verdict of a task. `texts` are the files as the run read them."""
        known = self._tasks.get((eval_path, task))
        before = known.verdict if known else None
        scores = (*(before.scores if before else ()), verdict.score)[-_MOST_SCORES:]
        # Grading a run again uses its reviews too, so only later reviews are news.
        is_same = known is not None and known.verdict.run_id == verdict.run_id
        self._tasks[eval_path, task] = TaskResult(
            replace(verdict, scores=scores),
            _digest_of_task(texts, task),
            reviews=known.reviews if known and is_same else "",
        )
        self._recorded[eval_path] = self._recorded.get(eval_path, frozenset()) | {task}
        self._covered[eval_path] = _digest_of_eval(texts, eval_path)

    def clear(self, path: Path | None, tasks: Collection[str]) -> None:
        """Remove the annotations of a file and the verdicts of its `tasks` until the next run; None: of all files."""
        self._annotations.clear(lambda file, annotation: path is None or path in {file, annotation.eval_path})
        for key in list(self._tasks):
            eval_path, task = key
            is_of_file = (
                path is not None
                and self._owners.get(path, _NO_OWNER).eval_path == eval_path
                and task in tasks
            )
            if path is None or path == eval_path or is_of_file:
                self._cleared[key] = (self._tasks.pop(key).order, time.time())
        self._on_change.results_changed()

    def forget(self, eval_path: Path, tasks: Collection[str]) -> None:
        """Remove the results of tasks that the suite no longer has."""
        gone = [(eval_path, it) for it in tasks if (eval_path, it) in self._tasks]
        for key in gone:
            self._cleared[key] = (self._tasks.pop(key).order, time.time())
        if gone:
            self._annotations.clear(lambda _, annotation: (annotation.eval_path, annotation.task) in gone)
            self._on_change.results_changed()

    def document_opened(self, snapshot: Snapshot) -> None:
        """Read the results of a document that was opened, and whether it has changed since."""
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
            await self._started.wait()
            eval_path = await self._owner(snapshot)
            if eval_path is not None:
                known = self._read.get(eval_path)
                paths = [it.path for it in self.documents_of(eval_path) if it.path]
                encoding = self._client.encoding
                found = await asyncio.to_thread(read_last_results, eval_path, known, paths, encoding)
                if found is not None:
                    self._merge(eval_path, found)
                    self._on_change.store_read()
            self._on_change.recordings_known(snapshot)
        finally:
            self._reading.pop(key, None)

    async def _owner(self, snapshot: Snapshot) -> Path | None:
        path, known = snapshot.path, self.eval_of(snapshot)
        if path is None or known == path:
            return known
        before = self._owners.get(path)
        if before is None or await asyncio.to_thread(before.is_outdated):
            owner = self._owners[path] = await asyncio.to_thread(_find_owner, path)
            if owner.eval_path != known and (known or owner.eval_path) in self._recorded:
                # The lenses were answered for another eval, or for none.
                self._on_change.results_changed()
        return self._owners[path].eval_path

    def _merge(self, eval_path: Path, found: LastResults) -> None:
        if found.stamps:
            self._read[eval_path] = found.stamps
        if found.problem and found.problem not in self._reported:
            self._reported.add(found.problem)
            self._client.log(found.problem, types.MessageType.Warning)
        shown = self._shown(eval_path)
        self._recorded[eval_path] = found.recorded
        self._metrics[eval_path] = found.metrics
        before = self.verdict_of_eval(eval_path)
        self.forget(eval_path, found.gone)
        for task, result in found.tasks.items():
            self._merge_task(eval_path, task, result)
        if found.tasks:
            newest = max(found.tasks.values(), key=lambda result: result.verdict.at)
            self._covered.setdefault(eval_path, _digest_of_eval(newest.texts, eval_path))
        # Not after every reading: the client answers with requests that read again.
        if shown != self._shown(eval_path):
            self._on_change.results_changed()
        if before != self.verdict_of_eval(eval_path):
            self._on_change.verdict_changed()

    def _shown(self, eval_path: Path) -> tuple[object, ...]:
        """Everything that the lenses of an eval's files show."""
        tasks = {task: it for (path, task), it in self._tasks.items() if path == eval_path}
        return tasks, self._recorded.get(eval_path, frozenset()), self._covered.get(eval_path)

    def _merge_task(self, eval_path: Path, task: str, found: LastResult) -> None:
        known = self._tasks.get((eval_path, task))
        if not _is_later(found, *self._cleared.get((eval_path, task), (0, 0.0))):
            return
        is_same = known is not None and known.verdict.run_id == found.verdict.run_id
        if known is not None and not is_same and not _is_later(found, known.order, known.verdict.at):
            return
        covered = _digest_of_task(found.texts, task)
        if known is not None and is_same:
            covered = known.covered or covered
            if known.reviews == found.reviews:
                # Our result came with the events. The store adds what events do not have. Later gradings stay.
                verdict = replace(known.verdict, tokens=found.verdict.tokens)
                self._tasks[eval_path, task] = TaskResult(verdict, covered, found.order, found.reviews)
                return
        self._tasks[eval_path, task] = TaskResult(found.verdict, covered, found.order, found.reviews)
        self._annotations.show(eval_path, task, found.checks, found.texts)

    def _standing(self, eval_path: Path, runnable: Runnable, snapshot: Snapshot) -> RunStatus:
        digest = text_digest(snapshot, runnable)
        if runnable.kind in FILE_KINDS:
            found = self._standing_of_all(eval_path, digest)
            return found if runnable.kind == "eval" else _of_experiment(found)
        known = self._tasks.get((eval_path, runnable.id))
        return RunStatus(
            replace(known.verdict, stale=known.covered != digest) if known else None,
            self._running.get((eval_path, runnable.id), ""),
            self.is_recorded(eval_path, runnable.id) if runnable.kind == "task" else known is not None,
        )

    def _standing_of_all(self, eval_path: Path, digest: str) -> RunStatus:
        known = [it.verdict for (path, _), it in self._tasks.items() if path == eval_path]
        running = next((run for (path, _), run in self._running.items() if path == eval_path), "")
        failed = len(self.failed_tasks(eval_path))
        stale = self._covered.get(eval_path) != digest
        return RunStatus(_combine(known, stale=stale), running, self.is_recorded(eval_path), failed)


def verdict_of_experiment(verdict: Verdict | None) -> Verdict | None:
    """The combined verdict of all arms, under the run's id without the arm number."""
    return replace(verdict, run_id=verdict.run_id.rpartition("-")[0]) if verdict is not None else None


def _is_later(found: LastResult, order: int, at: float) -> bool:
    """Whether a run is later than another one. The clock decides only if the store does not know the other one."""
    return found.order > order if order else found.verdict.at > at


def _of_experiment(known: RunStatus) -> RunStatus:
    """The status of an experiment: the runs of its arms can be graded again, not recordings in files."""
    verdict = verdict_of_experiment(known.verdict)
    return replace(known, verdict=verdict, is_recorded=known.verdict is not None)


def _digest_of_task(texts: Mapping[Path, Snapshot], task: str) -> str:
    """The digest of a task's text, whichever file it is in."""
    for snapshot in texts.values():
        for runnable in runnables_in(snapshot):
            if runnable.kind in PART_KINDS and runnable.id == task:
                return text_digest(snapshot, runnable)
    return ""


def _digest_of_eval(texts: Mapping[Path, Snapshot], eval_path: Path) -> str:
    """The digest of an eval's text; "" if that is not known."""
    snapshot = texts.get(eval_path)
    if snapshot is None:
        return ""
    return next((text_digest(snapshot, it) for it in runnables_in(snapshot) if it.kind in FILE_KINDS), "")


def _combine(verdicts: Sequence[Verdict], *, stale: bool) -> Verdict | None:
    """The verdict of an eval, from the verdicts of its tasks."""
    if not verdicts:
        return None
    newest = max(verdicts, key=lambda verdict: verdict.at)
    statuses = {it.status for it in verdicts if not it.infrastructure}
    status = next((it for it in ("error", "failed", "passed") if it in statuses), newest.status)
    is_open = not statuses & {"error", "failed"} and any(it.infrastructure for it in verdicts)
    counted = [it.tokens for it in verdicts]
    return Verdict(
        run_id=newest.run_id,
        status="error" if is_open else status,
        score=sum(it.score for it in verdicts) / len(verdicts),
        at=newest.at,
        tokens=None if None in counted else sum(it or 0 for it in counted),
        stale=stale,
        passed=sum(it.status == "passed" for it in verdicts),
        total=len(verdicts),
        infrastructure=is_open,
    )
