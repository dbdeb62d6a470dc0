"""What the run stores of the studio's folder hold: runs, their history, and comparisons. Everything runs in a thread."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waza_engine.lib.paths import normal_path
from waza_engine.project.suite_files import eval_of
from waza_lsp.server.results.stores import open_stores, stores_among
from waza_lsp.studio.session import RefusedError
from waza_lsp.studio.tree import Tree

if TYPE_CHECKING:
    from waza_engine.model.results.records import RunRecord
    from waza_engine.reports.trace.page import Place
    from waza_engine.runs.store.store import RunStore, StoredRun

_MOST_RUNS = 200
_MOST_POINTS = 50


class Runs:
    """The runs of a folder's evals."""

    def __init__(self, folder: Path, tree: Tree) -> None:
        self._folder = folder
        self._tree = tree

    def listed(self, path: Path | None) -> dict[str, Any]:
        """Return the runs of an eval, or of all evals of the folder, newest first.

        Raises:
            RefusedError: a store cannot be read.

        """
        from waza_engine.runs.store.record import reviewed_runs

        found: list[StoredRun] = []
        path = _eval(path)
        with _readable() as stack:
            for store in self._stores(stack, path):
                mine = [it for it in store.runs(path, _MOST_RUNS) if self._relative(it.eval_path)]
                found += reviewed_runs(store, mine)
        found.sort(key=lambda it: it.started_at, reverse=True)
        return {"runs": [self._data(it) for it in found[:_MOST_RUNS]]}

    def history(self, path: Path) -> dict[str, Any]:
        """Return the results of an eval and its tasks over its last runs, oldest first.

        Raises:
            RefusedError: a store cannot be read.

        """
        from waza_engine.reports.history import task_histories
        from waza_engine.runs.store.record import reviewed_runs, reviewed_verdicts

        path = _eval(path) or path
        with _readable() as stack:
            for store in self._stores(stack, path):
                runs = reviewed_runs(store, store.runs(path, _MOST_POINTS)[::-1])
                histories = task_histories([reviewed_verdicts(store, it.run_id) for it in runs])
                points = [
                    {"run": it.run_id, "at": it.started_at, "status": it.status, "score": it.score}
                    for it in runs
                ]
                ids = [it.run_id for it in runs]
                tasks = [{"id": task, "cells": [*_cells(ids, history)]} for task, history in histories]
                return {"points": points, "tasks": tasks}
        return {"points": [], "tasks": []}

    def compare(self, names: list[str]) -> dict[str, Any]:
        """Return what `waza-lsp compare --format json` prints about these runs.

        Raises:
            RefusedError: a run does not exist, or cannot be read.

        """
        from waza_engine.reports.comparison import comparison_data

        with _readable() as stack:
            return comparison_data(names, [self._record(stack, it) for it in names])

    def trace(self, name: str) -> str:
        """Return the index of the trace of a run, or of all arms of an experiment, as JSON.

        Raises:
            RefusedError: the run does not exist, or cannot be read.

        """
        from waza_engine.reports.trace.page import json_text, trace_index

        with _readable() as stack:
            return json_text(trace_index(self._places(stack, name)))

    def trial(self, name: str, number: int, *, is_recording: bool) -> str:
        """Return a trial of a trace by its place in the index, or its recording, as JSON.

        Raises:
            RefusedError: the run has no such trial, or cannot be read.

        """
        from waza_engine.reports.trace.document import TrialDocuments
        from waza_engine.reports.trace.page import json_text

        with _readable() as stack:
            places = self._places(stack, name)
            if number >= len(places):
                raise RefusedError(404, f"The run has no trial {number}.")
            trial = places[number].read()
            return json_text(trial.trajectory.model_dump() if is_recording else TrialDocuments().trial(trial))

    def _places(self, stack: ExitStack, name: str) -> "list[Place]":
        from waza_engine.reports.trace.page import places_of

        found = self._records(stack, name)
        return [
            place
            for record in found
            for place in places_of(record, record.arm.variant if record.arm is not None else "")
        ]

    def _record(self, stack: ExitStack, name: str) -> "RunRecord":
        found = self._records(stack, name)
        if found[0].run_id != name:
            raise RefusedError(422, f"'{name}' is an experiment. Compare its arms.")
        return found[0]

    def _records(self, stack: ExitStack, name: str) -> "list[RunRecord]":
        """Return the record of a run, or those of an experiment's arms. Their store stays open until the stack is closed.

        Raises:
            RefusedError: the folder has no such run.

        """
        from waza_engine.runs.store.record import stored_record

        for store in self._stores(stack, None):
            near = [it for it in store.find_runs(name) if self._relative(it.eval_path)]
            arms = [it for it in near if it.frame.arm is not None and it.frame.arm.run_id == name]
            if found := [it for it in near if it.run_id == name] or arms:
                return [stored_record(store, it) for it in found]
        raise RefusedError(404, f"There is no run '{name}' in this folder.")

    def _stores(self, stack: ExitStack, path: Path | None) -> "Iterator[RunStore]":
        from waza_engine.runs.store.store import RunStore

        if path is not None:
            yield from open_stores(stack, [path])
            return
        for directory in stores_among([self._folder], self._tree.evals()):
            yield stack.enter_context(RunStore(directory, for_reading=True, briefly=True))

    def _relative(self, eval_path: Path) -> str:
        """Return the path of an eval as the page names it; "" if it is outside of the folder."""
        # Stores hold real paths; one of others may hold anything.
        path = normal_path(eval_path)
        return path.relative_to(self._folder).as_posix() if path.is_relative_to(self._folder) else ""

    def _data(self, run: "StoredRun") -> dict[str, Any]:
        from waza_engine.runs.run_header import is_running

        running = run.status is None and is_running(run.frame)
        return {
            "id": run.run_id,
            "suite": run.suite_name,
            "path": self._relative(run.eval_path),
            "status": run.status or ("running" if running else "broken"),
            "score": run.score,
            "started_at": run.started_at,
            "finished_at": run.finished_at,
            "executor": run.executor,
            "model": run.model,
            "tasks": len(run.frame.tasks),
            "trials": run.frame.trials,
            "variant": run.frame.arm.variant if run.frame.arm is not None else "",
        }


def _eval(path: Path | None) -> Path | None:
    """Return the eval that a file belongs to; the file itself if no eval lists it."""
    return (eval_of(path) or path) if path is not None else None


def _cells(runs: list[str], history: list[list[str]]) -> Iterator[dict[str, Any]]:
    """Yield how many trials of a task passed in each run that has the task."""
    for run, statuses in zip(runs, history, strict=True):
        if statuses:
            yield {"run": run, "passed": statuses.count("passed"), "trials": len(statuses)}


@contextmanager
def _readable() -> Iterator[ExitStack]:
    """Close the stores at the end, and turn their errors into refusals."""
    from waza_engine.runs.store.errors import StoreError

    try:
        with ExitStack() as stack:
            yield stack
    except StoreError as error:
        raise RefusedError(500, f"The run store cannot be read: {error}") from error
