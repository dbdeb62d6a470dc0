"""The tree of the test view: `waza/tests {uri?}` for the workspace or one suite, and `waza/testsChanged`.

Clients that follow runs are notified when the tree has changed. `docs/protocol.md` fixes the shapes.
"""

import asyncio
import json
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import is_
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.lib.queries.disk import disk
from waza_lsp.features.tests import Item, plain_json, tests
from waza_lsp.runnables.commands import Verdict
from waza_lsp.runnables.runnables import FILE_KINDS, PART_KINDS, graders_in, runnables_in
from waza_lsp.server.documents import Documents
from waza_lsp.server.events import (
    Bus,
    DocumentChanged,
    DocumentClosed,
    DocumentOpened,
    FilesChanged,
    VerdictsChanged,
)
from waza_lsp.server.memory import until_idle
from waza_lsp.server.reported import LOOK_SECONDS
from waza_lsp.server.results.annotations.annotations import Annotations, PlacedCheck
from waza_lsp.server.results.ledger import ResultLedger
from waza_lsp.server.results.live_status import verdict_of_experiment
from waza_lsp.server.results.workspace_reading import WorkspaceReading
from waza_lsp.server.testing.changes import Changes, ShownTree
from waza_lsp.server.testing.evals import EvalTree, EvalTrees, Found
from waza_lsp.server.testing.wire import to_json
from waza_lsp.server.transport.client import Client
from waza_lsp.server.workspace import Workspace
from waza_lsp.snapshot import Snapshot, path_of
from waza_lsp.workspace.workspace import WorkspaceFiles

METHOD = "waza/tests"
CHANGED = "waza/testsChanged"
_PAUSE_SECONDS = 0.4
_FailedChecks = Mapping[Path, Mapping[str, Sequence[PlacedCheck]]]


class _Answer(NamedTuple):
    """The tree of the last answer, and what it was made of."""

    evals: Sequence[EvalTree]
    failed: _FailedChecks
    states: Sequence[object]
    items: list[Item]


