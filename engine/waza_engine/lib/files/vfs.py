"""What checks may ask about other files. Texts that an editor holds open come before those on disk."""

import os
import shutil
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from waza_engine.lib.files.read_tracking import Stamp, note_read, noted_once, stamp
from waza_engine.lib.files.safe_read import is_regular
from waza_engine.lib.go.glob import BadPattern, fixed_part, glob
from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.lib.yaml.scalars import plain_as_written

_LARGEST = 5_000_000
State = Stamp | int
"""Of a file on disk its stamp, of an open text a hash."""
_Made = TypeVar("_Made")


@dataclass(slots=True)
class Files:
    """The disk, with open texts laid over it. What was read is remembered until the file changes.

    Nothing here raises: a file that is not there or cannot be read is None, False or empty.
    """

    open_text: Callable[[Path], str | None] = lambda _: None
    _read: dict[tuple[Path, Callable[[str], Any]], tuple[State, Any]] = field(default_factory=dict)
    _names: dict[Path, tuple[int, list[str]]] = field(default_factory=dict)
    _texts: set[Path] = field(default_factory=set)
    """Files whose texts, not just their existence, somebody has asked for."""
    memory: dict[Any, Any] = field(default_factory=dict)
    """What `checking.memory` remembers of the files that were checked."""
    _held: dict[Hashable, Any] | None = None
    """What was found since files are taken to be as they were."""

    def held(self) -> "Files":
        """The same files, each as it was when it was asked for first from now on.

        For going through many files that look at one another: what all of them ask is found once.
        """
        return replace(self, _held={})

    @property
    def is_held(self) -> bool:
        return self._held is not None

    def once(self, place: Hashable, find: Callable[[], _Made]) -> _Made:
        """What is the same for all files as long as none is another; found anew each time unless they are `held`."""
        return find() if self._held is None else noted_once(self._held, place, find)

    def is_file(self, path: Path) -> bool:
        note_read(path)
        return _quietly(path.is_file, default=False)

    def is_directory(self, path: Path) -> bool:
        note_read(path)
        return _quietly(path.is_dir, default=False)

    def exists(self, path: Path) -> bool:
        note_read(path)
        return _quietly(path.exists, default=False)

    def finds_program(self, command: str) -> bool:
        """Whether a command without a path names a program on this machine."""
        for folder in os.get_exec_path():
            note_read(Path(folder))
            note_read(Path(folder, command))  # It may be there, and become executable.
        return shutil.which(command) is not None

    def names(self, folder: Path) -> list[str]:
        """The names in a folder, sorted; none when there is no such folder."""
        note_read(folder)
        try:
            stamp = folder.stat().st_mtime_ns
            if folder not in self._names or self._names[folder][0] != stamp:
                self._names[folder] = (stamp, sorted(os.listdir(folder)))  # noqa: PTH208  # names are wanted, not paths
        except (OSError, ValueError):
            return []
        return self._names[folder][1]

    def matching(self, pattern: str, folder: Path) -> list[Path]:
        """The files and folders below `folder` that a Go glob names; none for a pattern that Go refuses."""
        return self.once(("matching", pattern, folder), lambda: _matching(pattern, folder))

    def text(self, path: Path) -> str | None:
        """The text of a file, None when it cannot be read or is not UTF-8. A byte-order mark is left out."""
        note_read(path)
        self._texts.add(path)
        text = self.open_text(path)
        if text is not None:
            return text
        try:
            return path.read_text(encoding="utf-8-sig") if _is_readable(path) else None
        except (OSError, UnicodeDecodeError, ValueError):
            return None

    def starts_with_mark(self, path: Path) -> bool:
        """Whether a file on disk begins with a byte-order mark."""
        note_read(path)
        try:
            if not _is_readable(path):
                return False
            with path.open("rb") as file:
                return file.read(3) == b"\xef\xbb\xbf"
        except (OSError, ValueError):
            return False

    def made(self, path: Path, reader: Callable[[str], _Made]) -> _Made | None:
        """What `reader` makes of a file's text, remembered until it changes; None when it cannot be read.

        `reader` must be a function that lives as long as the program, not one made on the spot.
        """
        note_read(path)
        if not self.is_held:  # The usual case, at every edit.
            return self._made(path, reader)
        return self.once((path, reader), lambda: self._made(path, reader))

    def _made(self, path: Path, reader: Callable[[str], _Made]) -> _Made | None:
        self._texts.add(path)
        state = self.state(path)
        place = (path, reader)
        if place not in self._read or self._read[place][0] != state:
            text = self.text(path)
            self._read[place] = (state, reader(text) if text is not None else None)
        result: _Made | None = self._read[place][1]
        return result

    def data(self, path: Path) -> Any:
        """The plain data of a YAML file, None when there is none."""
        return self.made(path, _yaml_data)

    def mapping(self, path: Path) -> Mapping[str, Any]:
        """The data of a YAML file whose top level is a mapping; empty otherwise."""
        data = self.data(path)
        return data if isinstance(data, dict) else {}

    def is_asked_for_text(self, path: Path) -> bool:
        """Whether somebody has asked for the text of a file: then an editor that holds it open has a say."""
        return path in self._texts

    def state(self, path: Path) -> State:
        """What tells one state of a file, open or on disk, from another."""
        text = self.open_text(path) if path in self._texts else None
        return stamp(path) if text is None else hash(text)


def _matching(pattern: str, folder: Path) -> list[Path]:
    note_read(folder / fixed_part(pattern))
    try:
        return [folder / it for it in glob(pattern, folder)]
    except (BadPattern, OSError, ValueError):
        return []


def _is_readable(path: Path) -> bool:
    """Whether it is a file of bearable size."""
    return is_regular(path) and path.stat().st_size <= _LARGEST


def _yaml_data(text: str) -> Any:
    try:
        return plain_as_written(read_yaml(text))
    except YamlError:
        return None


def _quietly(ask: Callable[[], bool], *, default: bool) -> bool:
    try:
        return ask()
    except (OSError, ValueError):  # such as a name that is too long, or a NUL in it
        return default
