"""Commands that run and grade evals, and cancel and clear their results. Each takes one object.

A run command answers when the run has ended. Progress and cancelling go through work-done progress.
`docs/protocol.md` describes the commands.
"""

import asyncio
import json
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from waza_engine.project.suite_files import eval_of
from waza_lsp.runnables.runnables import runnables_in
from waza_lsp.server.commands.cost_guard import may_spend
from waza_lsp.server.commands.other_executor import other_request, with_agent_command
from waza_lsp.server.params import Params, params_of, pointer_in, tasks_in, text_in
from waza_lsp.server.results.reader import on_disk
from waza_lsp.server.runs.process import RunRequest
from waza_lsp.server.session import Session
from waza_lsp.snapshot import Snapshot, path_of

if TYPE_CHECKING:
    from waza_lsp.server.runs.controller import Job

Answer = dict[str, Any]
_SETTINGS_SECONDS = 2.0
"""How long a run waits for the client's settings before it starts without them."""


async def run_task(session: Session, *arguments: Any) -> Answer | None:
    """`waza.runTask {uri, task}`, or `{uri, tasks}` for several tasks of one eval in one run."""
    params = params_of(arguments)
    tasks = tasks_in(params)
    # An empty selection must not run all tasks, which may cost money.
    if not tasks and await _eval(session, params) is not None:
        session.client.show("No task is named. `waza.runEval` runs all tasks of an eval.")
    return await _run(session, params, tasks) if tasks else None


async def run_eval(session: Session, *arguments: Any) -> Answer | None:
    """`waza.runEval {uri}`: run all tasks."""
    return await _run(session, params_of(arguments), [])


async def run_failed(session: Session, *arguments: Any) -> Answer | None:
    """`waza.runFailed {uri}`: run the tasks whose last result was not a pass."""
    params = params_of(arguments)
    eval_path = await _eval(session, params)
    if eval_path is None:
        return None
    tasks = await _failed_tasks(session, eval_path)
    if not tasks:
        message = f"No task of {eval_path.parent.name} failed the last time."
        session.client.show(message, types.MessageType.Info)
        return None
    return await _run(session, params, tasks)


async def _failed_tasks(session: Session, eval_path: Path) -> list[str]:
    """Return the failed tasks that the suite still has. Others may have been deleted or renamed since."""
    failed = session.ledger.failed_tasks(eval_path)
    if not failed:
        return []
    process_dir = session.workspace.process_dir(eval_path) or eval_path.parent
    known = await asyncio.to_thread(_task_ids, eval_path, process_dir)
    gone = [it for it in failed if known is not None and it not in known]
    session.ledger.forget(eval_path, gone)
    return [it for it in failed if it not in gone]


def _task_ids(eval_path: Path, process_dir: Path) -> set[str] | None:
    """Return the ids of the tasks on disk; None if the suite cannot be loaded, which its run will report."""
    # Imported late: they bring the models of all graders.
    from waza_engine.model.suite import LoadError
    from waza_engine.project.load_suite import load_suite

    try:
        return {it.id for it in load_suite(eval_path, process_dir=process_dir).tasks}
    except LoadError:
        return None


async def grade(session: Session, *arguments: Any) -> Answer | None:
    """`waza.grade {uri, task?, tasks?, grader?, pointer?, free?}`: grade recordings again with the text in the editor.

    A grader is given by its name, or by its pointer in the file `uri`. With `free`, graders that run programs or ask a
    model are left out.
    """
    params = params_of(arguments)
    eval_path = await _eval(session, params)
    if eval_path is None:
        return None
    tasks, grader, pointer = tasks_in(params), text_in(params, "grader"), pointer_in(params)
    process_dir = session.workspace.process_dir(eval_path)
    texts = {it.path: it for it in session.documents if it.path is not None and it.form is not None}
    question = {
        "eval": str(eval_path),
        "processDir": str(process_dir),
        "tasks": tasks,
        "grader": grader,
        "path": str(path_of(text_in(params, "uri"))),
        "pointer": pointer,
        "free": params.get("free") is True,
        "texts": {str(path): str(it.text) for path, it in texts.items()},
    }
    return await _carry_out(
        session,
        _job(
            eval_path,
            _GradeRequest(json.dumps(question).encode(), process_dir),
            f"Grading {_title_of(eval_path, tasks, grader)}",
            texts={path: it for path, it in texts.items() if session.ledger.eval_of(it) == eval_path},
            is_stored=False,
            token=text_in(params, "token"),
            shows_progress=params.get("progress") is not False,
        ),
    )


def cancel_run(session: Session, *arguments: Any) -> bool:
    """`waza.cancelRun {runId}`, or `{token}`: cancel a run. Answers whether there was one."""
    params = params_of(arguments)
    return session.processes.cancel(text_in(params, "runId") or text_in(params, "token"))


def clear_results(session: Session, *arguments: Any) -> None:
    """`waza.clearResults {uri?}`: remove the results of a file, or of all files."""
    uri = text_in(params_of(arguments), "uri")
    snapshot = session.documents.get(uri)
    tasks = [it.id for it in runnables_in(snapshot)] if snapshot is not None else []
    session.ledger.clear(path_of(uri) if uri else None, tasks)