class TestTree:
    """Answers with the tree, and knows which changes the client has not been told yet."""

    __test__ = False  # pytest collects classes with such names.

    def __init__(
        self,
        client: Client,
        documents: Documents,
        workspace: Workspace,
        ledger: ResultLedger,
        annotations: Annotations,
        bus: Bus,
    ) -> None:
        self._client = client
        self._documents = documents
        self._workspace = workspace
        self._ledger = ledger
        self._annotations = annotations
        self._evals = EvalTrees(workspace)
        self._reading = WorkspaceReading(client, documents, ledger)
        self._judged: dict[Path, tuple[Item, object, Mapping[str, Sequence[PlacedCheck]], Item]] = {}
        """Evals with their verdicts, after what both are made of."""
        self._last = _Answer((), {}, (), [])
        self._evals_by_path: Mapping[Path, Snapshot] = {}
        self._preparing: asyncio.Task[None] | None = None
        self._shown = ShownTree()
        self._looked_at = -LOOK_SECONDS
        self._looking: asyncio.Task[None] | None = None
        self._shapes: dict[str, object] = {}
        self._changed: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        bus.listen(DocumentOpened, lambda event: self._text_changed(event.document.uri))
        bus.listen(DocumentChanged, lambda event: self._text_changed(event.after.uri))
        bus.listen(DocumentClosed, lambda event: self._text_changed(event.document.uri))
        bus.listen(FilesChanged, self._files_changed)
        bus.listen(VerdictsChanged, self._everything_changed)

    async def changes(self, since: int, most: int | None = None) -> Changes:
        """How a client with the version `since` of the workspace's tree gets the current one.

        At most about `most` evals are read for this answer. It says whether there are more.
        """
        found = await self._found(most, goes_on=self._shown.is_current(since))
        return {**self._shown.changes(since, self._shown_evals(found)), "more": not found.is_all}

    async def items(self, uri: str = "") -> list[Item]:
        """The tree with the last verdicts, for the workspace or the suite of a file. Starts reading new results."""
        if not uri:
            return self._shown_evals(await self._found())
        path = path_of(uri)
        if path is None:
            return []
        disk.look()
        found = await asyncio.to_thread(self._trees_of_suite, path)
        self._read_results({it.path: it.document for it in found})
        failed = self._annotations.failed_by_eval(self._client.encoding)
        return [self._with_verdicts(it.item, it.path, failed) for it in found]

    async def _found(self, most: int | None = None, *, goes_on: bool = False) -> Found:
        documents = tuple(self._documents)
        self._look_if_due()
        known = self._evals.known(documents)
        if known is not None:
            return known
        return await self._trees(documents, most, goes_on=goes_on)

    async def _trees(self, documents: Sequence[Snapshot], most: int | None = None, **how: bool) -> Found:
        """Read the trees in a thread; `how` is as for `EvalTrees.trees`."""
        stop = threading.Event()
        try:
            return await asyncio.to_thread(self._evals.trees, documents, stop, most, **how)
        finally:
            stop.set()  # Ends the thread of a cancelled request at its next file.

    def _look_if_due(self) -> None:
        """Look at all files: at once, or in the next pause if the client reports changes and hears of ours."""
        client, now = self._client, time.monotonic()
        if not client.watches_files:
            disk.look()
            self._evals.changes.look()
        elif now - self._looked_at >= LOOK_SECONDS:
            self._looked_at = now
            if client.follows_runs and self._shown.version:
                self._looking = self._looking or asyncio.get_running_loop().create_task(self._look())
            else:
                self._look_now()

    def _look_now(self) -> None:
        disk.look()
        self._evals.changes.look()
        self._workspace.list_again()

    async def _look(self) -> None:
        """Find what the client did not report, and notify it."""
        try:
            await until_idle(self._client)
            documents = tuple(self._documents)
            before = self._evals.known(documents)
            # Otherwise the client asks again anyway.
            if before is not None:
                self._look_now()
                if (await self._trees(documents, confirms=True)) is not before:
                    self._everything_changed(None)
        finally:
            self._looking = None

    def _shown_evals(self, found: Found) -> list[Item]:
        """The evals with their verdicts: the same list as before, if nothing has changed."""
        evals, last = found.evals, self._last
        if evals is not last.evals:
            self._evals_by_path = {it.path: it.document for it in evals}
        if found.is_all:
            # Not in between: the client waits for the other parts, and hears of verdicts later.
            self._read_results(self._evals_by_path)
        failed = self._annotations.failed_by_eval(self._client.encoding)
        states = [self._ledger.state_of(it) for it in self._evals_by_path]
        if evals is last.evals and failed == last.failed and all(map(is_, states, last.states)):
            return last.items
        self._judged = {it: self._judged[it] for it in self._evals_by_path if it in self._judged}
        items = [self._with_verdicts(it.item, it.path, failed) for it in evals]
        self._last = _Answer(evals, failed, states, items)
        return items

    def _read_results(self, evals: Mapping[Path, Snapshot]) -> None:
        """Start to read the results of evals, with the text of those that the editor shows a file of."""
        owners = (self._ledger.eval_of(it) for it in self._documents)
        opened = {it for it in owners if it is not None and it in evals}
        if opened:
            self._preparing = asyncio.get_running_loop().create_task(self._with_texts(evals, opened))
        else:
            self._reading.start(evals)

    async def _with_texts(self, evals: Mapping[Path, Snapshot], opened: Collection[Path]) -> None:
        files = self._workspace.files_of_folders()
        # In a thread: an eval may be long, and need not be open itself.
        texts = await asyncio.to_thread(lambda: [(it, files.snapshot(it)) for it in opened])
        self._reading.start({**evals, **{path: text for path, text in texts if text is not None}})

    def _trees_of_suite(self, path: Path) -> list[EvalTree]:
        workspace = self._workspace.files_of_folders()
        return [
            EvalTree(it.path, it, item)
            for it in _evals_of_suite(path, workspace)
            if it.path is not None
            # With the process directory of its own workspace folder.
            for item in tests([it], self._workspace.files_for(it))
        ]

    def _with_verdicts(self, item: Item, eval_path: Path, failed: _FailedChecks) -> Item:
        """An eval with its last verdicts: the same object as before, if nothing has changed."""
        own, known = failed.get(eval_path, {}), self._judged.get(eval_path)
        state = item, self._ledger.state_of(eval_path), own
        # The first two by identity: to compare them takes longer than to make them again.
        if known is None or known[0] is not item or known[1] is not state[1] or known[2] != own:
            known = self._judged[eval_path] = (*state, self._judge(item, eval_path, own))
        return known[3]

    def _judge(self, item: Item, eval_path: Path, failed: Mapping[str, Sequence[PlacedCheck]]) -> Item:
        children = [
            self._part_with_verdict(child, eval_path, failed.get(child.id, ()))
            if child.kind in PART_KINDS
            else child
            for child in item.children
        ]
        verdict = self._ledger.verdict_of_eval(eval_path)
        if item.kind == "experiment":
            verdict = verdict_of_experiment(verdict)
        data = _verdict_data(verdict)
        if data is None and all(map(is_, children, item.children)):
            return item
        return item._replace(verdict=plain_json(data), children=tuple(children))

    def _part_with_verdict(self, item: Item, eval_path: Path, failed: Sequence[PlacedCheck]) -> Item:
        """A task with its last verdict, and graders with theirs as far as it is about their current text."""
        data = _verdict_data(self._ledger.verdict_of(eval_path, item.id))
        if data is None:
            return item
        is_stale = self._ledger.is_stale(eval_path, item.id, item.digest, path_of(json.loads(item.uri)))
        messages = [_message(it, item) for it in failed]
        broken = {it["key"] for it in messages}
        graders = [_with_verdict(it, data, broken, is_stale=is_stale) for it in item.children]
        more = {"messages": messages} if messages else {}
        verdict = to_json({**data, "stale": is_stale, **more})
        return item._replace(verdict=verdict, children=tuple(graders))

    def _text_changed(self, uri: str) -> None:
        """Check at the next pause whether an opened, edited or closed document changed the tree."""
        self._notify_soon(uri)

    def _files_changed(self, event: FilesChanged) -> None:
        self._evals.changes.add_event(event)
        self._everything_changed(event)

    def _everything_changed(self, _: object) -> None:
        """Notify the client at the next pause that files or results have changed."""
        self._notify_soon("")

    def _notify_soon(self, uri: str) -> None:
        if not self._client.follows_runs:
            return
        self._changed.add(uri)
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(_PAUSE_SECONDS, self._notify)

    def _notify(self) -> None:
        changed, self._changed = self._changed, set()
        uris = [it for it in sorted(changed - {""}) if self._is_new(it, self._documents.get(it))]
        if "" in changed:
            self._client.notify(CHANGED, {})
            return
        for uri in uris:
            self._client.notify(CHANGED, {"uri": uri})

    def _is_new(self, uri: str, snapshot: Snapshot | None) -> bool:
        shape = _shape(snapshot)
        if uri in self._shapes and self._shapes[uri] == shape:
            return False
        self._shapes[uri] = shape
        return True


