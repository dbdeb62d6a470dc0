"""The file system as checks see it: texts that are open in the editor take precedence over those on disk."""

import os
import shutil
from collections.abc import Callable, Hashable, Mapping
from enum import Enum, auto
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, TypeVar
from weakref import WeakValueDictionary, ref

from waza_engine.lib.files.safe_read import open_regular, regular_text
from waza_engine.lib.go.glob import BadPattern, fixed_part, glob
from waza_engine.lib.queries.disk import disk, note_read
from waza_engine.lib.queries.store import Database, kept, query
from waza_engine.lib.queries.tracking import Dependency, clock, note
from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.lib.yaml.scalars import plain_with_source

_MAX_BYTES = 5_000_000
_MOST_READ = 20_000
_Value = TypeVar("_Value")


class Files(Database):
    """The disk overlaid with open texts, and the results that are made of both.

    Its methods do not raise: for a missing or unreadable file they return None, False or an empty list. All of them note
    what they read.
    """

    __slots__ = ("_contents", "is_open", "open_data", "open_text", "parse")

    def __init__(
        self,
        open_text: Callable[[Path], str | None] = lambda _: None,
        *,
        is_open: Callable[[Path], bool] | None = None,
        is_snapshot: bool = False,
        is_final: bool = False,
    ) -> None:
        super().__init__(is_snapshot=is_snapshot, is_final=is_final)
        self.open_text = open_text
        self.is_open = is_open or (lambda path: open_text(path) is not None)
        self.open_data: Callable[[Path], Any] = lambda _: None
        self.parse: Callable[[Path, str], Any] = lambda _path, _text: None
        """Returns the data of a file's text, None if it leaves that to us. For files that are parsed anyway."""
        self._contents: WeakValueDictionary[Path, _Content] | None = None

    def snapshot(self, *, is_final: bool = False) -> "Files":
        """Return the same files, each frozen at its first read.

        Use a snapshot to check many files that depend on each other: what they share is read once.
        """
        return Files(self.open_text, is_open=self.is_open, is_snapshot=True, is_final=is_final)

    def once(self, key: Hashable, compute: Callable[[], _Value]) -> _Value:
        """Return a value that depends on files only: kept in a snapshot, computed at each call otherwise."""
        if not self.is_snapshot:
            return compute()
        return kept(self._kept, key, compute)

    def is_file(self, path: Path) -> bool:
        """Whether there is a regular file; links are followed."""
        return _kind_of_file(self, path) is _Kind.FILE

    def is_directory(self, path: Path) -> bool:
        """Whether there is a folder; links are followed."""
        return _kind_of_file(self, path) is _Kind.FOLDER

    def exists(self, path: Path) -> bool:
        """Whether there is anything; links are followed."""
        return _kind_of_file(self, path) is not None

    def has_program(self, command: str) -> bool:
        """Whether a command without a path names a program on this machine."""
        for folder in os.get_exec_path():
            note_read(Path(folder))
            note_read(Path(folder, command))  # An existing file may become executable.
        return shutil.which(command) is not None

    def names(self, folder: Path) -> list[str]:
        """Return the sorted names in a folder."""
        return _names(self, folder)

    def glob(self, pattern: str, folder: Path) -> list[Path]:
        """Return the files and folders below `folder` that match a Go glob; none for an invalid pattern."""
        return _glob(self, pattern, folder)

    def text(self, path: Path) -> str | None:
        """Return the text of a file without a byte order mark; None if it cannot be read or is not UTF-8."""
        # Several readers ask for the text of a task.
        return self.once(("text", path), lambda: self._text(path))

    def _text(self, path: Path) -> str | None:
        text = self.unsaved_text(path)
        if text is not None:
            return text
        try:
            return regular_text(path, "utf-8-sig", _MAX_BYTES)
        except (OSError, UnicodeDecodeError, ValueError):
            return None

    def unsaved_text(self, path: Path) -> str | None:
        """Return the text of an open file; None if the file counts as it is on disk."""
        note(self._content(path))
        return self.open_text(path)

    def unsaved_data(self, path: Path) -> Any:
        """Return the data of an open file as the loader reads it, if `open_data` knows it without a whole reading."""
        note(self._content(path))
        return self.open_data(path)

    def _content(self, path: Path) -> "_Content":
        if self._contents is None:
            # Late: a check makes a document without files for each grader entry.
            self._contents = WeakValueDictionary()
        known = self._contents.get(path)
        if known is None:
            known = self._contents[path] = _Content(self, path)
        return known

    def has_byte_order_mark(self, path: Path) -> bool:
        """Whether the file on disk begins with a byte order mark."""
        note_read(path)
        try:
            with open_regular(path) as file:
                return file.read(3) == b"\xef\xbb\xbf"
        except (OSError, ValueError):
            return False

    def read_as(self, path: Path, reader: Callable[[str], _Value]) -> _Value | None:
        """Return `reader(text)` for the text of a file; None if it cannot be read.

        `reader` is part of the key of the query: pass a module-level function, not a lambda.
        """
        found: _Value | None = _read_as(self, path, reader)
        return found

    def data(self, path: Path) -> Any:
        """Return the plain data of a YAML file, None if it has none."""
        return _data(self, path) if self.is_final else self.read_as(path, _yaml_data)

    def mapping(self, path: Path) -> Mapping[str, Any]:
        """Return the data of a YAML file whose top level is a mapping, {} otherwise."""
        data = self.data(path)
        return data if isinstance(data, dict) else {}


