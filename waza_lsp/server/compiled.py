"""Keeps what methods that libraries write at run time were compiled to, as Python keeps the byte code of modules.

attrs and cattrs write the methods for lsprotocol's 554 classes as texts, and have them compiled at every start: a third
of the time until the first hover. What comes of a text depends on the text, its name, the flags and Python alone, and
all of these have to be the same for something kept to be used: with other versions of the libraries there are other
texts, and they are compiled as ever.

It leans on one thing only: that those libraries call `compile` by that name. One that does not is slower, no more.
"""

import __future__

import functools
import importlib
import marshal
import operator
import os
import sys
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import CodeType
from typing import Any

WRITERS = ("attr._make", "cattrs.gen")
"""The modules that write methods."""
_INHERITED = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)
_FEW = 0.1
"""So large a share of new texts is not worth writing."""
_LARGEST = 16_000_000
_Key = tuple[str, str, str, int]
"""A text, the name of its file, the mode, and the flags."""


class Compiled:
    """What is kept in a file, and what had to be compiled all the same. Without a file, nothing is kept."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._kept: Mapping[_Key, CodeType] = _read(path) if path is not None else {}
        self._used: dict[_Key, CodeType] = {}
        self._new: dict[_Key, CodeType] = {}

    def serve(self, *modules: str) -> None:
        """Compile from now on what these modules have compiled."""
        for name in modules if self._path is not None else ():
            try:
                module = importlib.import_module(name)
            except ImportError:  # Another version keeps it elsewhere.
                continue
            module.compile = self.compile  # type: ignore[attr-defined]  # found before the one of Python

    def compile(self, *arguments: Any, **named: Any) -> Any:
        """As `compile` of Python."""
        if named or list(map(type, arguments)) != [str, str, str]:
            return compile(*arguments, **named)
        # Called from here it would go by the `from __future__ import` lines of this module.
        flags = sys._getframe(1).f_code.co_flags & _INHERITED  # noqa: SLF001  # the only way to know the caller's
        source, filename, mode = arguments
        key = source, filename, mode, flags
        found = self._kept.get(key)
        if found is not None:
            self._used[key] = found
            return found
        made: CodeType = compile(source, filename, mode, flags, dont_inherit=True)
        if self._path is not None:
            self._new[key] = made
        return made

    def keep(self) -> None:
        """Write down what was used, for the next start; what cannot be written is compiled again then."""
        # A few texts are new each time: attrs puts a number drawn at the start into some.
        path, used, new = self._path, self._used, self._new
        self._kept, self._used, self._new, self._path = {}, {}, {}, None
        if path is not None and len(new) > _FEW * len(used):
            _write(path, {**used, **new})


def usual_path() -> Path | None:
    """The file for this installation, in the user's folder for such things; None where Python keeps no byte code."""
    folder = _cache_folder()
    if sys.dont_write_bytecode or folder is None:
        return None
    # Two installations would otherwise take turns in replacing what the other one has written.
    place = zlib.crc32(f"{sys.prefix}\n{sys.version}\n{sys.flags.optimize}".encode())
    return folder / "waza-lsp" / f"methods-{sys.implementation.cache_tag}-{place:08x}.marshal"


def _cache_folder() -> Path | None:
    given = Path(os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", ""))
    if given.is_absolute():
        return given
    try:
        home = Path.home()
    except RuntimeError:  # Nobody knows where that is.
        return None
    if os.name == "nt":
        return home / "AppData" / "Local"
    return home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache"


def _stamp() -> bytes:
    """What byte code depends on besides its text."""
    return f"{sys.implementation.cache_tag} {sys.version} {sys.flags.optimize}\n".encode()


def _read(path: Path) -> dict[_Key, CodeType]:
    try:
        with path.open("rb") as file:
            if not _is_own(os.fstat(file.fileno())):
                return {}
            data = file.read(_LARGEST + 1)
    except OSError:
        return {}
    head = _stamp() + b"%08x\n" % zlib.crc32(body := data[len(_stamp()) + 9 :])
    if len(data) > _LARGEST or not data.startswith(head):
        return {}
    found: dict[_Key, CodeType] = marshal.loads(body)  # noqa: S302  # our own file, as whole as it was written
    return found


def _is_own(status: os.stat_result) -> bool:
    """Whether nobody but the user can have written a file: byte code is executed."""
    return os.name == "nt" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def _write(path: Path, kept: dict[Any, Any]) -> None:
    body = marshal.dumps(kept)
    data = _stamp() + b"%08x\n" % zlib.crc32(body) + body
    if len(data) > _LARGEST:
        return
    temporary = path.parent / f"{path.stem}.{os.getpid()}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
