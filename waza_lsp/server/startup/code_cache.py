"""Keeps what is compiled at run time while modules are imported, as Python keeps the byte code of the modules.

attrs, cattrs and dataclasses write methods as texts and have them compiled at every start, and `re` compiles patterns:
a third of the time until the first findings, and until the first hover. What comes of a text depends on the
text, its name, the flags and Python alone, and all of these have to be the same for something kept to be used: with
other versions of the libraries there are other texts, and they are compiled as ever.

It leans on one thing only: that those modules call what compiles by the names below. One that does not is slower, no
more.
"""

import __future__

import functools
import importlib
import marshal
import operator
import os
import re
import sys
import zlib

# What `hashlib` gives is the same: but it loads OpenSSL, which takes 4 MB.
from _blake2 import blake2b
from contextlib import suppress
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

_FEW = 0.1
"""So large a share of new entries is not worth writing."""
_LARGEST = 16_000_000


class Kept:
    """What is in a file, what of it was used, and what is new: whatever `marshal` can write."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = _read(path)
        self._used: set[bytes] = set()
        self._new: dict[bytes, Any] = {}

    def find(self, text: str) -> Any:
        """What was made of this text, or None. What is found must not be changed."""
        key = _key(text)
        found = self._read.get(key)
        if found is not None:
            self._used.add(key)
        return found

    def add(self, text: str, value: Any) -> None:
        self._new[_key(text)] = value

    def write(self) -> None:
        """Write down what was used, for the next start; what cannot be written is worked out again then."""
        # A few are new each time: attrs puts a number drawn at the start into some texts.
        if len(self._new) > _FEW * len(self._used):
            _write(self._path, {key: self._read[key] for key in self._used} | self._new)


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).digest()


def usual_path(name: str) -> Path | None:
    """The file of this name for this installation; None where Python keeps no byte code."""
    folder = _cache_folder()
    if sys.dont_write_bytecode or folder is None:
        return None
    # Two installations would otherwise take turns in replacing what the other one has written.
    place = zlib.crc32(f"{sys.prefix}\n{sys.version}\n{sys.flags.optimize}".encode())
    return folder / "waza-lsp" / f"{name}-{sys.implementation.cache_tag}-{place:08x}.marshal"


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
    return f"3 {sys.implementation.cache_tag} {sys.version} {sys.flags.optimize}\n".encode()


def _read(path: Path) -> dict[bytes, Any]:
    try:
        with path.open("rb") as file:
            if not _is_own(os.fstat(file.fileno())):
                return {}
            data = memoryview(file.read(_LARGEST + 1))
    except OSError:
        return {}
    start = _stamp()
    body = data[len(start) + 9 :]
    if len(data) > _LARGEST or data[: len(start) + 9] != start + b"%08x\n" % zlib.crc32(body):
        return {}
    found: dict[bytes, Any] = marshal.loads(body)  # noqa: S302  # our own file, as whole as it was written
    return found


def _is_own(status: os.stat_result) -> bool:
    """Whether nobody but the user can have written a file: byte code is executed."""
    return os.name == "nt" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def _write(path: Path, entries: dict[bytes, Any]) -> None:
    body = marshal.dumps(entries)
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


class KeptPatterns:
    """Stands in for the compiler of patterns, `re._compiler`."""

    def __init__(self, kept: Kept, compiler: Any) -> None:
        self._kept = kept
        self._compiler = compiler
        self._plain = compiler.compile
        self._make = compiler._sre.compile  # noqa: SLF001  # checks what it is given, and makes patterns of it

    def compile(self, pattern: Any, flags: int = 0) -> Any:
        """As `re._compiler.compile`."""
        if type(pattern) is not str:
            return self._plain(pattern, flags)
        key = f"pattern {flags}\n{pattern}"
        found = self._kept.find(key)
        if found is not None:
            return self._make(pattern, *found)
        made = self._plain(pattern, flags)
        self._kept.add(key, self._parts(made, flags))
        return made

    def _parts(self, made: re.Pattern[str], flags: int) -> tuple[Any, ...]:
        """What a pattern is made of besides its text."""
        # What it was compiled to cannot be asked of the pattern itself: once more, at the first start only.
        code = self._compiler._code(self._compiler._parser.parse(made.pattern, flags), flags)  # noqa: SLF001  # as above
        names: list[str | None] = [None] * (made.groups + 1)
        for name, number in made.groupindex.items():
            names[number] = name
        # Numbers of a class of its own, which cannot be written.
        return made.flags, list(map(int, code)), made.groups, dict(made.groupindex), tuple(names)


STARTS = ("re._compiler", "dataclasses")
"""The modules that compile what the first findings need."""
WRITERS = (*STARTS, "attr._make", "cattrs.gen")
"""Those that compile what all else needs."""
_INHERITED = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)


class Compiled:
    """Stands in for what compiles, until `keep`. Without a file, everything is as ever."""

    def __init__(self, kept: Kept | None) -> None:
        self._kept = kept
        self._before: list[tuple[ModuleType, dict[str, Any]]] = []

    @classmethod
    def usual(cls, name: str) -> "Compiled":
        """Keeps in the file of this name in the user's cache folder, where there is one."""
        path = usual_path(name)
        return cls(Kept(path) if path is not None else None)

    def serve(self, *modules: str) -> None:
        """Compile from now on what these modules have compiled."""
        if self._kept is None:
            return
        for name in modules:
            try:
                module = importlib.import_module(name)
            except ImportError:  # Another version keeps it elsewhere.
                continue
            # In a module that has none of its own, they are found before those of Python.
            instead: dict[str, Any] = {"compile": self.compile, "exec": self.execute}
            if name == "re._compiler":
                instead = {"compile": KeptPatterns(self._kept, module).compile}
            self._before.append((module, {it: vars(module).get(it) for it in instead}))
            vars(module).update(instead)

    def compile(self, *arguments: Any, **named: Any) -> Any:
        """As `compile` of Python."""
        if named or list(map(type, arguments)) != [str, str, str]:
            return compile(*arguments, **named)
        # Called from here it would go by the `from __future__ import` lines of this module.
        flags = sys._getframe(1).f_code.co_flags & _INHERITED  # noqa: SLF001  # the only way to know the caller's
        source, filename, mode = arguments
        return self._code(source, filename, mode, flags)

    def execute(self, source: Any, *names: Any) -> None:
        """As `exec` of Python with the names given."""
        if type(source) is str:
            flags = sys._getframe(1).f_code.co_flags & _INHERITED  # noqa: SLF001  # as above
            source = self._code(source, "<string>", "exec", flags)
        exec(source, *names)  # noqa: S102  # what the caller does

    def _code(self, source: str, filename: str, mode: str, flags: int) -> CodeType:
        key = f"{mode} {flags} {filename}\n{source}"
        found: CodeType | None = self._kept.find(key) if self._kept is not None else None
        if found is not None:
            return found
        made: CodeType = compile(source, filename, mode, flags, dont_inherit=True)
        if self._kept is not None:
            self._kept.add(key, made)
        return made

    def keep(self) -> None:
        """Let everybody compile alone again, and write down what was used."""
        for module, before in self._before:
            for name, function in before.items():
                if function is None:
                    del vars(module)[name]
                else:
                    setattr(module, name, function)
        kept, self._kept, self._before = self._kept, None, []
        if kept is not None:
            kept.write()
