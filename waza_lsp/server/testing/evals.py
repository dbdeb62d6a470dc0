"""The trees of all evals of a workspace: of each only what has changed since is made again. Runs in threads.

Where the client reports changed files (`reported.py`), the trees that depend on none of these are taken as they are.
"""

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from waza_engine.lib.queries.disk import disk, note_read
from waza_engine.lib.queries.tracking import Result, clock, note_all, track_reads
from waza_lsp.features.tests import Item, tests
from waza_lsp.runnables.runnables import FILE_KINDS
from waza_lsp.schema.document_kind import Form
from waza_lsp.server.reported import ReportedChanges
from waza_lsp.server.workspace import Workspace
from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.workspace import WorkspaceFiles

_FILES_PER_EVAL = 5
"""A part of the evals ends also after so many times more files of tasks."""


class EvalTree(NamedTuple):
    """An eval with its tree."""

    path: Path
    document: Snapshot
    """Without its text."""
    item: Item


class Found(NamedTuple):
    """The evals of the workspace. Unless that is all, some of them are missing or as they were."""

    evals: Sequence[EvalTree]
    is_all: bool


_NOTHING = Found((), is_all=False)


class _File(NamedTuple):
    """A YAML file: its tree if it is an eval, and the files that were read."""

    tree: EvalTree | None
    form: Form | None
    """What it is, if it is an eval or belongs to one."""
    reads: Result
    paths: frozenset[str]


@dataclass(frozen=True, slots=True)
class _State:
    """All files of the workspace that were read, and the documents that were open."""

    folders: Sequence[Path] = ()
    paths: Sequence[Path] = ()
    documents: Mapping[Path | None, Snapshot] = field(default_factory=dict)
    files: Mapping[Path, _File] = field(default_factory=dict)
    outdated: frozenset[Path] = frozenset()
    """The files that are to be read again."""
    found: Found = _NOTHING


