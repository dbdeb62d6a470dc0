"""The results ledger: what the last runs said about every runnable, for lenses, the test view and the text.

Results come from the events of our own runs at once, and from the run store for all others: earlier ones, those of
another window, those of the command line. Store and files are read in threads; nobody waits for them.
"""

import asyncio
import hashlib
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from waza_engine.noted_reads import Stamp
from waza_lsp.schema.runnables import PARTS, WHOLES, Runnable
from waza_lsp.schema.standing import Standing, Verdict
from waza_lsp.server.results.annotations import InlineResults, show, tell
from waza_lsp.server.results.reader import LastResult, LastResults, read_last_results
from waza_lsp.snapshot import Snapshot
from waza_lsp.suite.in_document import runnables_in

if TYPE_CHECKING:
    from waza_lsp.server.session import WazaServer


def covered_text(snapshot: Snapshot, runnable: Runnable) -> str:
    """What tells one text of a runnable from another."""
    text = snapshot.text.slice(runnable.range)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def digest_of_task(texts: Mapping[Path, Snapshot], task: str) -> str:
    """The digest of a task's text, in whichever of the files it stands."""
    for snapshot in texts.values():
        for it in runnables_in(snapshot):
            if it.kind in PARTS and it.id == task:
                return covered_text(snapshot, it)
    return ""


def digest_of_eval(texts: Mapping[Path, Snapshot], eval_path: Path) -> str:
    """The digest of an eval's text; empty when that is not known."""
    snapshot = texts.get(eval_path)
    found = [it for it in runnables_in(snapshot) if it.kind in WHOLES] if snapshot is not None else []
    return covered_text(snapshot, found[0]) if found and snapshot is not None else ""


def together(verdicts: Sequence[Verdict], *, stale: bool) -> Verdict | None:
    """The verdict of an eval: that of its tasks taken together."""
    if not verdicts:
        return None
    newest = max(verdicts, key=lambda it: it.at)
    statuses = {it.status for it in verdicts}
    status = next((it for it in ("error", "failed", "passed") if it in statuses), newest.status)
    counted = [it.tokens for it in verdicts]
    return Verdict(
        run_id=newest.run_id,
        status=status,
        score=sum(it.score for it in verdicts) / len(verdicts),
        at=newest.at,
        tokens=None if None in counted else sum(it or 0 for it in counted),
        stale=stale,
        passed=sum(it.status == "passed" for it in verdicts),
        total=len(verdicts),
    )


_Key = tuple[Path, str]
_SHOWN_SCORES = 8


@dataclass(frozen=True, slots=True)
class TaskResult:
    """A task's verdict with the digest of the text it was about; "" when that text is not known any more."""

    verdict: Verdict
    covered: str = ""
    order: int = 0
    """Greater for later runs of the store; 0 when it was not read there yet."""
    reviews: str = ""
    """As those of `LastResult`: what people have said of the run, as far as it was read."""


