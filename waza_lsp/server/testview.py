"""The request `waza/tests {uri?}`: the tree of what can be run, of the workspace or of one file's suite."""

import asyncio
import itertools
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from waza_lsp.features.tests import Item, tests
from waza_lsp.schema.prefilter import may_be_eval
from waza_lsp.server.app import WazaServer
from waza_lsp.server.survey import workspace_files
from waza_lsp.snapshot import Snapshot, path_of
from waza_lsp.suite.around import Around

METHOD = "waza/tests"


async def on_tests(server: WazaServer, params: Any) -> list[Item]:
    """The tree; with the last verdict of each eval and task that has one."""
    uri = params.get("uri") if isinstance(params, dict) else getattr(params, "uri", None)
    path = path_of(str(uri)) if uri else None
    stop = threading.Event()
    around = server.workspace_around()
    try:
        if path is not None:
            items = await asyncio.to_thread(lambda: tests(_suite(path, around), around))
        else:
            paths = itertools.takewhile(lambda _: not stop.is_set(), workspace_files(server))
            items = await asyncio.to_thread(lambda: tests(_evals(paths, around), around))
    finally:
        stop.set()  # The thread of a cancelled request ends at its next file.
    return [_with_verdicts(server, it) for it in items]


def _suite(path: Path, around: Around) -> Iterator[Snapshot]:
    snapshot = around.snapshot(path)
    suite = around.suite(snapshot) if snapshot is not None else None
    found = around.snapshot(suite.eval_path) if suite is not None else None
    if found is not None:
        yield found


def _evals(paths: Iterable[Path], around: Around) -> Iterator[Snapshot]:
    for path in paths:
        text = around.files.text(path)
        if text is not None and may_be_eval(text, path):
            snapshot = around.snapshot(path)
            if snapshot is not None and snapshot.form is not None and snapshot.form.runnable == "eval":
                yield snapshot


def _with_verdicts(server: WazaServer, item: Item) -> Item:
    eval_path = path_of(item["uri"])
    if eval_path is None:
        return item
    children = [
        {**it, "verdict": _verdict(server, eval_path, it["id"])} if it["kind"] == "task" else it
        for it in item["children"]
    ]
    return {**item, "children": children}


def _verdict(server: WazaServer, eval_path: Path, task: str) -> dict[str, Any] | None:
    known = server.results.verdict_of(eval_path, task)
    return {"runId": known.run_id, "status": known.status, "score": known.score} if known else None
