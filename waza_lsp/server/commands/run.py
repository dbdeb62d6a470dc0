"""The commands that every editor has (design.md, section 6). Each takes one object.

A run command answers when the run has ended; progress and cancel go through work-done progress.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lsprotocol import types

from waza_engine.formats.owner import eval_of
from waza_lsp.server.commands.explain_grader import explain_grader
from waza_lsp.server.commands.files import ReportError, convert, export_schemas, write_report
from waza_lsp.server.params import Given, given, pointer_in, tasks_in, text_in
from waza_lsp.server.results.reader import on_disk
from waza_lsp.server.runs.controller import Answer, Job, carry_out
from waza_lsp.server.runs.process import RunRequest
from waza_lsp.server.session import WazaServer
from waza_lsp.snapshot import Snapshot, path_of
from waza_lsp.suite.in_document import runnables_in

_SETTINGS_SECONDS = 2.0
"""So long a client may take to say what its settings are, before it is run without."""


async def run_task(server: WazaServer, *arguments: Any) -> Answer | None:
    """`waza.runTask {uri, task}`, or `{uri, tasks}` for several of one eval in one run."""
    asked = given(arguments)
    tasks = tasks_in(asked)
    # Perhaps nothing is selected: all tasks would be paid for.
    if not tasks and await _eval(server, asked) is not None:
        server.say("No task is named, so nothing is run; `waza.runEval` runs all tasks of an eval.")
    return await _run(server, asked, tasks) if tasks else None


async def run_eval(server: WazaServer, *arguments: Any) -> Answer | None:
    """`waza.runEval {uri}`."""
    return await _run(server, given(arguments), [])


async def run_failed(server: WazaServer, *arguments: Any) -> Answer | None:
    """`waza.runFailed {uri}`: the tasks whose last result was not a pass."""
    asked = given(arguments)
    eval_path = await _eval(server, asked)
    tasks = await _failed_tasks(server, eval_path) if eval_path is not None else []
    if eval_path is not None and not tasks:
        server.say(f"No task of {eval_path.parent.name} failed the last time.", types.MessageType.Info)
        return None
    return await _run(server, asked, tasks) if eval_path is not None else None


async def _failed_tasks(server: WazaServer, eval_path: Path) -> list[str]:
    """Those that the suite still has: others may have been deleted or renamed since."""
    failed = server.results.failed_tasks(eval_path)
    if not failed:
        return []
    known = await asyncio.to_thread(_task_ids, eval_path, server.process_dir(eval_path) or eval_path.parent)
    gone = [it for it in failed if known is not None and it not in known]
    server.results.forget(server, eval_path, gone)
    return [it for it in failed if it not in gone]


def _task_ids(eval_path: Path, process_dir: Path) -> set[str] | None:
    """What the tasks on disk are called; None for what is no suite, or cannot be loaded: its run says why."""
    # Imported here: they bring the models of all graders.
    from waza_engine.formats import load_suite
    from waza_engine.suite import LoadError

    try:
        return {it.id for it in load_suite(eval_path, process_dir=process_dir).tasks}
    except LoadError:
        return None


async def grade(server: WazaServer, *arguments: Any) -> Answer | None:
    """`waza.grade {uri, task?, tasks?, grader?, pointer?}`: grade what was recorded again, with the text in the editor.

    A grader is named by its name, or by its place in the file `uri`.
    """
    asked = given(arguments)
    eval_path = await _eval(server, asked)
    if eval_path is None:
        return None
    tasks, grader, pointer = tasks_in(asked), text_in(asked, "grader"), pointer_in(asked)
    texts = {it.path: it for it in server.documents if it.path is not None and it.form is not None}
    question = {
        "eval": str(eval_path),
        "processDir": str(server.process_dir(eval_path)),
        "tasks": tasks,
        "grader": grader,
        "path": str(path_of(text_in(asked, "uri"))),
        "pointer": pointer,
        "texts": {str(path): str(it.text) for path, it in texts.items()},
    }
    request = _GradeRequest(json.dumps(question).encode(), server.process_dir(eval_path))
    title = f"Grading {eval_path.parent.name}: {grader or _named(tasks)}"
    ours = {path: it for path, it in texts.items() if server.results.eval_of(it) == eval_path}
    is_one = bool(grader) or pointer is not None
    job = Job(eval_path, request, title, ours, is_one, stores=False, token=text_in(asked, "token"))
    return await _carried_out(server, job)


def cancel_run(server: WazaServer, *arguments: Any) -> bool:
    """`waza.cancelRun {runId}`, or `{token}`: whether there was such a run."""
    asked = given(arguments)
    return server.runs.cancel(text_in(asked, "runId") or text_in(asked, "token"))


def clear_results(server: WazaServer, *arguments: Any) -> None:
    """`waza.clearResults {uri?}`: take back what runs said about a file, or about all."""
    uri = text_in(given(arguments), "uri")
    snapshot = server.documents.get(uri)
    tasks = [it.id for it in runnables_in(snapshot)] if snapshot is not None else []
    server.results.clear(server, path_of(uri) if uri else None, tasks)


async def show_report(server: WazaServer, *arguments: Any) -> Answer | None:
    """`waza.showReport {runId, uri?}`: write the report of a stored run; answers where it is.

    Clients that follow run events show it themselves, for others we ask the editor to.
    """
    asked = given(arguments)
    path = path_of(text_in(asked, "uri"))
    files = {path} if path is not None else {it.path for it in server.documents}
    try:
        report = await asyncio.to_thread(
            write_report, text_in(asked, "runId"), [it for it in files if it], server.folders
        )
    except ReportError as error:
        server.say(str(error))
        return None
    window = server.client_capabilities.window
    if not server.run_events and window is not None and window.show_document is not None:
        server.window_show_document(types.ShowDocumentParams(report.as_uri(), external=True))
    return {"path": str(report), "uri": report.as_uri()}


COMMANDS: dict[str, Callable[..., Any]] = {
    "waza.runTask": run_task,
    "waza.runEval": run_eval,
    "waza.runFailed": run_failed,
    "waza.grade": grade,
    "waza.explainGrader": explain_grader,
    "waza.cancelRun": cancel_run,
    "waza.clearResults": clear_results,
    "waza.showReport": show_report,
    "waza.exportSchemas": export_schemas,
    "waza.convert": convert,
}


@dataclass(frozen=True, slots=True)
class _GradeRequest:
    """The child process that grades again; what to grade is its input."""

    question: bytes
    directory: Path | None

    def command(self) -> list[str]:
        return [sys.executable, "-P", "-m", "waza_lsp.server.grade_process"]

    def stdin(self) -> bytes:
        return self.question


def _named(tasks: list[str]) -> str:
    return tasks[0] if len(tasks) == 1 else f"{len(tasks)} tasks" if tasks else "all tasks"


async def _eval(server: WazaServer, asked: Given) -> Path | None:
    """The eval to run or grade; None, and a message, when there is none."""
    if not server.trusted:
        server.say("This workspace is not trusted: nothing is run. Trust it to run evals.")
        return None
    path = path_of(text_in(asked, "uri"))
    if path is None:
        server.say("Only files on disk can be run; save this document first.")
        return None
    eval_path = await asyncio.to_thread(eval_of, path)
    await server.results.know_evals(server.documents)
    try:
        # Which executor is run, and what that costs, is in them.
        await asyncio.wait_for(server.settings_known.wait(), _SETTINGS_SECONDS)
    except TimeoutError:
        server.settings_known.set()  # Once is enough.
    if eval_path is None and not path.exists():
        server.say(f"{path.name} is not on disk; save it first.")
    elif eval_path is None:
        server.say(f"No eval file lists {path.name}: add a glob that matches it to its `tasks`.")
    return eval_path


async def _run(server: WazaServer, asked: Given, tasks: list[str]) -> Answer | None:
    eval_path = await _eval(server, asked)
    if eval_path is None:
        return None
    server.results.ran_here.add(eval_path)
    unsaved = [it.path.name for it in _unsaved(server, eval_path) if it.path]
    if unsaved:
        verb = "has" if len(unsaved) == 1 else "have"
        names = ", ".join(sorted(unsaved))
        server.say(f"{names} {verb} unsaved changes: the run uses what is on disk.", types.MessageType.Info)
    settings = server.settings
    request = RunRequest(
        eval_path, tuple(tasks), settings.run_executor, settings.run_model, server.process_dir(eval_path)
    )
    if await asyncio.to_thread(_is_experiment, eval_path, server.encoding):
        # Its variants say themselves which model they have.
        request = replace(request, model="", part_option="--variant")
    title, token = f"{eval_path.parent.name}: {_named(tasks)}", text_in(asked, "token")
    answer = await _carried_out(server, Job(eval_path, request, title, token=token))
    return {**answer, "unsaved": unsaved}


def _is_experiment(path: Path, encoding: types.PositionEncodingKind) -> bool:
    found = on_disk(path, encoding)
    return found is not None and found.form is not None and found.form.runnable == "experiment"


async def _carried_out(server: WazaServer, job: Job) -> Answer:
    answer = await carry_out(server, job)
    if answer["status"] == "error" and answer["error"]:
        server.say(str(answer["error"]).splitlines()[-1])
    return answer


def _unsaved(server: WazaServer, eval_path: Path) -> list[Snapshot]:
    """The open documents of a suite whose text is not that on disk."""
    ours = [
        it
        for it in server.documents
        if it.path is not None and (it.path == eval_path or server.results.eval_of(it) == eval_path)
    ]
    return [
        it
        for it in ours
        if it.path is not None
        and (saved := on_disk(it.path, server.encoding)) is not None
        and str(saved.text) != str(it.text).removeprefix("\ufeff")  # Most editors leave it out, as `on_disk`.
    ]
