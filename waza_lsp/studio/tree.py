"""List the files of the studio's folder: what neither git nor the project's settings exclude."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.project.discovery import workspace_files
from waza_engine.project.settings import Projects
from waza_lsp.schema.document_kind import may_be_eval
from waza_lsp.snapshot import Snapshot

MAX_ENTRIES = 5_000
_MOST_FILES = 20_000
_SUFFIXES = (".yaml", ".yml")
_MAX_EVAL_BYTES = 500_000
"""Larger files are not parsed only to show an icon."""


class Tree:
    """The files of a folder. Remembers which of them are evals until they change."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._evals: dict[Path, tuple[tuple[int, int], bool]] = {}

    def read(self) -> dict[str, Any]:
        """Return files and folders, in the order of their paths. Runs in a thread."""
        entries: list[dict[str, Any]] = []
        folders: set[Path] = set()
        for path in workspace_files(self._folder, Projects()):
            relative = path.relative_to(self._folder)
            for folder in reversed(relative.parents[:-1]):
                if folder not in folders:
                    folders.add(folder)
                    entries.append({"path": folder.as_posix(), "kind": "folder", "is_eval": False})
            if len(entries) >= MAX_ENTRIES:
                return {"entries": entries[:MAX_ENTRIES], "truncated": True}
            entries.append({"path": relative.as_posix(), "kind": "file", "is_eval": self._is_eval(path)})
        return {"entries": entries, "truncated": False}

    def evals(self) -> Iterator[Path]:
        """Yield the YAML files. In a folder with very many files, only those among the first ones."""
        files = itertools.islice(workspace_files(self._folder, Projects()), _MOST_FILES)
        return (it for it in files if it.suffix in _SUFFIXES)

    def _is_eval(self, path: Path) -> bool:
        if path.suffix not in _SUFFIXES:
            return False
        try:
            about = path.stat()
            state = (about.st_mtime_ns, about.st_size)
            known = self._evals.get(path)
            if known is None or known[0] != state:
                self._evals[path] = known = state, self._recognise(path)
        except OSError:
            return False
        return known[1]

    def _recognise(self, path: Path) -> bool:
        text = regular_bytes(path, _MAX_EVAL_BYTES, inside=self._folder).decode("utf-8", "replace")
        return may_be_eval(text, path) and Snapshot.of(path.as_uri(), text).recognition is not None
