"""The events of a session: what its parts tell each other without knowing who listens.

A part names the types that it listens to in its constructor. `docs/architecture.md` has the table of all events.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types

from waza_lsp.runnables.commands import LiveStatus
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Span

_Event = TypeVar("_Event")


@dataclass(frozen=True, slots=True)
class DocumentOpened:
    """The editor has opened a document."""

    document: Snapshot


@dataclass(frozen=True, slots=True)
class DocumentChanged:
    """A document was edited."""

    before: Snapshot
    after: Snapshot


@dataclass(frozen=True, slots=True)
class DocumentClosed:
    """The editor has closed a document, which had this text."""

    document: Snapshot


@dataclass(frozen=True, slots=True)
class FilesChanged:
    """Files on disk have changed. Others may have, too, if `is_complete` is False: nobody watches them."""

    changes: tuple[types.FileEvent, ...]
    is_complete: bool = True

    @property
    def uris(self) -> Iterator[str]:
        """The addresses of the files."""
        return (it.uri for it in self.changes)


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """The editor has sent other settings."""


@dataclass(frozen=True, slots=True)
class AnnotationsChanged:
    """Other annotations are to be shown in a document."""

    document: Snapshot


@dataclass(frozen=True, slots=True)
class LensesChanged:
    """Lenses show something else, in any document."""


@dataclass(frozen=True, slots=True)
class HintsChanged:
    """Inlay hints show something else, in any document."""


@dataclass(frozen=True, slots=True)
class FindingsChanged:
    """Documents may have other findings, because files or settings have changed."""


@dataclass(frozen=True, slots=True)
class RecordingsKnown:
    """The recordings of a document's eval were read, or are as they were."""

    document: Snapshot


@dataclass(frozen=True, slots=True)
class StoreRead:
    """Runs were read from the store, which leaves garbage behind."""


@dataclass(frozen=True, slots=True)
class VerdictsChanged:
    """The verdict of an eval has changed, or its runs have."""


@dataclass(frozen=True, slots=True)
class LiveVerdictsChanged:
    """Graders of an eval were graded again, with these statuses of its tasks."""

    eval_path: Path
    statuses: Mapping[str, LiveStatus]


@dataclass(frozen=True, slots=True)
class GradersOutdated:
    """A run has new recordings for graders of an eval, by file, whose text was edited since it began."""

    eval_path: Path
    graders: Mapping[Path, Collection[Span]]


@dataclass(frozen=True, slots=True)
class JobStarted:
    """A run or a grading of an eval begins."""

    eval_path: Path


@dataclass(frozen=True, slots=True)
class JobEnded:
    """A run or a grading of an eval has ended."""

    eval_path: Path


class Bus:
    """Passes each event on to those who listen to its type, at once and in the order in which they began to listen."""

    def __init__(self) -> None:
        self._listeners: dict[type, list[Callable[[Any], object]]] = {}

    def listen(self, kind: type[_Event], listener: Callable[[_Event], object]) -> None:
        """Call `listener` with each event of this type from now on."""
        self._listeners.setdefault(kind, []).append(listener)

    def publish(self, event: object) -> None:
        """Tell an event to its listeners."""
        for listener in self._listeners.get(type(event), ()):
            listener(event)

    def listeners(self, kind: type) -> list[Callable[[Any], object]]:
        """The listeners to events of a type."""
        return list(self._listeners.get(kind, ()))
