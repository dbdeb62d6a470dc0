"""Commands about runs in the store: report, compare, run again, delete. Each takes one object (`docs/protocol.md`)."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from lsprotocol import types

from waza_engine.project.suite_files import eval_of
from waza_lsp.server.commands.run import run_eval, run_task
from waza_lsp.server.events import VerdictsChanged
from waza_lsp.server.params import Params, params_of, text_in
from waza_lsp.server.results.stores import find_run, newest_run, open_stores
from waza_lsp.server.session import Session
from waza_lsp.server.transport.client import Client
from waza_lsp.snapshot import path_of

Answer = dict[str, Any]
_EXPERIMENT = "experiment-"
"""The beginning of the names of pages about all arms of an experiment."""
TRACE = "trace-"
"""The beginning of the names of pages that show trials step by step."""
_LONGEST_NAME = 200


class RunsError(Exception):
    """The command about runs cannot be carried out. The message says why."""


async def show_report(session: Session, *arguments: Any) -> Answer | None:
    """`waza.showReport {runId?, uri?}`: write the report of a stored run, by default the newest, and answer with its path.

    Clients that follow runs show it themselves. Other editors are asked to show it.
    """
    params = params_of(arguments)
    # A member that is there but empty is a result without a run: it comes from recordings in files.
    run_id, path = text_in(params, "runId") if "runId" in params else None, path_of(text_in(params, "uri"))
    return await answer_with_page(session, params, lambda places: write_report(run_id, places, path))


async def compare_runs(session: Session, *arguments: Any) -> Answer | None:
    """`waza.compareRuns {runIds, uri?}`: write a page that compares runs, and answer with its path."""
    params = params_of(arguments)
    return await answer_with_page(session, params, lambda places: write_comparison(_run_ids(params), places))


async def answer_with_page(
    session: Session, params: Params, write: Callable[[list[Path]], Path]
) -> Answer | None:
    """Write a page about runs in a thread, and answer with its path; `null`, after a message, if it cannot be written.

    `write` gets the files and folders whose stores may have the run.
    """
    client = session.client
    places = await _trusted_places(session, params)
    if places is None:
        return None
    try:
        page = await asyncio.to_thread(write, places)
    except RunsError as error:
        client.show(str(error))
        return None
    return show_page(client, page)


def show_page(client: Client, page: Path) -> Answer:
    """Ask the editor to show a page, unless it is one that shows the answers of our commands. Return the answer."""
    window = client.capabilities.window
    if not client.follows_runs and window is not None and window.show_document is not None:
        client.lsp.window_show_document(types.ShowDocumentParams(page.as_uri(), external=True))
    return {"path": str(page), "uri": page.as_uri()}


async def _trusted_places(session: Session, params: Params) -> list[Path] | None:
    """Return the files and folders whose stores may hold the run; None if the user does not trust the workspace."""
    client = session.client
    path = path_of(text_in(params, "uri"))
    # Pages are written beside the store, whose content somebody else may have written.
    if not await session.trust.ask(path or next(iter(client.folders), None)):
        return None
    files = {path} if path is not None else {it.path for it in session.documents}
    # The run may be in the store of another folder, which must be trusted, too.
    return [it for it in (*files, *client.folders) if it is not None and session.trust.is_granted(it)]


def _run_ids(params: Params) -> list[str]:
    value = params.get("runIds")
    return [it for it in value if isinstance(it, str)] if isinstance(value, list | tuple) else []


def write_report(run_id: str | None, places: Iterable[Path], file: Path | None = None) -> Path:
    """Write the report of a run below `reports/` of its store. Runs in a thread.

    Without an id, it is the newest run: of the eval of `file`, or of all evals.

    The run is searched in the stores of `places`: folders, and files of evals.

    Raises:
        RunsError: No store has the run, or the file cannot be written.

    """
    # Imported late, here and below: they bring pydantic and SQLite.
    from waza_engine.reports.html.comparison import arms_report
    from waza_engine.reports.html.history import PAGES, runs_until
    from waza_engine.reports.html.report import html_chunks
    from waza_engine.runs.store.record import stored_record
    from waza_engine.runs.store.store import StoreError

    if run_id == "":
        raise RunsError("This result has no stored run to report: it comes from recordings in files.")
    try:
        with ExitStack() as stack:
            stores = open_stores(stack, places)
            if run_id is None:
                newest = newest_run(stores, (eval_of(file) or file) if file is not None else None)
                if newest is None:
                    raise RunsError("No run is recorded yet. Run an eval first.")
                store, run = newest
                stores, run_id = iter([store]), run.run_id
            for store in stores:
                near = store.find_runs(run_id)
                found = [it for it in near if it.run_id == run_id]
                arms = [it for it in near if it.frame.arm is not None and it.frame.arm.run_id == run_id]
                if found:
                    page = store.directory / PAGES / f"{run_id}.html"
                    record, history = stored_record(store, found[0]), runs_until(store, run_id, page)
                    return write_page(store.directory, run_id, html_chunks(record, history))
                if arms:
                    pages = arms_report([stored_record(store, it) for it in arms])
                    return write_page(store.directory, _EXPERIMENT + run_id, pages)
    except (StoreError, OSError) as error:
        raise RunsError(f"The report cannot be written: {error}") from error
    raise RunsError(f"Run {run_id} is no longer in the run store.")


def write_comparison(run_ids: Sequence[str], places: Iterable[Path]) -> Path:
    """Write the comparison of runs below `reports/` of the store of the first one. Runs in a thread.

    Raises:
        RunsError: No store has one of the runs, or the file cannot be written.

    """
    from waza_engine.reports.html.comparison import html_comparison
    from waza_engine.runs.store.record import stored_record
    from waza_engine.runs.store.store import StoreError

    if len(run_ids) < 2:
        raise RunsError("Choose at least two runs to compare.")
    try:
        with ExitStack() as stack:
            stores = list(open_stores(stack, places))
            found = [(it, find_run(stores, it)) for it in run_ids]
            runs = [run for _, run in found if run is not None]
            missing = [name for name, run in found if run is None]
            if missing:
                raise RunsError(f"Run {missing[0]} is no longer in the run store.")
            records = [stored_record(store, run) for store, run in runs]
            name = f"compare-{run_ids[0]}-{run_ids[-1]}"[:_LONGEST_NAME]
            return write_page(runs[0][0].directory, name, html_comparison(run_ids, records))
    except (StoreError, OSError) as error:
        raise RunsError(f"The comparison cannot be written: {error}") from error


def write_page(directory: Path, name: str, pieces: Iterable[str]) -> Path:
    """Write a page below `reports/` of a store.

    Raises:
        OSError: it cannot be written, or a link leads out of the store.

    """
    from waza_engine.lib.files.safe_write import replace_inside
    from waza_engine.reports.html.history import PAGES

    target = directory / PAGES / f"{name}.html"
    replace_inside(target, directory, pieces)
    return target


async def rerun(session: Session, *arguments: Any) -> Answer | None:
    """`waza.rerun {runId, uri, token?}`: run the tasks of a stored run again, with its executor, model and trials.

    The tasks and graders are those of the files now. A command line that the run used is not taken from the store,
    which may have come with a repository.
    """
    params = params_of(arguments)
    places = await _trusted_places(session, params)
    if places is None:
        return None
    try:
        again = await asyncio.to_thread(_as_then, text_in(params, "runId"), places)
    except RunsError as error:
        session.client.show(str(error))
        return None
    again["token"] = text_in(params, "token")
    return await (run_task if again["tasks"] else run_eval)(session, again)


def _as_then(run_id: str, places: Iterable[Path]) -> Answer:
    """Return the argument of `waza.runTask` or `waza.runEval` that repeats a run."""
    from waza_engine.runs.store.store import StoreError

    try:
        with ExitStack() as stack:
            found = find_run(open_stores(stack, places), run_id)
    except StoreError as error:
        raise RunsError(f"The run cannot be repeated: {error}") from error
    if found is None:
        raise RunsError(f"Run {run_id} is no longer in the run store.")
    _, run = found
    if not run.eval_path.is_file():
        raise RunsError(f"The run cannot be repeated: {run.eval_path} does not exist any more.")
    uri, frame = run.eval_path.as_uri(), run.frame
    if frame.arm is not None:
        return {"uri": uri, "tasks": [frame.arm.variant]}
    chosen = frame.overrides
    is_part = bool(chosen.tasks or chosen.tags or frame.shard)
    return {
        "uri": uri,
        "tasks": [it.id for it in frame.tasks] if is_part else [],
        # Without its command line, which the settings may have, the executor cannot start anything.
        "executor": "" if chosen.agent_command else frame.executor,
        "model": frame.model,
        "trials": chosen.trials,
    }


async def delete_runs(session: Session, *arguments: Any) -> Answer | None:
    """`waza.deleteRuns {runIds, uri?}`: delete runs and their reports from the store. Asks nothing: the client does."""
    params = params_of(arguments)
    places = await _trusted_places(session, params)
    if places is None:
        return None
    deleted, problem = await asyncio.to_thread(_delete, _run_ids(params), places)
    if problem:
        session.client.show(problem)
    for document in session.documents:
        session.ledger.read_again(document)
    session.bus.publish(VerdictsChanged())
    return {"deleted": deleted}


def _delete(run_ids: Sequence[str], places: Iterable[Path]) -> tuple[list[str], str]:
    """Return the runs that were deleted, and why others were not."""
    from waza_engine.reports.html.history import PAGES
    from waza_engine.runs.run_header import is_running
    from waza_engine.runs.store.store import StoreError

    deleted, problems = [], []
    try:
        with ExitStack() as stack:
            stores = list(open_stores(stack, places, for_reading=False))
            for run_id in run_ids:
                found = find_run(stores, run_id)
                if found is None:
                    continue
                store, run = found
                if run.status is None and is_running(run.frame):
                    problems.append(f"Run {run_id} is still running. Cancel it first.")
                    continue
                store.delete_runs([run_id])
                deleted.append(run_id)
                names = [
                    run_id,
                    f"{TRACE}{run_id}",
                    *([_EXPERIMENT + run.frame.arm.run_id] if run.frame.arm else []),
                ]
                for name in names:
                    with suppress(OSError):
                        (store.directory / PAGES / f"{name}.html").unlink()
    except StoreError as error:
        problems.append(str(error))
    return deleted, " ".join(problems[:1])
