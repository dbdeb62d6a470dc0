"""The file system as checks see it: texts that are open in the editor take precedence over those on disk."""

import os
import shutil
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from waza_engine.lib.files.read_tracking import Stamp, cached_with_reads, note_read, stamp
from waza_engine.lib.files.safe_read import open_regular, regular_text
from waza_engine.lib.go.glob import BadPattern, fixed_part, glob
from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.lib.yaml.scalars import plain_with_source

_MAX_BYTES = 5_000_000
State = Stamp | int
"""The stamp of a file on disk, or the hash of an open text."""
_Value = TypeVar("_Value")


@dataclass(slots=True)
class Files:
    """The disk overlaid with open texts. File contents are cached until the file changes.

    Its methods do not raise: for a missing or unreadable file they return None, False or an empty list. All of them note
    what they read (`lib.files.read_tracking`).
    """

    open_text: Callable[[Path], str | None] = lambda _: None
    _read: dict[tuple[Path, Callable[[str], Any]], tuple[State, Any]] = field(default_factory=dict)
    _names: dict[Path, tuple[int, list[str]]] = field(default_factory=dict)
    _texts: set[Path] = field(default_factory=set)
    """Files whose content was read, not only their existence."""
    memo: dict[Any, Any] = field(default_factory=dict)
    """Cached findings of checked files (`analysis.incremental`)."""
    _frozen: dict[Hashable, Any] | None = None
    """The cache of a snapshot, which is never invalidated; None if this is not a snapshot."""
    is_final: bool = False
    """Whether this is a snapshot for a command that ends soon: nobody asks which files were read."""

    def snapshot(self, *, is_final: bool = False) -> "Files":
        """Return the same files, each frozen at its first read.

        Use a snapshot to check many files that depend on each other: what they share is read once.
        """
        return replace(self, _frozen={}, is_final=is_final)

    @property
    def is_snapshot(self) -> bool:
        return self._frozen is not None

    def once(self, key: Hashable, compute: Callable[[], _Value]) -> _Value:
        """Return a value that depends on files only: cached in a snapshot, computed at each call otherwise."""
        if self._frozen is None:
            return compute()
        if not self.is_final:
            return cached_with_reads(self._frozen, key, compute)
        if key not in self._frozen:
            self._frozen[key] = compute()
        value: _Value = self._frozen[key]
        return value

    def is_file(self, path: Path) -> bool:
        note_read(path)
        return _or_false(path.is_file)

    def is_directory(self, path: Path) -> bool:
        note_read(path)
        return _or_false(path.is_dir)

    def exists(self, path: Path) -> bool:
        note_read(path)
        return _or_false(path.exists)

    def has_program(self, command: str) -> bool:
        """Whether a command without a path names a program on this machine."""
        for folder in os.get_exec_path():
            note_read(Path(folder))
            note_read(Path(folder, command))  # An existing file may become executable.
        return shutil.which(command) is not None

    def names(self, folder: Path) -> list[str]:
        """Return the sorted names in a folder."""
        if self.is_snapshot:
            return self.once(("names", folder), lambda: self._names_of(folder))
        return self._names_of(folder)

    def _names_of(self, folder: Path) -> list[str]:
        note_read(folder)
        try:
            time = folder.stat().st_mtime_ns
            if folder not in self._names or self._names[folder][0] != time:
                self._names[folder] = (time, sorted(os.listdir(folder)))  # noqa: PTH208  # names, not paths
        except (OSError, ValueError):
            return []
        return self._names[folder][1]

    def glob(self, pattern: str, folder: Path) -> list[Path]:
        """Return the files and folders below `folder` that match a Go glob; none for an invalid pattern."""
        return self.once(("glob", pattern, folder), lambda: _glob(pattern, folder))

    def text(self, path: Path) -> str | None:
        """Return the text of a file without a byte order mark; None if it cannot be read or is not UTF-8."""
        if self.is_snapshot:  # Several readers ask for the text of a task.
            return self.once(("text", path), lambda: self._text(path))
        return self._text(path)

    def _text(self, path: Path) -> str | None:
        note_read(path)
        self._texts.add(path)
        text = self.open_text(path)
        if text is not None:
            return text
        try:
            return regular_text(path, "utf-8-sig", _MAX_BYTES)
        except (OSError, UnicodeDecodeError, ValueError):
            return None

    def has_byte_order_mark(self, path: Path) -> bool:
        """Whether the file on disk begins with a byte order mark."""
        note_read(path)
        try:
            with open_regular(path) as file:
                return file.read(3) == b"\xef\xbb\xbf"
        except (OSError, ValueError):
            return False

    def read_as(self, path: Path, reader: Callable[[str], _Value]) -> _Value | None:
        """Return `reader(text)` for the text of a file, cached until the text changes; None if it cannot be read.

        `reader` is part of the cache key: pass a module-level function, not a lambda.
        """
        note_read(path)
        if not self.is_snapshot:  # The usual case, at every edit.
            return self._read_as(path, reader)
        return self.once((path, reader), lambda: self._read_as(path, reader))

    def _read_as(self, path: Path, reader: Callable[[str], _Value]) -> _Value | None:
        self._texts.add(path)
        if self.is_snapshot:
            text = self.text(path)
            return reader(text) if text is not None else None
        state = self.state(path)
        key = (path, reader)
        if key not in self._read or self._read[key][0] != state:
            text = self.text(path)
            self._read[key] = (state, reader(text) if text is not None else None)
        result: _Value | None = self._read[key][1]
        return result

    def data(self, path: Path) -> Any:
        """Return the plain data of a YAML file, None if it has none."""
        return self.read_as(path, _yaml_data)

    def mapping(self, path: Path) -> Mapping[str, Any]:
        """Return the data of a YAML file whose top level is a mapping, {} otherwise."""
        data = self.data(path)
        return data if isinstance(data, dict) else {}

    def is_text_dependency(self, path: Path) -> bool:
        """Whether the content of a file was read. If so, opening the file in the editor can change its state."""
        return path in self._texts

    def state(self, path: Path) -> State:
        """Return a value that changes whenever the file does, be it open or on disk."""
        text = self.open_text(path) if path in self._texts else None
        return stamp(path) if text is None else hash(text)


def _glob(pattern: str, folder: Path) -> list[Path]:
    note_read(folder / fixed_part(pattern))
    try:
        return [folder / it for it in glob(pattern, folder)]
    except (BadPattern, OSError, ValueError):
        return []


def _yaml_data(text: str) -> Any:
    try:
        return plain_with_source(read_yaml(text))
    except YamlError:
        return None


def _or_false(is_true: Callable[[], bool]) -> bool:
    try:
        return is_true()
    except (OSError, ValueError):  # The name is too long or contains a NUL.
        return False
