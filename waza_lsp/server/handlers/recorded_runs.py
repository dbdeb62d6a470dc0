"""The request `waza/runs`: what the run stores of the workspace hold, for a view of runs. `docs/protocol.md` fixes the shapes."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waza_lsp.server.params import members_of, text_in
from waza_lsp.server.results.stores import stores_among, stores_of
from waza_lsp.server.session import Session
from waza_lsp.snapshot import path_of

if TYPE_CHECKING:
    from waza_engine.runs.store.store import StoredRun

METHOD = "waza/runs"
_PAGE = 50
_MOST = 500
Answer = dict[str, Any]


async def recorded_runs(session: Session, params: Any) -> Answer:
    """`waza/runs {}`: the evals with runs. `waza/runs {uri, before?, limit?}`: a page of the runs of one eval."""
    members = members_of(params)
    path = path_of(text_in(members, "uri"))
    if path is not None:
        limit = members.get("limit")
        size = min(limit, _MOST) if isinstance(limit, int) and limit > 0 else _PAGE
        return await asyncio.to_thread(_runs_of, path, text_in(members, "before"), size)
    opened = [it.path for it in session.documents if it.path is not None and it.form is not None]
    return await asyncio.to_thread(_evals, session.client.folders, opened, session.workspace.yaml_files)


def _evals(folders: Iterable[Path], opened: Iterable[Path], yaml_files: Any) -> Answer:
    from waza_engine.runs.store.store import RunStore, StoreError

    found: list[tuple[float, Answer]] = []
    problems = []
    for directory in dict.fromkeys([*stores_among(folders, yaml_files()), *stores_of(opened)]):
        try:
            with RunStore(directory, for_reading=True, briefly=True) as store:
                for run, number in store.evals():
                    last = _data(run)
                    about = {"uri": last["uri"], "name": run.suite_name or run.eval_path.name}
                    found.append((run.started_at, {**about, "count": number, "last": last}))
        except StoreError as error:
            problems.append(str(error))
    found.sort(key=lambda it: it[0], reverse=True)
    return {"evals": [it for _, it in found], "problems": problems}


def _runs_of(eval_path: Path, before: str, limit: int) -> Answer:
    from waza_engine.project.store_location import FILE_NAME, default_store_dir
    from waza_engine.runs.store.record import reviewed_runs
    from waza_engine.runs.store.store import RunStore, StoreError

    directory = default_store_dir(eval_path)
    if not (directory / FILE_NAME).is_file():
        return {"runs": [], "more": False, "problems": []}
    try:
        with RunStore(directory, for_reading=True, briefly=True) as store:
            found = store.runs(eval_path, limit + 1, before=before)
            runs = [_data(it) for it in reviewed_runs(store, found[:limit])]
    except StoreError as error:
        return {"runs": [], "more": False, "problems": [str(error)]}
    return {"runs": runs, "more": len(found) > limit, "problems": []}


def _data(run: "StoredRun") -> Answer:
    from waza_engine.runs.run_header import is_running

    running = run.status is None and is_running(run.frame)
    return {
        "runId": run.run_id,
        "uri": run.eval_path.absolute().as_uri(),
        "status": run.status or ("running" if running else "broken"),
        "score": run.score,
        "startedAt": run.started_at,
        "finishedAt": run.finished_at,
        "executor": run.executor,
        "model": run.model,
        "tasks": len(run.frame.tasks),
        "trials": run.frame.trials,
        "variant": run.frame.arm.variant if run.frame.arm is not None else "",
    }
