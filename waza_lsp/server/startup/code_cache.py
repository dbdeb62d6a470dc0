"""Cache code that libraries compile during imports, as Python caches the bytecode of modules.

attrs, cattrs and dataclasses compile generated methods at every start, and `re` compiles patterns: a third of the time
until the first findings, and until the first hover. The result depends only on the source, its name, the flags and
Python. All of them are part of the key, so other versions of the libraries simply miss the cache.

The cache relies on those modules calling `compile` and `exec` by name. A module that does not is only slower.
"""

import __future__

import functools
import importlib
import marshal
import operator
import os
import re
import stat
import sys
import time
import zlib

# `hashlib` has the same function, but it loads OpenSSL, which takes 4 MB.
from _blake2 import blake2b
from contextlib import suppress
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

_FEW = 0.1
"""The file is not written again for a smaller share of new entries."""
_LARGEST = 16_000_000
_OLD_DAYS = 60


class CacheFile:
    """A file in the user's cache folder with results by the text that they came from: anything that `marshal` can write.

    It is read only if it is complete, written by this Python, and no other user can have written it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = _read(path)
        self._used: set[bytes] = set()
        self._new: dict[bytes, Any] = {}

    def find(self, text: str) -> Any:
        """Return the result for a text, or None. Callers must not change it."""
        key = _key(text)
        found = self._read.get(key)
        if found is not None:
            self._used.add(key)
        return found

    def add(self, text: str, value: Any) -> None:
        self._new[_key(text)] = value

    def write(self) -> None:
        """Write the entries that were used, for the next start. A failure only costs time then."""
        # A few are always new: attrs puts a random number into some sources.
        if len(self._new) > _FEW * len(self._used):
            _write(self._path, {key: self._read[key] for key in self._used} | self._new)


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).digest()


def cache_path(name: str) -> Path | None:
    """Return the cache file of this name for this installation; None if Python must not write bytecode."""
    folder = cache_folder()
    if sys.dont_write_bytecode or folder is None:
        return None
    # Otherwise two installations would keep replacing each other's file.
    place = zlib.crc32(f"{sys.prefix}\n{sys.version}\n{sys.flags.optimize}".encode())
    return folder / "waza-lsp" / f"{name}-{sys.implementation.cache_tag}-{place:08x}.marshal"


def cache_folder() -> Path | None:
    """Return the folder for caches of the user, of all programs; None if there is none."""
    folder = Path(os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", ""))
    if folder.is_absolute():
        return folder
    try:
        home = Path.home()
    except RuntimeError:  # There is no home folder.
        return None
    if os.name == "nt":
        return home / "AppData" / "Local"
    return home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache"


def _stamp() -> bytes:
    """Return what bytecode depends on besides its source."""
    return f"3 {sys.implementation.cache_tag} {sys.version} {sys.flags.optimize}\n".encode()


def _read(path: Path) -> dict[bytes, Any]:
    try:
        with open(path, "rb", opener=_open_at_once) as file:  # pathlib has no opener
            if not _is_own(os.fstat(file.fileno())):
                return {}
            data = memoryview(file.read(_LARGEST + 1))
    except OSError:
        return {}
    start = _stamp()
    body = data[len(start) + 9 :]
    if len(data) > _LARGEST or data[: len(start) + 9] != start + b"%08x\n" % zlib.crc32(body):
        return {}
    found: dict[bytes, Any] = marshal.loads(body)  # noqa: S302  # our own file, with a valid checksum
    return found


def _open_at_once(path: str, flags: int) -> int:
    """Open a file without waiting for the writer of a named pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _is_own(status: os.stat_result) -> bool:
    """Whether only the user can have written the file. Its bytecode is executed."""
    from waza_engine.lib.system.users import is_private

    return is_private(status) and stat.S_ISREG(status.st_mode)


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
    _remove_old(path.parent)


def _remove_old(folder: Path) -> None:
    """Delete files of installations that are gone, and of writers that were killed. One in use is written again."""
    oldest = time.time() - _OLD_DAYS * 86_400
    with suppress(OSError):
        for it in folder.iterdir():
            with suppress(OSError):
                if it.lstat().st_mtime < oldest:
                    it.unlink()


