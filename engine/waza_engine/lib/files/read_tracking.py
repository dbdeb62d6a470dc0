"""Record which files, folders and top-level keys a check reads, so that its result can be cached.

The cache opens `track_reads` around a check; code that reads for the check calls `note_read` or `note_keys`. The result
stays valid until one of these dependencies changes.
"""

import os
from collections.abc import Callable, Hashable, Set
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

Stamp = tuple[int, int, int] | None
"""Modification time, status change time (both in nanoseconds) and size; None if the file is missing or inaccessible."""

_Value = TypeVar("_Value")
_current: "ContextVar[track_reads | None]" = ContextVar("track_reads", default=None)


class track_reads:  # noqa: N801  # used like a function: `with track_reads() as reads:`
    """Collect the dependencies noted inside the `with` block. An outer block does not get them.

    Not a generator with `contextmanager`, which takes four times as long: every edit opens many of these blocks.
    """

    __slots__ = ("_outer", "keys", "paths")

    def __enter__(self) -> "track_reads":
        self.paths: set[Path] = set()
        """Files and folders, missing ones included."""
        self.keys: set[str] = set()
        """Top-level keys of the document."""
        self._outer = _current.get()
        _current.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _current.set(self._outer)


def note_read(path: Path) -> None:
    """Note that the current check depends on this file or folder."""
    current = _current.get()
    if current is not None:
        current.paths.add(path)


def note_reads(paths: Set[Path]) -> None:
    """Note that the current check depends on these files and folders."""
    current = _current.get()
    if current is not None:
        current.paths.update(paths)


def note_keys(keys: Set[str]) -> None:
    """Note that the current check depends on these keys of the document."""
    current = _current.get()
    if current is not None:
        current.keys.update(keys)


def stamp(path: Path) -> Stamp:
    """Return a value that changes whenever the file does."""
    try:
        status = os.stat(path)  # noqa: PTH116  # twice as fast, and called at every edit
    except (OSError, ValueError):  # ValueError: the name contains a NUL
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size


def cached_with_reads(cache: dict[Any, Any], key: Hashable, compute: Callable[[], _Value]) -> _Value:
    """Return `cache[key]`, computed at first use. Each caller inherits the dependencies of that computation."""
    found = cache.get(key)
    if found is None:
        with track_reads() as reads:
            value = compute()
        found = cache[key] = value, reads.paths, reads.keys
    current = _current.get()
    if current is not None:
        current.paths.update(found[1])
        current.keys.update(found[2])
    result: _Value = found[0]
    return result


class tracked_property(Generic[_Value]):  # noqa: N801  # used like `cached_property`
    """A `cached_property` whose readers inherit the dependencies of its computation."""

    def __init__(self, compute: Callable[[Any], _Value]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        # The key is not the property's own name: Python would find the value under that and skip `__get__`.
        self._key = (name,)

    @overload
    def __get__(self, instance: None, owner: type) -> "tracked_property[_Value]": ...
    @overload
    def __get__(self, instance: object, owner: type) -> _Value: ...
    def __get__(self, instance: object, owner: type) -> "_Value | tracked_property[_Value]":
        if instance is None:
            return self
        cache: dict[Any, Any] = instance.__dict__
        if self._key in cache and _current.get() is None:
            found: _Value = cache[self._key][0]
            return found
        return cached_with_reads(cache, self._key, lambda: self._compute(instance))