@dataclass(slots=True)
class Results:
    """What is known, by eval and task id."""

    inline: InlineResults = field(default_factory=InlineResults)
    ran_here: set[Path] = field(default_factory=set)
    """The evals that the user has run since the server was started: only their graders may execute unasked."""
    _owners: dict[Path, Path | None] = field(default_factory=dict)
    _tasks: dict[_Key, TaskResult] = field(default_factory=dict)
    _covered: dict[Path, str] = field(default_factory=dict)
    _running: dict[_Key, str] = field(default_factory=dict)
    _recorded: dict[Path, frozenset[str]] = field(default_factory=dict)
    _metrics: dict[Path, Mapping[str, float]] = field(default_factory=dict)
    _cleared: dict[_Key, tuple[int, float]] = field(default_factory=dict)
    """What was the last run of a task when its results were taken back, and when that was."""
    _read: dict[Path, tuple[Stamp, ...]] = field(default_factory=dict)
    _reading: dict[Path, asyncio.Task[None]] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)

    def standings(self, server: "WazaServer", snapshot: Snapshot) -> dict[tuple[str, str], Standing]:
        """How the runnables of a document stand, by kind and id; reads what has changed in the background."""
        self.look_again(server, snapshot)
        eval_path = self.eval_of(snapshot)
        if eval_path is None:
            return {}
        return {(it.kind, it.id): self._standing(eval_path, it, snapshot) for it in runnables_in(snapshot)}

    def verdict_of(self, eval_path: Path, task: str) -> Verdict | None:
        """The last verdict of a task."""
        known = self._tasks.get((eval_path, task))
        return known.verdict if known else None

    def metrics_of(self, eval_path: Path) -> Mapping[str, float]:
        """The last values of an eval's metrics, as far as they were measured."""
        return self._metrics.get(eval_path, {})

    def verdict_of_eval(self, eval_path: Path) -> Verdict | None:
        """The last verdicts of its tasks taken together."""
        return together(
            [it.verdict for (path, _), it in self._tasks.items() if path == eval_path], stale=False
        )

    def eval_of(self, snapshot: Snapshot) -> Path | None:
        """The eval that a document belongs to, as far as it is known by now."""
        if snapshot.form is None or snapshot.path is None:
            return None
        return snapshot.path if snapshot.form.runnable in WHOLES else self._owners.get(snapshot.path)

    def failed_tasks(self, eval_path: Path) -> list[str]:
        """The tasks whose last result is not a pass."""
        return [
            task
            for (path, task), it in self._tasks.items()
            if path == eval_path and it.verdict.status in {"failed", "error"}
        ]

    def is_recorded(self, eval_path: Path, task: str = "") -> bool:
        """Whether a task has a recording; without a task, whether any has."""
        recorded = self._recorded.get(eval_path, frozenset())
        return task in recorded if task else bool(recorded)

    def knows_recordings(self, snapshot: Snapshot) -> bool:
        """Whether it is known what was recorded of a document's eval, or that it has none."""
        eval_path = self.eval_of(snapshot)
        if eval_path is None:
            return snapshot.path in self._owners or not (snapshot.form and snapshot.form.runnable)
        return eval_path in self._recorded

    def task_started(self, server: "WazaServer", eval_path: Path, task: str, run_id: str) -> None:
        """A task of a run has begun."""
        self._running[eval_path, task] = run_id
        server.lens_refresh.soon(server)

    def task_ended(self, server: "WazaServer", eval_path: Path, task: str) -> None:
        """A task of a run is over, with or without a result."""
        self._running.pop((eval_path, task), None)
        server.lens_refresh.soon(server)

    def take(self, eval_path: Path, task: str, verdict: Verdict, texts: Mapping[Path, Snapshot]) -> None:
        """A task has its verdict; the files had these texts when the run began."""
        known = self._tasks.get((eval_path, task))
        before = known.verdict if known else None
        scores = (*(before.scores if before else ()), verdict.score)[-_SHOWN_SCORES:]
        # A run that was graded again was with its reviews; only new ones say more.
        is_same = known is not None and known.verdict.run_id == verdict.run_id
        self._tasks[eval_path, task] = TaskResult(
            replace(verdict, scores=scores),
            digest_of_task(texts, task),
            reviews=known.reviews if known and is_same else "",
        )
        self._recorded[eval_path] = self._recorded.get(eval_path, frozenset()) | {task}
        self._covered[eval_path] = digest_of_eval(texts, eval_path)

    def clear(self, server: "WazaServer", path: Path | None, tasks: Collection[str]) -> None:
        """Take back what is said in a file, and the verdicts of its `tasks`, until the next run; None: everywhere."""
        tell(server, self.inline.drop(lambda file, it: path is None or path in {file, it.eval_path}))
        for key in list(self._tasks):
            eval_path, task = key
            is_of_file = path is not None and self._owners.get(path) == eval_path and task in tasks
            if path is None or path == eval_path or is_of_file:
                self._cleared[key] = (self._tasks.pop(key).order, time.time())
        server.lens_refresh.soon(server)

    def forget(self, server: "WazaServer", eval_path: Path, tasks: Collection[str]) -> None:
        """The suite has these tasks no more: what was said of them counts for nothing."""
        gone = [(eval_path, it) for it in tasks if (eval_path, it) in self._tasks]
        for key in gone:
            self._cleared[key] = (self._tasks.pop(key).order, time.time())
        if gone:
            tell(server, self.inline.drop(lambda _, it: (it.eval_path, it.task) in gone))
            server.lens_refresh.soon(server)

    def opened(self, server: "WazaServer", snapshot: Snapshot) -> None:
        """A document was opened: see what was run of it, and whether it has changed since."""
        if snapshot.path is not None and snapshot.form is not None:
            server.delivery.results_changed(server, snapshot)
            eval_path = self.eval_of(snapshot)
            self._read.pop(eval_path or Path(), None)
            if eval_path is None:
                self._owners.pop(snapshot.path, None)
            self.look_again(server, snapshot)

    async def know_evals(self, snapshots: Iterable[Snapshot]) -> None:
        """Find out to which evals documents belong, before something is done with one eval's texts."""
        for snapshot in snapshots:
            if snapshot.form is not None and snapshot.form.runnable:
                await self._owner(snapshot)

    def look_again(self, server: "WazaServer", snapshot: Snapshot) -> None:
        """See in the background whether the store knows more of a document's eval by now."""
        path = snapshot.path
        if path is not None and snapshot.form is not None and snapshot.form.runnable:
            known = self.eval_of(snapshot) or path
            if known not in self._reading:
                self._reading[known] = asyncio.get_running_loop().create_task(
                    self._read_in(server, snapshot, known)
                )

    async def _read_in(self, server: "WazaServer", snapshot: Snapshot, key: Path) -> None:
        try:
            await server.warm.wait()
            eval_path = await self._owner(snapshot)
            if eval_path is None:
                server.live.recordings_known(server, snapshot)
                return
            documents = [it.path for it in server.documents if it.path and self.eval_of(it) == eval_path]
            known = self._read.get(eval_path)
            found = await asyncio.to_thread(read_last_results, eval_path, known, documents, server.encoding)
            if found is not None:
                self._merge(server, eval_path, found)
                server.leftovers.soon(server)
            server.live.recordings_known(server, snapshot)
        finally:
            self._reading.pop(key, None)

    async def _owner(self, snapshot: Snapshot) -> Path | None:
        path = snapshot.path
        if path is None or self.eval_of(snapshot) is not None or path in self._owners:
            return self.eval_of(snapshot)
        # Imported here: it reads YAML.
        from waza_engine.formats.owner import eval_of

        self._owners[path] = await asyncio.to_thread(eval_of, path)
        return self._owners[path]

    def _merge(self, server: "WazaServer", eval_path: Path, found: LastResults) -> None:
        if found.stamps:
            self._read[eval_path] = found.stamps
        if found.problem and found.problem not in self._told:
            self._told.add(found.problem)
            server.window_log_message(types.LogMessageParams(types.MessageType.Warning, found.problem))
        is_new = bool(found.tasks or found.gone) or found.recorded != self._recorded.get(
            eval_path, frozenset()
        )
        self._recorded[eval_path] = found.recorded
        self._metrics[eval_path] = found.metrics
        before = self.verdict_of_eval(eval_path)
        self.forget(server, eval_path, found.gone)
        for task, it in found.tasks.items():
            self._merge_task(server, eval_path, task, it)
        if found.tasks:
            newest = max(found.tasks.values(), key=lambda it: it.verdict.at)
            self._covered.setdefault(eval_path, digest_of_eval(newest.texts, eval_path))
        if is_new:
            server.lens_refresh.soon(server)
        if before != self.verdict_of_eval(eval_path):
            # Not on every reading: the client answers with a request that reads again.
            server.tests.everything_changed(server)

    def _merge_task(self, server: "WazaServer", eval_path: Path, task: str, found: LastResult) -> None:
        known = self._tasks.get((eval_path, task))
        if not _is_later(found, *self._cleared.get((eval_path, task), (0, 0.0))):
            return
        is_same = known is not None and known.verdict.run_id == found.verdict.run_id
        if known is not None and not is_same and not _is_later(found, known.order, known.verdict.at):
            return
        covered = digest_of_task(found.texts, task)
        if known is not None and is_same:
            covered = known.covered or covered
            if known.reviews == found.reviews:
                # Ours came with the events; the store adds what they do not tell. Later gradings stay as they are.
                verdict = replace(known.verdict, tokens=found.verdict.tokens)
                self._tasks[eval_path, task] = TaskResult(verdict, covered, found.order, found.reviews)
                return
        self._tasks[eval_path, task] = TaskResult(found.verdict, covered, found.order, found.reviews)
        show(server, eval_path, task, found.trials, found.texts)

    def _standing(self, eval_path: Path, it: Runnable, snapshot: Snapshot) -> Standing:
        now = covered_text(snapshot, it)
        if it.kind in WHOLES:
            found = self._standing_of_all(eval_path, now)
            return found if it.kind == "eval" else _of_experiment(found)
        known = self._tasks.get((eval_path, it.id))
        return Standing(
            replace(known.verdict, stale=known.covered != now) if known else None,
            self._running.get((eval_path, it.id), ""),
            self.is_recorded(eval_path, it.id) if it.kind == "task" else known is not None,
        )

    def _standing_of_all(self, eval_path: Path, now: str) -> Standing:
        known = [it.verdict for (path, _), it in self._tasks.items() if path == eval_path]
        running = next((run for (path, _), run in self._running.items() if path == eval_path), "")
        failed = len(self.failed_tasks(eval_path))
        stale = self._covered.get(eval_path) != now
        return Standing(together(known, stale=stale), running, self.is_recorded(eval_path), failed)


def _is_later(found: LastResult, order: int, at: float) -> bool:
    """Whether a run came after another; the clock is asked only where the store does not know the other one."""
    return found.order > order if order else found.verdict.at > at


def _of_experiment(known: Standing) -> Standing:
    """What can be graded again are the runs of its arms, not recordings in files."""
    return replace(known, verdict=of_whole_experiment(known.verdict), is_recorded=known.verdict is not None)


def of_whole_experiment(verdict: Verdict | None) -> Verdict | None:
    """The verdicts on its arms together, as that of its run, which is called as theirs are, without a number."""
    return replace(verdict, run_id=verdict.run_id.rpartition("-")[0]) if verdict is not None else None
