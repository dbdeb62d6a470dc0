"""The commands that every editor has (design.md, section 6). Each takes one object.

A run command answers when the run has ended; progress and cancel go through work-done progress.
"""

import asyncio
import concurrent.futures
import json
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

from lsprotocol import types

from waza_engine.formats.owner import eval_of
from waza_lsp.server.app import WazaServer
from waza_lsp.server.runs import Event, RunRequest
from waza_lsp.snapshot import path_of

Arguments = dict[str, Any]
Answer = dict[str, Any]


async def run_task(server: WazaServer, *arguments: Any) -> Answer | None:
    """`waza.runTask {uri, task}`."""
    given = _given(arguments)
    return await _run(server, given, (str(given["task"]),) if given.get("task") else ())


async def run_eval(server: WazaServer, *arguments: Any) -> Answer | None:
    """`waza.runEval {uri}`."""
    return await _run(server, _given(arguments), ())


def cancel_run(server: WazaServer, *arguments: Any) -> bool:
    """`waza.cancelRun {runId}`: whether there was such a run."""
    return server.runs.cancel(str(_given(arguments).get("runId", "")))


def export_schemas(server: WazaServer, *arguments: Any) -> Answer | None:
    """`waza.exportSchemas {directory?}`: write the JSON Schemas; answers where they are."""
    from waza_engine.schema_files import read_schema, schema_names

    folder = _given(arguments).get("directory")
    target = Path(folder) if folder else (server.folders[0] if server.folders else Path.cwd()) / "schemas"
    for name in schema_names():
        path = target / f"{name}.schema.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(read_schema(name), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return {"directory": str(target), "count": len(schema_names())}


COMMANDS = {
    "waza.runTask": run_task,
    "waza.runEval": run_eval,
    "waza.cancelRun": cancel_run,
    "waza.exportSchemas": export_schemas,
}


def _given(arguments: tuple[Any, ...]) -> Arguments:
    first = arguments[0] if arguments else {}
    if isinstance(first, dict):
        return first
    return dict(vars(first)) if hasattr(first, "__dict__") else dict(getattr(first, "_asdict", dict)())


async def _run(server: WazaServer, given: Arguments, tasks: tuple[str, ...]) -> Answer | None:
    if not server.trusted:
        _say(server, "This workspace is not trusted: nothing is run. Trust it to run evals.")
        return None
    path = path_of(str(given.get("uri", "")))
    if path is None:
        _say(server, "Only files on disk can be run; save this document first.")
        return None
    eval_path = eval_of(path)
    if eval_path is None:
        _say(server, f"No eval file lists {path.name}: add a glob that matches it to its `tasks`.")
        return None
    request = RunRequest(
        eval_path, tasks, server.settings.run_executor, server.settings.run_model, server.process_dir(path)
    )
    progress = _Progress(server)
    await progress.begin(f"{eval_path.parent.name}: {tasks[0] if tasks else 'all tasks'}")
    last = await server.runs.run(request, progress.take, progress.cancel)
    progress.end(last)
    if last["status"] == "error" and last.get("error"):
        _say(server, str(last["error"]).splitlines()[-1])
    return _answer(last, progress.tasks)


def _say(server: WazaServer, message: str) -> None:
    server.window_show_message(types.ShowMessageParams(types.MessageType.Error, message))


def _answer(last: Event, tasks: dict[str, Answer]) -> Answer:
    return {
        "runId": last.get("run_id", ""),
        "status": last["status"],
        "score": last.get("score", 0.0),
        "error": last.get("error", ""),
        "tasks": list(tasks.values()),
    }


class _Progress:
    """One run's work-done progress and what its events add up to. A token is used once."""

    def __init__(self, server: WazaServer) -> None:
        self.cancel = asyncio.Event()
        self.tasks: dict[str, Answer] = {}
        self._server = server
        self._token = f"waza-run-{uuid.uuid4().hex[:8]}"
        self._total = 0
        self._shown = False
        self._watch: asyncio.Task[None] | None = None

    async def begin(self, title: str) -> None:
        window = self._server.client_capabilities.window
        if window is None or not window.work_done_progress:
            return
        progress = self._server.work_done_progress
        await progress.create_async(self._token)
        progress.begin(self._token, types.WorkDoneProgressBegin(title, cancellable=True, percentage=0))
        self._shown = True
        self._watch = asyncio.create_task(self._watch_for_cancel())

    async def _watch_for_cancel(self) -> None:
        with suppress(concurrent.futures.CancelledError, asyncio.CancelledError):
            _ = await asyncio.wrap_future(self._server.work_done_progress.tokens[self._token])
        self.cancel.set()

    def take(self, event: Event) -> None:
        """Follow one event; clients that asked for it get it too."""
        if self._server.run_events:
            self._server.protocol.notify("waza/runEvent", event)
        match event.get("event"):
            case "run_started":
                self._total = len(event.get("tasks", ()))
            case "task_started":
                self._report(str(event.get("name") or event["task"]))
            case "trial_finished":
                self._task(event["task"])["graders"] = event.get("graders", [])
            case "task_finished":
                self._task(event["task"]).update(status=event["status"], score=event["score"])

    def _task(self, task: str) -> Answer:
        return self.tasks.setdefault(task, {"id": task, "status": "", "score": 0.0, "graders": []})

    def _report(self, name: str) -> None:
        if self._shown:
            done = sum(1 for it in self.tasks.values() if it["status"])
            share = 100 * done // max(1, self._total)
            message = f"{done + 1} of {self._total}: {name}"
            self._server.work_done_progress.report(
                self._token, types.WorkDoneProgressReport(message=message, percentage=share)
            )

    def end(self, last: Event) -> None:
        if self._watch is not None:
            self._watch.cancel()
        if self._shown:
            self._server.work_done_progress.end(
                self._token, types.WorkDoneProgressEnd(message=str(last["status"]))
            )
            self._server.work_done_progress.tokens.pop(self._token, None)