@dataclass(frozen=True, slots=True)
class _GradeRequest:
    """The child process that grades recordings again. It reads what to grade from its input."""

    question: bytes
    directory: Path | None

    def command(self) -> list[str]:
        return [sys.executable, "-P", "-m", "waza_lsp", "grade", "--events", "jsonl"]

    def stdin(self) -> bytes:
        return self.question


def _title_of(eval_path: Path, tasks: list[str], grader: str = "") -> str:
    """Return the title of a run's progress. With many tasks, the progress itself counts them, in the same line."""
    part = grader or (tasks[0] if len(tasks) == 1 else "")
    return f"{eval_path.parent.name}: {part}" if part else eval_path.parent.name


async def _eval(session: Session, params: Params) -> Path | None:
    """Return the eval to run or grade; None, after a message to the user, if there is none."""
    path = path_of(text_in(params, "uri"))
    if path is None:
        session.client.show("Only files on disk can be run; save this document first.")
        return None
    eval_path = await asyncio.to_thread(eval_of, path)
    if not await session.trust.ask_to_run(path, eval_path):
        return None
    await session.ledger.find_evals(session.documents)
    try:
        # The settings choose the executor, and with it what the run costs.
        await asyncio.wait_for(session.configuration.is_known.wait(), _SETTINGS_SECONDS)
    except TimeoutError:
        session.configuration.is_known.set()  # Later runs do not wait again.
    if eval_path is None and not path.exists():
        session.client.show(f"{path.name} is not on disk; save it first.")
    elif eval_path is None:
        session.client.show(f"No eval file lists {path.name}: add a glob that matches it to its `tasks`.")
    return eval_path


async def _run(session: Session, params: Params, tasks: list[str]) -> Answer | None:
    eval_path = await _eval(session, params)
    if eval_path is None:
        return None
    session.ledger.run_here.add(eval_path)
    unsaved = [it.path.name for it in _unsaved(session, eval_path) if it.path]
    if unsaved:
        verb = "has" if len(unsaved) == 1 else "have"
        names = ", ".join(sorted(unsaved))
        message = f"{names} {verb} unsaved changes, which do not run."
        session.client.show(message, types.MessageType.Info)
    settings, process_dir = session.configuration.settings, session.workspace.process_dir(eval_path)
    executor = text_in(params, "executor") or settings.run_executor
    model = text_in(params, "model") or settings.run_model
    trials, threshold = params.get("trials"), params.get("threshold")
    is_rate = isinstance(threshold, int | float) and 0 <= threshold <= 1
    request = RunRequest(
        eval_path,
        tuple(tasks),
        executor,
        model,
        directory=process_dir,
        trials=trials if isinstance(trials, int) and trials > 0 and not is_rate else 0,
        threshold=threshold if is_rate else None,
    )
    if await asyncio.to_thread(_is_experiment, eval_path, session.client.encoding):
        # The variants of an experiment name their own models.
        request = replace(request, model="", part_option="--variant")
    shows_progress = params.get("progress") is not False
    title, token = _title_of(eval_path, tasks), text_in(params, "token")
    other: RunRequest | None = with_agent_command(request, settings.run_agent_command)
    answer: Answer = {}
    while other is not None:
        if not await may_spend(session, other):
            return None
        answer = await _carry_out(
            session, _job(eval_path, other, title, token=token, shows_progress=shows_progress)
        )
        missing = answer.get("unavailable")
        other = await other_request(session, other, missing) if missing else None
    return {**answer, "unsaved": unsaved}


def _is_experiment(path: Path, encoding: types.PositionEncodingKind) -> bool:
    found = on_disk(path, encoding)
    return found is not None and found.form is not None and found.form.runnable == "experiment"


def _job(*values: Any, **more: Any) -> "Job":
    # Imported late, here and below: the events of runs bring pydantic.
    from waza_lsp.server.runs.controller import Job

    return Job(*values, **more)


async def _carry_out(session: Session, job: "Job") -> Answer:
    from waza_lsp.server.runs.controller import RunController

    controller = RunController(
        session.client,
        session.documents,
        session.processes,
        session.ledger,
        session.annotations,
        session.bus,
    )
    answer = await controller.carry_out(job)
    if answer["status"] == "error" and answer["error"] and "unavailable" not in answer:
        session.client.show(_reason(str(answer["error"])))
    return answer


_PLACE = re.compile(r"(?P<place>(?:.*?[\\/])?(?P<file>[^\\/]*?)(?P<line>:\d+:\d+)?: )?error: ")


def _reason(error: str) -> str:
    """Return the last line of a run's error output as a message: what is wrong first, then the file."""
    line = error.splitlines()[-1]
    found = _PLACE.match(line)
    if found is None:
        return line
    reason = line[found.end() :].removesuffix(".")
    where = found["file"] + (found["line"] or "") if found["place"] else ""
    return f"{reason[:1].upper()}{reason[1:]}{f' ({where})' if where else ''}"


def _unsaved(session: Session, eval_path: Path) -> list[Snapshot]:
    """Return the open documents of a suite whose text differs from the file."""
    encoding = session.client.encoding
    return [
        document
        for document in session.documents
        if document.path is not None
        and (document.path == eval_path or session.ledger.eval_of(document) == eval_path)
        and (saved := on_disk(document.path, encoding)) is not None
        # Most editors leave out the byte-order mark, as `on_disk` does.
        and str(saved.text) != str(document.text).removeprefix("\ufeff")
    ]