class _Content(Dependency):
    """The content of a file: its open text, else what is on disk."""

    __slots__ = ("__weakref__", "_disk", "_files", "_seen_at", "_value", "path")

    def __init__(self, files: Files, path: Path) -> None:
        super().__init__()
        self.path = path
        self._files = ref(files)
        self._disk = disk.file(path)
        self._seen_at = clock.now
        self._value = self._state()

    def refresh(self) -> int:
        """Compare the content with the last one, at most once in a revision."""
        if self._seen_at != clock.now:
            self._seen_at = clock.now
            now = self._state()
            if now != self._value:
                self._value = now
                self.changed_at = clock.now
        return self.changed_at

    def paths(self) -> set[Path]:
        """Return the file itself."""
        return {self.path}

    def _state(self) -> object:
        files = self._files()
        text = files.open_text(self.path) if files is not None else None
        if text is not None:
            return hash(text)
        self._disk.refresh()
        return self._disk.value


class _Kind(Enum):
    FILE = auto()
    FOLDER = auto()
    OTHER = auto()


@query(keep=_MOST_READ)
def _kind_of_file(_: Files, path: Path) -> _Kind | None:
    note_read(path)
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # The name is too long or contains a NUL.
        return None
    return _Kind.FILE if S_ISREG(mode) else _Kind.FOLDER if S_ISDIR(mode) else _Kind.OTHER


@query(keep=_MOST_READ)
def _names(_: Files, folder: Path) -> list[str]:
    note_read(folder)
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208  # names, not paths
    except (OSError, ValueError):
        return []


@query(keep=_MOST_READ)
def _read_as(files: Files, path: Path, reader: Callable[[str], Any]) -> Any:
    text = files.text(path)
    return reader(text) if text is not None else None


@query(keep=_MOST_READ)
def _glob(_: Files, pattern: str, folder: Path) -> list[Path]:
    note_read(folder / fixed_part(pattern))
    try:
        return [folder / it for it in glob(pattern, folder)]
    except (BadPattern, OSError, ValueError):
        return []


@query(keep=_MOST_READ)
def _data(files: Files, path: Path) -> Any:
    text = files.text(path)
    found = files.parse(path, text) if text is not None else None
    return _yaml_data(text) if found is None and text is not None else found


def _yaml_data(text: str) -> Any:
    try:
        return plain_with_source(read_yaml(text))
    except YamlError:
        return None
