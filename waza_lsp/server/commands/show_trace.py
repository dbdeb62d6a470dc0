"""The command `waza.showTrace`: write a page that shows a stored run step by step."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waza_engine.project.suite_files import eval_of
from waza_lsp.server.commands.recorded_runs import TRACE, Answer, RunsError, answer_with_page, write_page
from waza_lsp.server.params import params_of, text_in
from waza_lsp.server.results.stores import newest_run, open_stores
from waza_lsp.server.session import Session
from waza_lsp.snapshot import path_of

if TYPE_CHECKING:
    from waza_engine.reports.trace.page import Place
    from waza_engine.runs.store.store import RunStore, StoredRun


async def show_trace(session: Session, *arguments: Any) -> Answer | None:
    """`waza.showTrace {runId?, uri?, task?}`: write the steps of a stored run, by default the newest, or of one task.

    It answers with the path of the page, which runs a script of its own, and with the eval of the run.
    """
    params = params_of(arguments)
    run_id = text_in(params, "runId") if "runId" in params else None
    file, task = path_of(text_in(params, "uri")), text_in(params, "task")
    evals: list[Path] = []

    def write(places: list[Path]) -> Path:
        page, eval_path = write_trace(run_id, places, file, task)
        evals.append(eval_path)
        return page

    answer = await answer_with_page(session, params, write)
    return answer and {**answer, "eval": evals[-1].as_uri()}


def write_trace(
    run_id: str | None, places: Iterable[Path], file: Path | None = None, task: str = ""
) -> tuple[Path, Path]:
    """Write the page of a run below `reports/` of its store, and return it with the run's eval. Runs in a thread.

    Without an id, it is the newest run: of the task, of the eval of `file`, or of all evals. With the id of an
    experiment, the page has all of its arms.

    Raises:
        RunsError: No store has the run, or the file cannot be written.

    """
    # Imported late: they bring pydantic and SQLite.
    from waza_engine.reports.trace.page import trace_page
    from waza_engine.runs.store.store import StoreError

    if run_id == "":
        raise RunsError("This result has no stored run: it comes from recordings in files.")
    try:
        with ExitStack() as stack:
            store, runs = _runs(run_id, list(open_stores(stack, places)), file, task)
            found = [place for run in runs for place in _places(store, run, task, several=len(runs) > 1)]
            if not found:
                raise RunsError(f"The run has no trial of {task}." if task else "The run has no trials.")
            name = f"{TRACE}{run_id or runs[0].run_id}"
            return write_page(store.directory, name, trace_page(found)), runs[0].eval_path
    except (StoreError, OSError) as error:
        raise RunsError(f"The trace cannot be written: {error}") from error


def _runs(
    run_id: str | None, stores: list["RunStore"], file: Path | None, task: str
) -> tuple["RunStore", list["StoredRun"]]:
    """Return the run with this id, or the newest one; for an experiment, the runs of its arms."""
    if run_id is None:
        eval_path = (eval_of(file) or file) if file is not None else None
        newest = _newest_of_task(stores, eval_path, task) or newest_run(iter(stores), eval_path)
        if newest is None:
            raise RunsError("No run is recorded yet. Run an eval first.")
        return newest[0], [newest[1]]
    for store in stores:
        near = store.find_runs(run_id)
        found = [it for it in near if it.run_id == run_id]
        arms = [it for it in near if it.frame.arm is not None and it.frame.arm.run_id == run_id]
        if found or arms:
            return store, found or arms
    raise RunsError(f"Run {run_id} is no longer in the run store.")


def _newest_of_task(
    stores: list["RunStore"], eval_path: Path | None, task: str
) -> tuple["RunStore", "StoredRun"] | None:
    if not task or eval_path is None:
        return None
    for store in stores:
        for trial in store.latest_trials(eval_path, task)[:1]:
            return store, store.find_runs(trial.run_id)[0]
    return None


def _places(store: "RunStore", run: "StoredRun", task: str, *, several: bool) -> Iterator["Place"]:
    from waza_engine.reports.trace.page import places_of
    from waza_engine.runs.store.record import stored_record

    origin = run.frame.arm.variant if several and run.frame.arm else ""
    for it in places_of(stored_record(store, run), origin):
        if task in {"", it.run.tasks[it.task].task}:
            yield it
