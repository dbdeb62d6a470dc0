"""The tree of the test view: `waza/tests {uri?}` for the workspace or one suite, and `waza/testsChanged`.

Clients that follow runs are notified when the tree has changed. `docs/protocol.md` fixes the shapes.
"""

import asyncio
import itertools
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from waza_engine.lib.queries.disk import Stamp, disk, note_read, stamp
from waza_engine.lib.queries.tracking import track_reads
from waza_lsp.features.tests import DIGEST, Item, tests
from waza_lsp.runnables.commands import Verdict
from waza_lsp.runnables.runnables import FILE_KINDS, PART_KINDS, graders_in, runnables_in
from waza_lsp.schema.document_kind import may_be_eval
from waza_lsp.server.documents import Documents
from waza_lsp.server.results.annotations import Annotations, PlacedCheck
from waza_lsp.server.results.ledger import ResultLedger
from waza_lsp.server.results.live_status import verdict_of_experiment
from waza_lsp.server.testing.changes import Changes, ShownTree
from waza_lsp.server.transport.client import Client
from waza_lsp.server.workspace import Workspace
from waza_lsp.snapshot import Snapshot, path_of
from waza_lsp.workspace.workspace import WorkspaceFiles

METHOD = "waza/tests"
CHANGED = "waza/testsChanged"
_PAUSE_SECONDS = 0.4


@dataclass(frozen=True, slots=True)
class _Cached:
    """Trees, and what they were made from: the files of the workspace, open documents, and the files that were read."""

    paths: tuple[Path, ...]
    documents: tuple[Snapshot, ...]
    stamps: dict[Path, Stamp]
    found: list[tuple[Snapshot, Item]]

    def is_valid(self, paths: tuple[Path, ...], documents: tuple[Snapshot, ...]) -> bool:
        return (
            paths == self.paths
            and len(documents) == len(self.documents)
            and all(new is old for new, old in zip(documents, self.documents, strict=True))
            and all(stamp(path) == old for path, old in self.stamps.items())
        )


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
    ) -> None:
        self._client = client
        self._documents = documents
        self._workspace = workspace
        self._ledger = ledger
        self._annotations = annotations
        self._cache: dict[Path | None, _Cached] = {}
        """The trees of the workspace (None) and of suites."""
        self._shown = ShownTree()
        self._known: dict[Path, tuple[Stamp, Snapshot]] = {}
        """Files that are not open, with their state when they were recognised by their text alone."""
        self._shapes: dict[str, object] = {}
        self._changed: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def changes(self, since: int) -> Changes:
        """How a client with the version `since` of the workspace's tree gets the current one."""
        items = await self.items()
        return self._shown.changes(since, items)

    async def items(self, uri: str = "") -> list[Item]:
        """The tree with the last verdicts, for the workspace or the suite of a file. Starts reading new results."""
        path = path_of(uri) if uri else None
        if uri and path is None:
            return []
        disk.look()
        stop = threading.Event()
        documents = tuple(self._documents)
        try:
            found = await asyncio.to_thread(self._found, path, documents, stop)
        finally:
            stop.set()  # Ends the thread of a cancelled request at its next file.
        for snapshot, _ in found:
            self._ledger.read_again(snapshot)
        return [self._with_verdicts(item, snapshot.path) for snapshot, item in found]

    def _found(
        self, path: Path | None, documents: tuple[Snapshot, ...], stop: threading.Event
    ) -> list[tuple[Snapshot, Item]]:
        """The evals with their trees, from the cache if no file and no open document has changed."""
        paths = () if path is not None else tuple(self._workspace.yaml_files())
        cached = self._cache.get(path)
        if cached is not None and cached.is_valid(paths, documents):
            return cached.found
        began, known = time.time_ns(), dict[Path, Snapshot]()
        workspace = self._knowing(self._workspace.files_of_folders(), known)
        with track_reads() as reads:
            listed = itertools.takewhile(lambda _: not stop.is_set(), paths)
            evals = (
                _evals_of_suite(path, workspace)
                if path is not None
                else self._evals(listed, workspace, known)
            )
            found = self._trees(evals, known)
        if path is None and not stop.is_set():
            self._known = {it: one for it, one in self._known.items() if it in known}
        stamps = {it: stamp(it) for it in reads.paths}
        # A file may have changed after it was read.
        if not stop.is_set() and not any(it is not None and max(it[:2]) >= began for it in stamps.values()):
            self._cache[path] = _Cached(paths, documents, stamps, found)
        return found

    def _evals(
        self, paths: Iterable[Path], workspace: WorkspaceFiles, known: dict[Path, Snapshot]
    ) -> Iterator[Snapshot]:
        """Yield the evals among files. All eval files are added to `known`."""
        for path in paths:
            found = self._eval_file(path, workspace)
            if found is not None and found.form is not None:
                known[path] = found
                if found.form.runnable in FILE_KINDS:
                    yield found

    def _eval_file(self, path: Path, workspace: WorkspaceFiles) -> Snapshot | None:
        opened, state = workspace.open_snapshot(path), stamp(path)
        if opened is not None:
            self._known.pop(path, None)
            return opened
        if path in self._known and self._known[path][0] == state:
            note_read(path)
            return self._known[path][1]
        text = workspace.files.text(path)
        found = workspace.snapshot(path) if text is not None and may_be_eval(text, path) else None
        if found is not None and found.recognition is not None and found.recognition.text is not None:
            self._known[path] = (state, found)
        return found

    def _knowing(self, workspace: WorkspaceFiles, known: Mapping[Path, Snapshot]) -> WorkspaceFiles:
        """The same files, with snapshots that exist already: recognising a file takes longer than reading it."""

        def snapshot(path: Path) -> Snapshot | None:
            return workspace.open_snapshot(path) or known.get(path)

        return replace(workspace, open_snapshot=snapshot)

    def _trees(
        self, evals: Iterable[Snapshot], known: Mapping[Path, Snapshot]
    ) -> list[tuple[Snapshot, Item]]:
        # Each eval with the process directory of its own workspace folder. All evals first: they fill `known`.
        return [
            (it, item)
            for it in list(evals)
            for item in tests([it], self._knowing(self._workspace.files_for(it), known))
        ]

    def _with_verdicts(self, item: Item, eval_path: Path | None) -> Item:
        if eval_path is None:
            return item
        ledger = self._ledger
        failed = self._annotations.failed_of(eval_path, self._client.encoding)
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

    def text_changed(self, uri: str) -> None:
        """Check at the next pause whether an opened, edited or closed document changed the tree."""
        self._notify_soon(uri)

    def everything_changed(self) -> None:
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