class _PatternCompiler:
    """Replaces the compiler of patterns, `re._compiler`, by one with a cache.

    With `only_modules`, the cache is for patterns that modules compile while they are imported.
    """

    def __init__(self, cache: CacheFile, compiler: Any, *, only_modules: bool = False) -> None:
        self._cache = cache
        self._only_modules = only_modules
        self._compiler = compiler
        self._plain = compiler.compile
        self._make = compiler._sre.compile  # noqa: SLF001  # checks the code and makes a pattern of it

    def compile(self, pattern: Any, flags: int = 0) -> Any:
        """Compile a pattern, as `re._compiler.compile` does."""
        if type(pattern) is not str or (self._only_modules and not _is_of_module()):
            return self._plain(pattern, flags)
        key = f"pattern {flags}\n{pattern}"
        found = self._cache.find(key)
        if found is not None:
            return self._make(pattern, *found)
        made = self._plain(pattern, flags)
        self._cache.add(key, self._parts(made, flags))
        return made

    def _parts(self, made: re.Pattern[str], flags: int) -> tuple[Any, ...]:
        """Return the parts of a compiled pattern besides its text."""
        # A pattern does not expose its code. It is compiled a second time, at the first start only.
        code = self._compiler._code(self._compiler._parser.parse(made.pattern, flags), flags)  # noqa: SLF001  # as above
        names: list[str | None] = [None] * (made.groups + 1)
        for name, number in made.groupindex.items():
            names[number] = name
        # The code has integers of a special class, which marshal cannot write.
        return made.flags, list(map(int, code)), made.groups, dict(made.groupindex), tuple(names)


def _is_of_module() -> bool:
    """Whether `re.compile` is called outside of functions. The call came here through two functions of `re`."""
    return not sys._getframe(_CALLER).f_code.co_flags & _OF_FUNCTION  # noqa: SLF001  # the only way to read the caller


_CALLER = 4
"""How many frames are between `_is_of_module` and the caller of `re.compile`."""
_OF_FUNCTION = 0x1
"""`inspect.CO_OPTIMIZED`: the code has local variables, which that of modules and classes has not."""
AT_FIRST = ("re._compiler", "dataclasses")
"""The modules that compile code for the first findings."""
COMPILING = (*AT_FIRST, "attr._make", "cattrs.gen")
"""The modules that compile code for everything else."""
_INHERITED = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)


class CodeCache:
    """Answers `compile` and `exec` from a file until `save` is called. Without a file, it changes nothing."""

    def __init__(self, cache: CacheFile | None) -> None:
        self._cache = cache
        self._before: list[tuple[ModuleType, dict[str, Any]]] = []

    @classmethod
    def of_user(cls, name: str) -> "CodeCache":
        """The cache with this name in the user's cache folder, if there is one."""
        path = cache_path(name)
        return cls(CacheFile(path) if path is not None else None)

    def intercept(self, *modules: str, only_own_patterns: bool = False) -> None:
        """Answer the calls of these modules from now on.

        With `only_own_patterns`, patterns count that modules compile outside of functions: those of the user's files, which
        may be secret, are never at hand there.
        """
        if self._cache is None:
            return
        for name in modules:
            try:
                module = importlib.import_module(name)
            except ImportError:  # Another version of the library has no such module.
                continue
            # Names in the module come before the built-in functions.
            instead: dict[str, Any] = {"compile": self.compile, "exec": self.execute}
            if name == "re._compiler":
                instead = {
                    "compile": _PatternCompiler(self._cache, module, only_modules=only_own_patterns).compile
                }
            self._before.append((module, {it: vars(module).get(it) for it in instead}))
            vars(module).update(instead)

    def compile(self, *arguments: Any, **named: Any) -> Any:
        """Compile as the built-in function does."""
        if named or list(map(type, arguments)) != [str, str, str]:
            return compile(*arguments, **named)
        # A direct call would use the `from __future__ import` lines of this module.
        flags = sys._getframe(1).f_code.co_flags & _INHERITED  # noqa: SLF001  # the only way to read the caller's flags
        source, filename, mode = arguments
        return self._code(source, filename, mode, flags)

    def execute(self, source: Any, *names: Any) -> None:
        """Execute as the built-in function does."""
        if type(source) is str:
            flags = sys._getframe(1).f_code.co_flags & _INHERITED  # noqa: SLF001  # as above
            source = self._code(source, "<string>", "exec", flags)
        exec(source, *names)  # noqa: S102  # what the caller does

    def _code(self, source: str, filename: str, mode: str, flags: int) -> CodeType:
        key = f"{mode} {flags} {filename}\n{source}"
        found: CodeType | None = self._cache.find(key) if self._cache is not None else None
        if found is not None:
            return found
        made: CodeType = compile(source, filename, mode, flags, dont_inherit=True)
        if self._cache is not None:
            self._cache.add(key, made)
        return made

    def save(self) -> None:
        """Restore the modules and write the file."""
        for module, before in self._before:
            for name, function in before.items():
                if function is None:
                    del vars(module)[name]
                else:
                    setattr(module, name, function)
        cache, self._cache, self._before = self._cache, None, []
        if cache is not None:
            cache.write()
