"""Carry out a run from the editor, from its request to its answer: progress, events, results.

Grading recordings again is a run, too. Imported late: the engine's events bring pydantic.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import shorten
from typing import Any

from lsprotocol import types

from waza_engine.lib.plurals import counted
from waza_engine.model.results.records import GraderOutcome
from waza_engine.runs.events import (
    ArmEvent,
    Decided,
    Event,
    ExecutorUnavailable,
    Note,
    RunStarted,
    TaskFinished,
    TaskStarted,
    TrialFinished,
    event_data,
)
from waza_lsp.runnables.commands import Verdict
from waza_lsp.runnables.failed_checks import TaskChecks, task_checks
from waza_lsp.server.documents import Documents
from waza_lsp.server.events import Bus, JobEnded, JobStarted
from waza_lsp.server.results.annotations.annotations import Annotations
from waza_lsp.server.results.ledger import ResultLedger
from waza_lsp.server.results.reader import on_disk
from waza_lsp.server.runs.follower import follow_run
from waza_lsp.server.runs.process import Request, RunProcesses
from waza_lsp.server.runs.progress import Progress
from waza_lsp.server.testing.events import TestEvents
from waza_lsp.server.testing.wire import to_json
from waza_lsp.server.transport.client import Client
from waza_lsp.snapshot import Snapshot

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """A run or grading: the eval, the request, and the title for the user.

    `texts` are the texts that the job uses instead of those on disk. With `is_stored`, the run can be reported later.
    `token` is the client's name for the job. Without `shows_progress`, the client shows it from the events.
    """

    eval_path: Path
    request: Request
    title: str
    texts: dict[Path, Snapshot] = field(default_factory=dict)
    is_stored: bool = True
    token: str = ""
    shows_progress: bool = True


@dataclass(frozen=True, slots=True)
class RunController:
    """Carries out jobs with the parts of the server that a run concerns."""

    client: Client
    documents: Documents
    processes: RunProcesses
    ledger: ResultLedger
    annotations: Annotations
    bus: Bus

    async def carry_out(self, job: Job) -> Answer:
        """Run a job, show its progress, and return the result."""
        texts = dict(self._texts_before(job))
        progress = Progress(self.client)
        counts = _Counts()
        record = _Record(
            self,
            job,
            texts,
            TestEvents(job.eval_path, job.token, texts, self.documents.of_path),
            progress.cancel.is_set,
        )
        if job.shows_progress:
            progress.begin(job.title)
        self.client.protocol.when_cancelled(progress.cancel.set)
        self.bus.publish(JobStarted(job.eval_path))

        def take(event: Event) -> None:
            if counts.take(event):
                progress.report(counts.message, counts.percentage)
            record.take(event)

        try:
            last = await follow_run(self.processes, job.request, take, progress.cancel, job.token)
        finally:
            record.end()
            self.bus.publish(JobEnded(job.eval_path))
        progress.end(last.status)
        answer: Answer = {
            "runId": last.run_id,
            "status": last.status,
            "score": last.score,
            "error": last.error,
            "tasks": list(record.tasks.values()),
        }
        return answer | ({"unavailable": record.unavailable} if record.unavailable else {})

    def _texts_before(self, job: Job) -> Iterator[tuple[Path, Snapshot]]:
        """The files of the suite as the job reads them. The user may edit them during the job."""
        paths = {it.path for it in self.ledger.documents_of(job.eval_path) if it.path}
        for path in {job.eval_path, *paths} - job.texts.keys():
            text = on_disk(path, self.client.encoding)
            if text is not None:
                yield path, text
        yield from job.texts.items()


_NAME_CHARACTERS = 32


@dataclass(slots=True)
class _Counts:
    """Counts tasks and trials for the progress of a run."""

    tasks: int = 0
    trials: int = 1
    current: str = ""
    done_tasks: set[str] = field(default_factory=set)
    done_trials: int = 0
    decided: int | None = None
    """The number of decided tasks of a run with `--until-decided`."""

    def take(self, event: Event) -> bool:
        """Count an event. Returns whether the progress has changed."""
        match event:
            case RunStarted():
                self.tasks, self.trials = len(event.tasks), max(1, event.trials)
                self.decided = 0 if event.until_decided else None
            case Decided(decision=word) if self.decided is not None and word != "open":
                self.decided += 1
            case TaskStarted():
                self.current = event.name or event.task
            case TrialFinished() | ArmEvent(told=TrialFinished()):
                self.done_trials += 1
            case TaskFinished():
                self.done_tasks.add(event.task)
            case _:
                return False
        return True

    @property
    def message(self) -> str | None:
        """Return how far the run is, short enough for the one line of a notification. The title names a single task."""
        if not self.current:
            return None
        if self.decided is not None:
            # Tasks take turns, so none is the current one.
            return f"{self.decided} of {self.tasks} decided after {counted(self.done_trials, 'trial')}"
        if self.tasks == 1:
            return (
                f"trial {min(self.done_trials + 1, self.trials)} of {self.trials}"
                if self.trials > 1
                else None
            )
        name = shorten(self.current, _NAME_CHARACTERS, placeholder="...")
        return f"{min(len(self.done_tasks) + 1, self.tasks)} of {self.tasks}: {name}"

    @property
    def percentage(self) -> int:
        spent = 100 * self.done_trials // max(1, self.tasks * self.trials)
        return min(100, max(spent, 100 * (self.decided or 0) // max(1, self.tasks)))


@dataclass(slots=True)
class _Record:
    """Collects the events of a run for the answer and the ledger."""

    parts: RunController
    job: Job
    texts: dict[Path, Snapshot]
    test_events: TestEvents
    is_cancelled: Callable[[], bool]
    tasks: dict[str, Answer] = field(default_factory=dict)
    unavailable: Answer | None = None
    """The executor that cannot work on this machine: its name, why, and the extra that would help."""
    _trials: dict[str, list[tuple[GraderOutcome, ...]]] = field(default_factory=dict)
    _arms: dict[str, str] = field(default_factory=dict)
    """The runs of the arms of an experiment. Their trials are not results of the experiment's file."""
    _open: set[str] = field(default_factory=set)

    def take(self, event: Event) -> None:
        """Handle one event, and forward it to clients that follow runs."""
        checks: TaskChecks | None = None
        data = event_data(event)
        match event:
            case TaskStarted():
                self._start_task(event)
            case ArmEvent():
                self._arms[event.task] = event.told.run_id
                self._take_trouble(event.told)
            case Note() | ExecutorUnavailable():
                self._take_trouble(event)
            case TrialFinished():
                self._task(event.task)["graders"] = data["graders"]
                if event.attempts != 0:
                    self._trials.setdefault(event.task, []).append(event.graders)
            case TaskFinished():
                self._task(event.task).update(status=event.status, score=event.score)
                checks = task_checks(self._trials.get(event.task, []))
                self._finish_task(event, checks)
            case _:
                pass
        client = self.parts.client
        if client.follows_runs:
            message = self.test_events.data(event, data, checks)
            client.notify_json("waza/runEvent", to_json(message))

    def _take_trouble(self, event: Event) -> None:
        """Log a warning of the run, which only editors that follow runs would show. Keep why it cannot start."""
        match event:
            case Note() if event.level in {"warning", "error"}:
                self.parts.client.log(f"{self.job.title}: {event.message}", types.MessageType.Warning)
            case ExecutorUnavailable():
                members = event_data(event)
                self.unavailable = {it: members[it] for it in ("executor", "message", "extra")}
            case _:
                pass

    def end(self) -> None:
        """End open tasks, however the run ended, and read what it has stored."""
        ledger, eval_path = self.parts.ledger, self.job.eval_path
        for task in self._open:
            ledger.task_ended(eval_path, task)
        for snapshot in ledger.documents_of(eval_path)[:1]:
            ledger.read_again(snapshot)

    def _task(self, task: str) -> Answer:
        return self.tasks.setdefault(task, {"id": task, "status": "", "score": 0.0, "graders": []})

    def _start_task(self, event: TaskStarted) -> None:
        self._open.add(event.task)
        self.parts.ledger.task_started(self.job.eval_path, event.task, event.run_id)
        if event.path is not None and event.path not in self.texts:
            text = on_disk(event.path, self.parts.client.encoding)
            if text is not None:
                self.texts[event.path] = text

    def _finish_task(self, event: TaskFinished, checks: TaskChecks) -> None:
        ledger, task, eval_path = self.parts.ledger, event.task, self.job.eval_path
        self._open.discard(task)
        ledger.task_ended(eval_path, task)
        trials = self._trials.get(task)
        if task in self._arms:
            verdict = Verdict(
                self._arms[task],
                event.status,
                event.score,
                time.time(),
                infrastructure=event.infrastructure,
            )
            ledger.add(eval_path, task, verdict, self.texts)
            return
        if not trials:
            # Without outcomes, the earlier result stays.
            if self.is_cancelled() and self.job.is_stored:
                ledger.task_cancelled(eval_path, task, event.run_id)
            return
        if event.partial:
            self.parts.annotations.show_graders(eval_path, task, checks, self.texts)
            return
        before = ledger.verdict_of(eval_path, task)
        # A grading is not stored, so the report stays that of the run whose recording was graded.
        run_id = event.run_id if self.job.is_stored else before.run_id if before else ""
        # For the person who reads the line, a broken grader is not a failed check.
        is_error = any(it.status == "error" and not it.infrastructure for trial in trials for it in trial)
        status = "error" if is_error else event.status
        is_open = event.infrastructure and not is_error
        verdict = Verdict(run_id, status, event.score, time.time(), infrastructure=is_open)
        ledger.add(eval_path, task, verdict, self.texts)
        self.parts.annotations.show(eval_path, task, checks, self.texts)
