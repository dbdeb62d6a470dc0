"""A run from the editor, from its request to its answer: progress, events, results. Grading again is a run, too."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from waza_lsp.schema.standing import Verdict
from waza_lsp.server.results.annotations import show, show_graders
from waza_lsp.server.results.reader import on_disk
from waza_lsp.server.runs.process import Event, Request
from waza_lsp.server.runs.progress import RunProgress
from waza_lsp.server.testing.events import TestEvents
from waza_lsp.snapshot import Snapshot

if TYPE_CHECKING:
    from waza_lsp.server.session import WazaServer

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """What is done: the eval, its request, and how it is called for the user.

    `texts` are the texts that it works on, where they are not those on disk. With `grader`, only one grader is asked,
    and what it says is no verdict on the task. With `stores` the run can be reported on later. `token` is the client's
    own name for it.
    """

    eval_path: Path
    request: Request
    title: str
    texts: dict[Path, Snapshot] = field(default_factory=dict)
    grader: bool = False
    stores: bool = True
    token: str = ""


async def carry_out(server: "WazaServer", job: Job) -> Answer:
    """Do it, show how far it is, and say what came out."""
    progress = RunProgress(server)
    texts = dict(_texts_before(server, job))
    told = TestEvents(job.eval_path, job.token, texts, server.documents.of_path)
    record = _Record(server, job, texts, told)
    progress.begin(job.title)
    server.live.run_starts(job.eval_path)

    def take(event: Event) -> None:
        progress.take(event)
        record.take(event)

    try:
        last = await server.runs.run(job.request, take, progress.cancel, job.token)
    finally:
        record.end()
        server.live.run_ended(server, job.eval_path)
    progress.end(str(last["status"]))
    return {
        "runId": last.get("run_id", ""),
        "status": last["status"],
        "score": last.get("score", 0.0),
        "error": last.get("error", ""),
        "tasks": list(record.tasks.values()),
    }


def _texts_before(server: "WazaServer", job: Job) -> Iterator[tuple[Path, Snapshot]]:
    """The files of the suite that may be edited while the job is done, as the job reads them."""
    paths = {it.path for it in server.documents if it.path and server.results.eval_of(it) == job.eval_path}
    for path in {job.eval_path, *paths} - job.texts.keys():
        text = on_disk(path, server.encoding)
        if text is not None:
            yield path, text
    yield from job.texts.items()


@dataclass(slots=True)
class _Record:
    """What the events of a run add up to, for the answer and for the ledger."""

    server: "WazaServer"
    job: Job
    texts: dict[Path, Snapshot]
    told: TestEvents
    tasks: dict[str, Answer] = field(default_factory=dict)
    _trials: dict[str, list[list[Event]]] = field(default_factory=dict)
    _arms: dict[str, str] = field(default_factory=dict)
    """The runs of the arms of an experiment, whose trials are no results of its files."""
    _open: set[str] = field(default_factory=set)

    def take(self, event: Event) -> None:
        """Follow one event; clients that asked for it get it, too."""
        match event.get("event"):
            case "task_started":
                self._started(event)
            case "arm":
                self._arms[event["task"]] = event["told"]["run_id"]
                self._note(event["told"])
            case "note":
                self._note(event)
            case "trial_finished":
                graders = event.get("graders", [])
                self._task(event["task"])["graders"] = graders
                if event.get("attempts") != 0:
                    self._trials.setdefault(event["task"], []).append(graders)
            case "task_finished":
                self._task(event["task"]).update(status=event["status"], score=event["score"])
                self._finished(event)
            case _:
                pass
        if self.server.run_events:
            trials = self._trials.get(str(event.get("task")), [])
            self.server.protocol.notify("waza/runEvent", self.told.told(event, trials))

    def _note(self, event: Event) -> None:
        """What a run warns of, that it cannot be stored for one: no editor but those that follow runs would show it."""
        if event.get("level") in {"warning", "error"}:
            told = types.LogMessageParams(types.MessageType.Warning, f"{self.job.title}: {event['message']}")
            self.server.window_log_message(told)

    def end(self) -> None:
        """The run is over, however it ended."""
        for task in self._open:
            self.server.results.task_ended(self.server, self.job.eval_path, task)
        for it in self.server.documents:
            if self.server.results.eval_of(it) == self.job.eval_path:
                self.server.results.look_again(self.server, it)
                break

    def _task(self, task: str) -> Answer:
        return self.tasks.setdefault(task, {"id": task, "status": "", "score": 0.0, "graders": []})

    def _started(self, event: Event) -> None:
        task, path = event["task"], event.get("path")
        self._open.add(task)
        self.server.results.task_started(self.server, self.job.eval_path, task, event["run_id"])
        if path and Path(path) not in self.texts:
            text = on_disk(Path(path), self.server.encoding)
            if text is not None:
                self.texts[Path(path)] = text

    def _finished(self, event: Event) -> None:
        results, task, eval_path = self.server.results, event["task"], self.job.eval_path
        self._open.discard(task)
        results.task_ended(self.server, eval_path, task)
        trials = self._trials.get(task)
        if task in self._arms:
            verdict = Verdict(self._arms[task], event["status"], event["score"], time.time())
            results.take(eval_path, task, verdict, self.texts)
            return
        if not trials:
            return  # Nothing was found out: what was known before stands.
        if self.job.grader:
            show_graders(self.server, eval_path, task, trials, self.texts)
            return
        before = results.verdict_of(eval_path, task)
        # A grading is not stored: the report stays that of the run whose recording was graded.
        run_id = event["run_id"] if self.job.stores else before.run_id if before else ""
        verdict = Verdict(run_id, self._status(event, trials), event["score"], time.time())
        results.take(eval_path, task, verdict, self.texts)
        show(self.server, eval_path, task, trials, self.texts)

    def _status(self, event: Event, trials: list[list[Event]]) -> str:
        # For a person who looks at the line, a broken grader is not a failed check.
        is_error = any(it.get("status") == "error" for trial in trials for it in trial)
        return "error" if is_error else str(event["status"])
