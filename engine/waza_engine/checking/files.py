"""What checks may ask about other files. Texts that an editor holds open come before those on disk."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from waza_engine.goglob import BadPattern, glob
from waza_engine.scalars import plain
from waza_engine.yaml_reader import YamlError, read_yaml

_LARGEST = 5_000_000
_Stamp = tuple[int, int] | int


@dataclass(slots=True)
class Files:
    """The disk, with open texts laid over it. What was read is remembered until the file changes.

    Nothing here raises: a file that is not there or cannot be read is None, False or empty.
    """

    open_text: Callable[[Path], str | None] = lambda _: None
    _read: dict[Path, tuple[_Stamp, Any]] = field(default_factory=dict)

    def is_file(self, path: Path) -> bool:
        return _quietly(path.is_file, default=False)

    def is_directory(self, path: Path) -> bool:
        return _quietly(path.is_dir, default=False)

    def matching(self, pattern: str, folder: Path) -> list[Path]:
        """The files and folders below `folder` that a Go glob names; none for a pattern that Go refuses."""
        try:
            return [folder / it for it in glob(pattern, folder)]
        except (BadPattern, OSError, ValueError):
            return []

    def text(self, path: Path) -> str | None:
        """The text of a file, None when it cannot be read or is not UTF-8."""
        text = self.open_text(path)
        if text is not None:
            return text
        try:
            return path.read_text(encoding="utf-8-sig") if path.stat().st_size <= _LARGEST else None
        except (OSError, UnicodeDecodeError):
            return None

    def data(self, path: Path) -> Any:
        """The plain data of a YAML file, None when there is none."""
        stamp = self._stamp(path)
        if path not in self._read or self._read[path][0] != stamp:
            self._read[path] = (stamp, self._parsed(path))
        return self._read[path][1]

    def mapping(self, path: Path) -> Mapping[str, Any]:
        """The data of a YAML file whose top level is a mapping; empty otherwise."""
        data = self.data(path)
        return data if isinstance(data, dict) else {}

    def _parsed(self, path: Path) -> Any:
        text = self.text(path)
        try:
            return plain(read_yaml(text)) if text is not None else None
        except YamlError:
            return None

    def _stamp(self, path: Path) -> _Stamp:
        text = self.open_text(path)
        if text is not None:
            return hash(text)
        try:
            status = path.stat()
        except OSError:
            return 0
        return status.st_mtime_ns, status.st_size


def _quietly(ask: Callable[[], bool], *, default: bool) -> bool:
    try:
        return ask()
    except (OSError, ValueError):  # such as a name that is too long, or a NUL in it
        return default
