"""The request `waza/tests {uri?}`: the tree of what can be run, of the workspace or of one file's suite.

Clients that follow run events are told when it has changed. The shapes are fixed in `docs/protocol.md`.
"""

import asyncio
import itertools
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waza_lsp.features.tests import Item, tests
from waza_lsp.schema.prefilter import may_be_eval
from waza_lsp.schema.runnables import PARTS, WHOLES
from waza_lsp.schema.standing import Verdict
from waza_lsp.server.diagnostics.workspace import workspace_files
from waza_lsp.server.params import members_of
from waza_lsp.server.results.ledger import Results, of_whole_experiment
from waza_lsp.snapshot import Snapshot, path_of
from waza_lsp.suite.around import Around
from waza_lsp.suite.in_document import graders_in, runnables_in

if TYPE_CHECKING:
    from waza_lsp.server.session import WazaServer

METHOD = "waza/tests"
CHANGED = "waza/testsChanged"
_PAUSE_SECONDS = 0.4


@dataclass(slots=True)
class TestTree:
    """What the client knows of the tree, and what it has yet to be told."""

    __test__ = False  # For pytest, which takes the name for that of a test.

    _shapes: dict[str, object] = field(default_factory=dict)
    _changed: set[str] = field(default_factory=set)
    _telling: asyncio.TimerHandle | None = None

    def text_changed(self, server: "WazaServer", uri: str) -> None:
        """A document was opened, edited or closed: see at the next pause whether its part of the tree is another one."""
        self._soon(server, uri)

    def everything_changed(self, server: "WazaServer") -> None:
        """Files or results have changed: any part may be another one."""
        self._soon(server, "")

    def _soon(self, server: "WazaServer", uri: str) -> None:
        if not server.run_events:
            return
        self._changed.add(uri)
        if self._telling is not None:
            self._telling.cancel()
        self._telling = asyncio.get_running_loop().call_later(_PAUSE_SECONDS, self._tell, server)

    def _tell(self, server: "WazaServer") -> None:
        changed, self._changed = self._changed, set()
        others = [uri for uri in sorted(changed - {""}) if self._is_new(uri, server.documents.get(uri))]
        if "" in changed:
            server.protocol.notify(CHANGED, {})
            return
        for uri in others:
            server.protocol.notify(CHANGED, {"uri": uri})

    def _is_new(self, uri: str, snapshot: Snapshot | None) -> bool:
        shape = _shape(snapshot)
        if uri in self._shapes and self._shapes[uri] == shape:
            return False
        self._shapes[uri] = shape
        return True


def _shape(snapshot: Snapshot | None) -> object:
    """What the client sees of a document in the tree."""
    if snapshot is None or snapshot.form is None:
        return None
    return [
        *((it.kind, it.id, it.label, it.pointer, it.range) for it in runnables_in(snapshot)),
        *graders_in(snapshot),
    ]


async def on_tests(server: "WazaServer", params: Any) -> list[Item]:
    """The tree; with the last verdict of each eval and task that has one. Results on disk are read afterwards."""
    uri = members_of(params).get("uri")
    path = path_of(str(uri)) if uri else None
    stop = threading.Event()
    around = server.workspace_around()
    try:
        if path is not None:
            found = await asyncio.to_thread(lambda: _trees(server, _suite(path, around)))
        elif uri:
            return []
        else:
            paths = itertools.takewhile(lambda _: not stop.is_set(), workspace_files(server))
            found = await asyncio.to_thread(lambda: _trees(server, _evals(paths, around)))
    finally:
        stop.set()  # The thread of a cancelled request ends at its next file.
    for snapshot, _ in found:
        server.results.look_again(server, snapshot)
    return [_with_verdicts(server.results, item, snapshot.path) for snapshot, item in found]


def _with_verdicts(results: Results, item: Item, eval_path: Path | None) -> Item:
    if eval_path is None:
        return item
    children = [
        {**it, "verdict": _told(results.verdict_of(eval_path, it["id"]))} if it["kind"] in PARTS else it
        for it in item["children"]
    ]
    verdict = results.verdict_of_eval(eval_path)
    if item["kind"] == "experiment":
        verdict = of_whole_experiment(verdict)
    return {**item, "verdict": _told(verdict), "children": children}


def _told(verdict: Verdict | None) -> dict[str, Any] | None:
    if verdict is None:
        return None
    return {"runId": verdict.run_id, "status": verdict.status, "score": verdict.score, "at": verdict.at}


def _trees(server: "WazaServer", evals: Iterable[Snapshot]) -> list[tuple[Snapshot, Item]]:
    # Each as seen from its own workspace folder.
    return [(it, item) for it in evals for item in tests([it], server.around(it))]


def _suite(path: Path, around: Around) -> Iterator[Snapshot]:
    snapshot = around.snapshot(path)
    if snapshot is None or snapshot.form is None:
        return
    if snapshot.form.runnable in WHOLES:
        yield snapshot
        return
    suite = around.suite(snapshot)
    found = around.snapshot(suite.eval_path) if suite is not None else None
    if found is not None:
        yield found


def _evals(paths: Iterable[Path], around: Around) -> Iterator[Snapshot]:
    for path in paths:
        text = around.files.text(path)
        if text is not None and may_be_eval(text, path):
            snapshot = around.snapshot(path)
            if snapshot is not None and snapshot.form is not None and snapshot.form.runnable in WHOLES:
                yield snapshot
