"""Note what a computation reads. Results are kept together with these dependencies.

Revisions count the changes of all inputs of the process. A dependency tells in which revision its value changed last, so
a result that was checked in a later revision is still right.
"""

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

_Value = TypeVar("_Value")


class Dependency:
    """Something that results depend on: an input, or the result of a query."""

    __slots__ = ("changed_at", "is_durable")

    def __init__(self, *, is_durable: bool = False) -> None:
        self.changed_at = clock.now
        """The revision in which the value changed last."""
        self.is_durable = is_durable
        """Whether the value changes only when somebody looks at the disk again, but not by an edit."""

    def refresh(self) -> int:
        """Bring the value up to date, and return the revision in which it changed last."""
        return self.changed_at

    def paths(self) -> set[Path]:
        """Return the files and folders that this is or depends on."""
        return set()


class _Clock:
    """Counts revisions. One for the process, so results may outlive the database that they were computed with."""

    __slots__ = ("looked_at", "now")

    def __init__(self) -> None:
        self.now = 1
        self.looked_at = 1
        """The revision that began with the last look at the disk."""

    def tick(self) -> int:
        """Begin a new revision."""
        self.now += 1
        return self.now


clock = _Clock()
_current: "ContextVar[track_reads | None]" = ContextVar("track_reads", default=None)
_is_needless: ContextVar[bool] = ContextVar("untracked", default=False)


class track_reads:  # noqa: N801  # used like a function: `with track_reads() as reads:`
    """Collect the dependencies that are noted inside the `with` block, in their order. An outer block does not get them.

    Not a generator with `contextmanager`, which takes four times as long: every edit opens many of these blocks.
    """

    __slots__ = ("_outer", "dependencies")

    def __enter__(self) -> "track_reads":
        self.dependencies: dict[Dependency, None] = {}
        self._outer = _current.get()
        _current.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _current.set(self._outer)

    @property
    def paths(self) -> set[Path]:
        """The files and folders that were read, missing ones included."""
        return set().union(*(it.paths() for it in self.dependencies))


class untracked:  # noqa: N801  # used like `track_reads`
    """Note no dependencies inside the `with` block, where nobody will ask for them: of a command that ends soon.

    Results of queries that outlive the block are tracked all the same.
    """

    __slots__ = ("_current", "_needless")

    def __enter__(self) -> None:
        self._current = _current.set(None)
        self._needless = _is_needless.set(True)

    def __exit__(self, *_: object) -> None:
        _is_needless.reset(self._needless)
        _current.reset(self._current)


def is_needless() -> bool:
    """Whether nobody will ask for dependencies."""
    return _is_needless.get()


def is_tracking() -> bool:
    """Whether somebody collects what is read now."""
    return _current.get() is not None


def note(dependency: Dependency) -> None:
    """Note that the current computation depends on this."""
    current = _current.get()
    if current is not None:
        current.dependencies[dependency] = None


def note_all(dependencies: Iterable[Dependency]) -> None:
    """Note that the current computation depends on all of these."""
    current = _current.get()
    if current is not None:
        current.dependencies.update(dict.fromkeys(dependencies))


_is_durable = attrgetter("is_durable")


class Result(Dependency):
    """A value with its dependencies. `refresh` computes it again if it can, and says "changed" if it cannot."""

    __slots__ = ("dependencies", "value", "verified_at")

    def __init__(self, value: Any, dependencies: Iterable[Dependency], verified_at: int) -> None:
        # The base class is not asked: this runs for each item of long lists.
        self.value = value
        self.dependencies = tuple(dependencies)
        self.verified_at = verified_at
        self.changed_at = verified_at
        self.is_durable = all(map(_is_durable, self.dependencies))

    def is_fresh(self) -> bool:
        """Whether nothing that the value depends on has changed since it was computed or last checked."""
        now, verified_at = clock.now, self.verified_at
        knows_disk = verified_at >= clock.looked_at
        if verified_at == now or (self.is_durable and knows_disk):
            return True
        for it in self.dependencies:
            if knows_disk and it.is_durable:
                continue
            # An input is up to date.
            if (it.changed_at if type(it) is Dependency else it.refresh()) > verified_at:
                return False
        self.verified_at = now
        return True

    def paths(self) -> set[Path]:
        """Return the files and folders that the value depends on."""
        return set().union(*(it.paths() for it in self.dependencies))


def compute(make: Callable[[], _Value]) -> Result:
    """Return the result of `make` with what it reads. What changes meanwhile counts as changed afterwards."""
    if _is_needless.get():
        needless = _is_needless.set(False)
        try:
            return compute(make)
        finally:
            _is_needless.reset(needless)
    began = clock.now
    with track_reads() as reads:
        value = make()
    return Result(value, reads.dependencies, began)
