"""The trees of all evals of a workspace: of each only what has changed since is made again. Runs in threads."""

import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from waza_engine.lib.queries.disk import Stamp, note_read, stamp
from waza_engine.lib.queries.tracking import track_reads
from waza_lsp.features.tests import Item, tests
from waza_lsp.runnables.runnables import FILE_KINDS
from waza_lsp.schema.document_kind import may_be_eval
from waza_lsp.server.workspace import Workspace
from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.workspace import WorkspaceFiles


class EvalTree(NamedTuple):
    """An eval with its tree."""

    path: Path
    snapshot: Snapshot
    item: Item


class _File(NamedTuple):
    """A YAML file: its snapshot if it belongs to an eval, its tree if it is one, and the files that were read."""

    snapshot: Snapshot | None
    tree: Item | None
    reads: frozenset[Path]


@dataclass(frozen=True, slots=True)
class _State:
    """All files of the workspace, the documents that were open, and the stamps of everything that was read."""

    documents: Mapping[Path | None, Snapshot] = field(default_factory=dict)
    files: Mapping[Path, _File] = field(default_factory=dict)
    stamps: Mapping[Path, Stamp] = field(default_factory=dict)
    found: list[EvalTree] = field(default_factory=list)


class EvalTrees:
    """Caches the trees, with what they were made of."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()
        self._state = _State()

    def trees(self, documents: Iterable[Snapshot], stop: threading.Event) -> list[EvalTree]:
        """Return the evals of the workspace with their trees. Ends early once `stop` is set."""
        with self._lock:
            return self._trees({it.path: it for it in documents}, stop)

    def _trees(self, documents: Mapping[Path | None, Snapshot], stop: threading.Event) -> list[EvalTree]:
        began, before = time.time_ns(), self._state
        paths = tuple(self._workspace.known_yaml_files())
        changed = self._changed(documents)
        if not changed and len(paths) == len(before.files) and all(it in before.files for it in paths):
            return before.found
        kept = {
            it: before.files[it]
            for it in paths
            if it in before.files and before.files[it].reads.isdisjoint(changed)
        }
        files = self._read(paths, kept, stop)
        found = [
            EvalTree(path, it.snapshot, it.tree) for path, it in files.items() if it.snapshot and it.tree
        ]
        if not stop.is_set():
            stamps = {
                path: before.stamps[path] if file is kept.get(name) and path in before.stamps else stamp(path)
                for name, file in files.items()
                for path in file.reads
            }
            recent = {path for path, it in stamps.items() if it is not None and max(it[:2]) >= began}
            # A file may have changed after it was read.
            files = {name: it for name, it in files.items() if it.reads.isdisjoint(recent)}
            self._state = _State(documents, files, stamps, found)
        return found

    def _changed(self, documents: Mapping[Path | None, Snapshot]) -> set[Path | None]:
        """Return the files that have changed since the last time, on disk or in the editor."""
        before = self._state
        found: set[Path | None] = {path for path, it in before.stamps.items() if stamp(path) != it}
        found.update(path for path, it in documents.items() if before.documents.get(path) is not it)
        found.update(path for path in before.documents if path not in documents)
        return found

    def _read(
        self, paths: Iterable[Path], kept: Mapping[Path, _File], stop: threading.Event
    ) -> dict[Path, _File]:
        known = {path: it.snapshot for path, it in kept.items() if it.snapshot is not None}
        workspace = knowing(self._workspace.files_of_folders(), known)
        files: dict[Path, _File] = {}
        # All files first: the trees are made of their snapshots.
        for path in paths:
            if stop.is_set():
                break
            files[path] = kept.get(path) or _recognised(path, workspace)
            snapshot = files[path].snapshot
            if snapshot is not None:
                known[path] = snapshot
        for path, it in files.items():
            form = it.snapshot.form if it.snapshot is not None else None
            if path not in kept and it.snapshot is not None and form and form.runnable in FILE_KINDS:
                with track_reads() as reads:
                    # With the process directory of its own workspace folder.
                    trees = tests([it.snapshot], knowing(self._workspace.files_for(it.snapshot), known))
                files[path] = _File(it.snapshot, next(iter(trees), None), it.reads | reads.paths)
        return files


def _recognised(path: Path, workspace: WorkspaceFiles) -> _File:
    with track_reads() as reads:
        note_read(path)
        opened = workspace.open_snapshot(path)
        text = None if opened is not None else workspace.files.text(path)
        found = workspace.snapshot(path) if text is not None and may_be_eval(text, path) else opened
    is_eval_file = found is not None and found.form is not None
    return _File(found if is_eval_file else None, None, frozenset(reads.paths))


def knowing(workspace: WorkspaceFiles, known: Mapping[Path, Snapshot]) -> WorkspaceFiles:
    """Return the same files, with snapshots that exist already: recognising a file takes longer than reading it."""

    def snapshot(path: Path) -> Snapshot | None:
        note_read(path)
        return workspace.open_snapshot(path) or known.get(path)

    return replace(workspace, open_snapshot=snapshot)