def _shape(snapshot: Snapshot | None) -> object:
    """The part of a document that the client sees in the tree."""
    if snapshot is None or snapshot.form is None:
        return None
    return [
        *((it.kind, it.id, it.label, it.pointer, it.range) for it in runnables_in(snapshot)),
        *graders_in(snapshot),
    ]


def _with_verdict(grader: Item, data: Mapping[str, Any], broken: Collection[str], *, is_stale: bool) -> Item:
    is_broken = json.loads(grader.key) in broken
    if is_stale and not is_broken:
        return grader
    return grader._replace(verdict=plain_json({**data, "status": "failed" if is_broken else "passed"}))


def _message(failed: PlacedCheck, item: Item) -> dict[str, Any]:
    """A failed check as in `task_finished`, at its grader if that is below this task."""
    uri, place = failed.path.as_uri(), failed.range
    owners = (it for it in item.children if json.loads(it.uri) == uri and _has_line(it, place.start.line))
    excerpt = {"excerpt": failed.check.excerpt} if failed.check.excerpt else {}
    key = json.loads(next(owners, item).key)
    return {"message": failed.check.message, "uri": uri, "range": place, "key": key, **excerpt}


def _has_line(item: Item, line: int) -> bool:
    span = json.loads(item.range)
    found: bool = span["start"]["line"] <= line <= span["end"]["line"]
    return found


def _verdict_data(verdict: Verdict | None) -> dict[str, Any] | None:
    if verdict is None:
        return None
    result = {"runId": verdict.run_id, "status": verdict.status, "score": verdict.score, "at": verdict.at}
    return result | ({"infrastructure": True} if verdict.infrastructure else {})


def _evals_of_suite(path: Path, workspace: WorkspaceFiles) -> Iterator[Snapshot]:
    snapshot = workspace.snapshot(path)
    if snapshot is None or snapshot.form is None:
        return
    if snapshot.form.runnable in FILE_KINDS:
        yield snapshot
        return
    suite = workspace.suite(snapshot)
    found = workspace.snapshot(suite.eval_path) if suite is not None else None
    if found is not None:
        yield found
