"""What a conversion comes to: files, and what the other dialect has no words for."""

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from waza_engine.lib.pointer import Pointer


class CannotSayError(Exception):
    """The other dialect has nothing that gives the same verdict; the text says what is missing."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Something that the other dialect cannot say, or not quite. `path` and `pointer` are its place in the source.

    With `kept` it stands as a comment in the result, from which the way back restores it.
    """

    message: str
    path: Path | None = None
    pointer: Pointer = ()
    kept: bool = False


@dataclass(slots=True)
class Conversion:
    """The files of the result, relative to its folder, and what was lost on the way.

    `copies` go along as they are: each by its place in the folder, with the file that it is a copy of. Suites that
    change their dialect have none.
    """

    files: dict[PurePosixPath, str] = field(default_factory=dict)
    copies: dict[PurePosixPath, Path] = field(default_factory=dict)
    lost: list[Lost] = field(default_factory=list)

    def lose(self, message: str, path: Path | None, pointer: Pointer = (), *, kept: bool = False) -> None:
        """Say that something got lost."""
        self.lost.append(Lost(message, path, pointer, kept))
