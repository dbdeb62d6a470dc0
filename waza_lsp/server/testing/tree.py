"""The tree of the test view: `waza/tests {uri?}` for the workspace or one suite, and `waza/testsChanged`.

Clients that follow runs are notified when the tree has changed. `docs/protocol.md` fixes the shapes.
"""

import asyncio
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from waza_engine.lib.queries.disk import disk
from waza_lsp.features.tests import DIGEST, Item, tests
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
from waza_lsp.server.results.annotations import Annotations, PlacedCheck
from waza_lsp.server.results.ledger import ResultLedger
from waza_lsp.server.results.live_status import verdict_of_experiment
from waza_lsp.server.results.workspace_reading import WorkspaceReading
from waza_lsp.server.testing.changes import Changes, ShownTree
from waza_lsp.server.testing.evals import EvalTree, EvalTrees, Found
from waza_lsp.server.transport.client import Client
from waza_lsp.server.workspace import Workspace
from waza_lsp.snapshot import Snapshot, path_of
from waza_lsp.workspace.workspace import WorkspaceFiles

METHOD = "waza/tests"
CHANGED = "waza/testsChanged"
_PAUSE_SECONDS = 0.4
_FailedChecks = Mapping[Path, Mapping[str, Sequence[PlacedCheck]]]


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
        self._shown = ShownTree()
        self._shapes: dict[str, object] = {}
        self._changed: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        bus.listen(DocumentOpened, lambda event: self._text_changed(event.document.uri))
        bus.listen(DocumentChanged, lambda event: self._text_changed(event.after.uri))
        bus.listen(DocumentClosed, lambda event: self._text_changed(event.document.uri))
        bus.listen(FilesChanged, self._everything_changed)
        bus.listen(VerdictsChanged, self._everything_changed)

    async def changes(self, since: int, most: int | None = None) -> Changes:
        """How a client with the version `since` of the workspace's tree gets the current one.

        At most about `most` evals are read for this answer. It says whether there are more.
        """
        found = await self._found(most, goes_on=self._shown.is_current(since))
        return {**self._shown.changes(since, self._shown_evals(found.evals)), "more": not found.is_all}

    async def items(self, uri: str = "") -> list[Item]:
        """The tree with the last verdicts, for the workspace or the suite of a file. Starts reading new results."""
        if not uri:
            return self._shown_evals((await self._found()).evals)
        path = path_of(uri)
        if path is None:
            return []
        disk.look()
        return self._judged_evals(await asyncio.to_thread(self._trees_of_suite, path))

    async def _found(self, most: int | None = None, *, goes_on: bool = False) -> Found:
        if self._client.watches_files:
            disk.look_if_due()
        else:
            disk.look()
        stop = threading.Event()
        documents = tuple(self._documents)
        try:
            return await asyncio.to_thread(self._evals.trees, documents, stop, most, goes_on=goes_on)
        finally:
            stop.set()  # Ends the thread of a cancelled request at its next file.

    def _shown_evals(self, found: Sequence[EvalTree]) -> list[Item]:
        self._judged = {it.path: self._judged[it.path] for it in found if it.path in self._judged}
        return self._judged_evals(found)

    def _judged_evals(self, found: Sequence[EvalTree]) -> list[Item]:
        self._reading.start({it.path: it.snapshot for it in found})
        failed = self._annotations.failed_by_eval(self._client.encoding)
        return [self._with_verdicts(it.item, it.path, failed) for it in found]

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
        ledger = self._ledger
        children = [
            self._part_with_verdict(child, eval_path, failed.get(child["id"], ()))
            if child["kind"] in PART_KINDS
            else child
            for child in item["children"]
        ]
        verdict = ledger.verdict_of_eval(eval_path)
        if item["kind"] == "experiment":
            verdict = verdict_of_experiment(verdict)
        return {**item, "verdict": _verdict_data(verdict), "children": children}

    def _part_with_verdict(self, item: Item, eval_path: Path, failed: Sequence[PlacedCheck]) -> Item:
        """A task with its last verdict, and graders with theirs as far as it is about their current text."""
        rest = {key: it for key, it in item.items() if key != DIGEST}
        data = _verdict_data(self._ledger.verdict_of(eval_path, item["id"]))
        if data is None:
            return rest
        is_stale = self._ledger.is_stale(eval_path, item["id"], item[DIGEST], path_of(item["uri"]))
        messages = [_message(it, item) for it in failed]
        broken = {it["key"] for it in messages}
        graders = [
            it
            if is_stale and it["key"] not in broken
            else {**it, "verdict": {**data, "status": "failed" if it["key"] in broken else "passed"}}
            for it in item["children"]
        ]
        more = {"messages": messages} if messages else {}
        return {**rest, "verdict": {**data, "stale": is_stale, **more}, "children": graders}

    def _text_changed(self, uri: str) -> None:
        """Check at the next pause whether an opened, edited or closed document changed the tree."""
        self._notify_soon(uri)

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


def _message(failed: PlacedCheck, item: Item) -> dict[str, Any]:
    """A failed check as in `task_finished`, at its grader if that is below this task."""
    uri, place = failed.path.as_uri(), failed.range
    grader = next(
        (
            it["key"]
            for it in item["children"]
            if it["uri"] == uri and it["range"].start.line <= place.start.line <= it["range"].end.line
        ),
        item["key"],
    )
    excerpt = {"excerpt": failed.check.excerpt} if failed.check.excerpt else {}
    return {"message": failed.check.message, "uri": uri, "range": place, "key": grader, **excerpt}


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