class EvalTrees:
    """Keeps the trees, with what they were made of."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()
        self._state = _State()
        self._confirms = False
        self.changes = ReportedChanges()
        """The files that have changed since the last trees."""

    def known(self, documents: Iterable[Snapshot]) -> Found | None:
        """Return all evals at once, if nothing has changed since the last trees as far as was reported."""
        state = self._state
        is_known = (
            state.found.is_all and self.changes.is_empty and (self._confirms or not self._lock.locked())
        )
        now = {it.path: it for it in documents} if is_known else {}
        return (
            state.found
            if is_known and state.folders == self._workspace.folders and not _edited(state.documents, now)
            else None
        )

    def trees(
        self,
        documents: Iterable[Snapshot],
        stop: threading.Event,
        most: int | None = None,
        *,
        goes_on: bool = False,
        confirms: bool = False,
    ) -> Found:
        """Return the evals of the workspace with their trees, of which at most about `most` are read now.

        With `goes_on`, the rest of what was to be read at the call before is read. Ends early once `stop` is set. With
        `confirms`, nobody has reported a change: what is known counts until this has ended.
        """
        with self._lock, self._confirming(confirms):
            now = {it.path: it for it in documents}

            def is_enough(evals: int, files: int) -> bool:
                is_part = most is not None and (evals >= most or files >= most * _FILES_PER_EVAL)
                return is_part or stop.is_set()

            if goes_on and not self._state.found.is_all:
                # In between the disk is not looked at again: files that change all the time would hold the rest up.
                return self._trees(self._state.paths, now, set(), is_enough)
            reported = self.changes.take()
            try:
                paths = tuple(self._workspace.known_yaml_files())
                return self._trees(paths, now, reported, is_enough)
            except BaseException:
                self.changes.look()
                raise

    @contextmanager
    def _confirming(self, confirms: bool) -> Iterator[None]:
        self._confirms = confirms
        try:
            yield
        finally:
            self._confirms = False

    def _trees(
        self,
        paths: Sequence[Path],
        documents: Mapping[Path | None, Snapshot],
        reported: set[str] | None,
        is_enough: Callable[[int, int], bool],
    ) -> Found:
        before, folders = self._state, self._workspace.folders
        edited = {os.path.normpath(it) for it in _edited(before.documents, documents) if it is not None}
        changed = edited | (reported or set())
        current = {
            path: it
            for path, it in before.files.items()
            if path not in before.outdated
            and it.paths.isdisjoint(changed)
            and (reported is not None or it.reads.is_fresh())
        }
        if before.found.is_all and len(paths) == len(current) and all(it in current for it in paths):
            self._state = replace(before, folders=folders, documents=documents)
            return before.found
        read = _Reading(self._workspace, paths, current).read(is_enough)
        # What is not read yet stays as it was.
        files = {path: it for path in paths if (it := read.get(path) or before.files.get(path)) is not None}
        trees = [it.tree for it in files.values() if it.tree is not None]
        found = Found(trees, is_all=len(read) == len(paths))
        outdated = frozenset(files.keys() - read.keys())
        self._state = _State(folders, paths, documents, files, outdated, found)
        return found


def _edited(before: Mapping[Path | None, Snapshot], now: Mapping[Path | None, Snapshot]) -> set[Path | None]:
    return {path for path in before.keys() | now.keys() if before.get(path) is not now.get(path)}


class _Reading:
    """Reads the files that are not current. Those of an eval's tasks are read for its tree, too, but not twice."""

    def __init__(self, workspace: Workspace, paths: Sequence[Path], current: Mapping[Path, _File]) -> None:
        self._workspace = workspace
        self._files_of_folders = workspace.files_of_folders()
        self._files_by_folder: dict[Path | None, WorkspaceFiles] = {}
        self._paths = paths
        self._listed = frozenset(paths)
        self._files = dict(current)
        self._recognised = dict(current)

    def read(self, is_enough: Callable[[int, int], bool]) -> Mapping[Path, _File]:
        """Return the files that are current now. `is_enough` is told how many evals and files of evals were read."""
        evals = files = 0
        for path in self._paths:
            if path in self._files:
                continue
            if is_enough(evals, files):
                break
            it, snapshot = self._recognise(path)
            if it.form is not None:
                files += 1
                if it.form.runnable in FILE_KINDS:
                    evals += 1
                    it = self._with_tree(path, it, snapshot or self._files_of_folders.snapshot(path))
            self._files[path] = it
        return self._files

    def _recognise(self, path: Path) -> tuple[_File, Snapshot | None]:
        """Return a file, and its snapshot if it was read for that."""
        known = self._recognised.get(path)
        if known is not None:
            return known, None
        began = clock.now
        with track_reads() as reads:
            note_read(path)
            found = self._files_of_folders.eval_snapshot(path)
        it = self._recognised[path] = _file(
            None, found.form if found is not None else None, reads.paths, began
        )
        return it, found

    def _with_tree(self, path: Path, file: _File, snapshot: Snapshot | None) -> _File:
        tree = None
        with track_reads() as reads:
            if snapshot is not None:
                for item in tests([snapshot], self._files_around(path)):
                    tree = EvalTree(path, snapshot.without_text(), item)
        return _file(tree, file.form, file.reads.paths() | reads.paths, file.reads.verified_at)

    def _files_around(self, path: Path) -> WorkspaceFiles:
        """Return the files for an eval, with the process directory of its own workspace folder."""
        folder = self._workspace.process_dir(path)
        known = self._files_by_folder.get(folder)
        if known is None:
            known = replace(self._workspace.files_from(folder), open_snapshot=self._snapshot)
            self._files_by_folder[folder] = known
        return known

    def _snapshot(self, path: Path) -> Snapshot | None:
        if path not in self._listed:
            return self._files_of_folders.open_snapshot(path)
        it, snapshot = self._recognise(path)
        note_all(it.reads.dependencies)
        return snapshot or (self._files_of_folders.snapshot(path) if it.form is not None else None)


def _file(tree: EvalTree | None, form: Form | None, paths: Iterable[Path], began: int) -> _File:
    found = frozenset(paths)
    # By the files alone: queries would keep the texts.
    reads = Result(None, map(disk.file, found), began)
    return _File(tree, form, reads, frozenset(map(os.path.normpath, found)))
