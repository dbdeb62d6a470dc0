"""What a check has looked at, files and folders or top-level keys: what it found holds until something changes there.

Whoever remembers what checks have found opens `noting`; whoever asks the disk for a check
calls `note_read`.
"""

import os
from collections.abc import Callable, Hashable, Set
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

Stamp = tuple[int, int, int] | None
"""Times of the last changes of content and of rights in nanoseconds, size in bytes; None: not there, or not to be looked at."""

_Value = TypeVar("_Value")
_noting: "ContextVar[noting | None]" = ContextVar("noting", default=None)


class noting:  # noqa: N801  # used like a function: `with noting() as seen:`
    """Collects what is looked at inside the `with` block; also what is not there. An outer block is told nothing.

    Not a generator with `contextmanager`, which takes four times as long: there are many at every edit.
    """

    __slots__ = ("_before", "keys", "paths")

    def __enter__(self) -> "noting":
        self.paths: set[Path] = set()
        """Files and folders."""
        self.keys: set[str] = set()
        """Top-level keys of the document."""
        self._before = _noting.get()
        _noting.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _noting.set(self._before)


def note_read(path: Path) -> None:
    """Say that what is being found depends on this file or folder."""
    now = _noting.get()
    if now is not None:
        now.paths.add(path)


def note_reads(paths: Set[Path]) -> None:
    """The same for several."""
    now = _noting.get()
    if now is not None:
        now.paths.update(paths)


def note_keys(keys: Set[str]) -> None:
    """Say that what is being found depends on these keys of the document."""
    now = _noting.get()
    if now is not None:
        now.keys.update(keys)


def stamp(path: Path) -> Stamp:
    """What tells one state of a file from another."""
    try:
        status = os.stat(path)  # noqa: PTH116  # twice as fast, and asked for at every edit
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size


def noted_once(made: dict[Any, Any], place: Hashable, make: Callable[[], _Value]) -> _Value:
    """What stands at a place of `made`, made when it is asked for first; who asks is told what making it looked at."""
    if place not in made:
        with noting() as seen:
            value = make()
        made[place] = value, seen.paths, seen.keys
    value, paths, keys = made[place]
    now = _noting.get()
    if now is not None:
        now.paths.update(paths)
        now.keys.update(keys)
    return value


class noted_property(Generic[_Value]):  # noqa: N801  # used like `cached_property`
    """A `cached_property` that tells everybody who asks for it what making it has looked at."""

    def __init__(self, make: Callable[[Any], _Value]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "noted_property[_Value]": ...
    @overload
    def __get__(self, instance: object, owner: type) -> _Value: ...
    def __get__(self, instance: object, owner: type) -> "_Value | noted_property[_Value]":
        if instance is None:
            return self
        # Not under the property's own name: Python would find it there and not ask here again.
        return noted_once(instance.__dict__, (self._name,), lambda: self._make(instance))
