"""The trees of all evals of a workspace: of each only what has changed since is made again. Runs in threads."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from waza_engine.lib.queries.disk import disk, note_read
from waza_engine.lib.queries.tracking import Result, clock, note_all, track_reads
from waza_lsp.features.tests import Item, tests
from waza_lsp.runnables.runnables import FILE_KINDS
from waza_lsp.schema.document_kind import may_be_eval
from waza_lsp.server.workspace import Workspace
from waza_lsp.snapshot import Snapshot

_FILES_PER_EVAL = 5
"""A part of the evals ends also after so many times more files of tasks."""


class EvalTree(NamedTuple):
    """An eval with its tree."""

    path: Path
    snapshot: Snapshot
    item: Item


class Found(NamedTuple):
    """The evals of the workspace. Unless that is all, some of them are missing or as they were."""

    evals: Sequence[EvalTree]
    is_all: bool


_NOTHING = Found((), is_all=False)


class _File(NamedTuple):
    """A YAML file: its snapshot if it belongs to an eval, its tree if it is one, and the files that were read."""

    snapshot: Snapshot | None
    tree: Item | None
    reads: Result
    paths: frozenset[Path]


@dataclass(frozen=True, slots=True)
class _State:
    """All files of the workspace that were read, and the documents that were open."""

    paths: tuple[Path, ...] = ()
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

    def trees(
        self,
        documents: Iterable[Snapshot],
        stop: threading.Event,
        most: int | None = None,
        *,
        goes_on: bool = False,
    ) -> Found:
        """Return the evals of the workspace with their trees, of which at most about `most` are read now.

        With `goes_on`, the rest of what was to be read at the call before is read. Ends early once `stop` is set.
        """
        with self._lock:
            now = {it.path: it for it in documents}
            return self._trees(now, stop, most, goes_on=goes_on and not self._state.found.is_all)

    def _trees(
        self,
        documents: Mapping[Path | None, Snapshot],
        stop: threading.Event,
        most: int | None,
        *,
        goes_on: bool,
    ) -> Found:
        before = self._state
        paths = before.paths if goes_on else tuple(self._workspace.known_yaml_files())
        edited = _edited(before.documents, documents)
        # In between the disk is not looked at again: files that change all the time would hold the rest up.
        current = {
            path: it
            for path, it in before.files.items()
            if path not in before.outdated
            and it.paths.isdisjoint(edited)
            and (goes_on or it.reads.is_fresh())
        }
        if before.found.is_all and len(paths) == len(current) and all(it in current for it in paths):
            return before.found
        reading = _Reading(self._workspace, paths, current)
        read = reading.read(lambda evals, files: stop.is_set() or _is_enough(evals, files, most))
        # What is not read yet stays as it was.
        files = {path: it for path in paths if (it := read.get(path) or before.files.get(path)) is not None}
        trees = [
            EvalTree(path, it.snapshot, it.tree) for path, it in files.items() if it.snapshot and it.tree
        ]
        found = Found(trees, is_all=len(read) == len(paths))
        self._state = _State(paths, documents, files, frozenset(files.keys() - read.keys()), found)
        return found


def _edited(before: Mapping[Path | None, Snapshot], now: Mapping[Path | None, Snapshot]) -> set[Path | None]:
    return {path for path in before.keys() | now.keys() if before.get(path) is not now.get(path)}


def _is_enough(evals: int, files: int, most: int | None) -> bool:
    return most is not None and (evals >= most or files >= most * _FILES_PER_EVAL)


class _Reading:
    """Reads the files that are not current. Those of an eval's tasks are read for its tree, too, but not twice."""

    def __init__(self, workspace: Workspace, paths: Sequence[Path], current: Mapping[Path, _File]) -> None:
        self._workspace = workspace
        self._files_of_folders = workspace.files_of_folders()
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
            it = self._recognise(path)
            if it.snapshot is not None:
                files += 1
                if it.snapshot.form is not None and it.snapshot.form.runnable in FILE_KINDS:
                    evals += 1
                    it = self._with_tree(it, it.snapshot)
            self._files[path] = it
        return self._files

    def _recognise(self, path: Path) -> _File:
        known = self._recognised.get(path)
        if known is not None:
            return known
        workspace, began = self._files_of_folders, clock.now
        with track_reads() as reads:
            note_read(path)
            opened = workspace.open_snapshot(path)
            text = None if opened is not None else workspace.files.text(path)
            found = workspace.snapshot(path) if text is not None and may_be_eval(text, path) else opened
        is_eval_file = found is not None and found.form is not None
        it = self._recognised[path] = _file(found if is_eval_file else None, None, reads.paths, began)
        return it

    def _with_tree(self, file: _File, snapshot: Snapshot) -> _File:
        with track_reads() as reads:
            # With the process directory of its own workspace folder.
            files = replace(self._workspace.files_for(snapshot), open_snapshot=self._snapshot)
            tree = next(iter(tests([snapshot], files)), None)
        return _file(snapshot, tree, file.paths | reads.paths, file.reads.verified_at)

    def _snapshot(self, path: Path) -> Snapshot | None:
        if path not in self._listed:
            return self._files_of_folders.open_snapshot(path)
        it = self._recognise(path)
        note_all(it.reads.dependencies)
        return it.snapshot


def _file(snapshot: Snapshot | None, tree: Item | None, paths: Iterable[Path], began: int) -> _File:
    found = frozenset(paths)
    # By the files alone: queries would keep the texts.
    return _File(snapshot, tree, Result(None, map(disk.file, found), began), found)
