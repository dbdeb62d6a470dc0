"""The result of a conversion: files, and the losses.

Apart from the converters, which all use it.
"""

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from waza_engine.lib.pointer import Pointer


class NotConvertibleError(Exception):
    """The other dialect has nothing with the same verdict; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Something that the other dialect cannot express exactly. `path` and `pointer` are its place in the source.

    With `kept`, a comment in the result contains it, and the conversion back restores it.
    """

    message: str
    path: Path | None = None
    pointer: Pointer = ()
    kept: bool = False


@dataclass(slots=True)
class Conversion:
    """The files of the result, relative to its folder, and the losses.

    `copies` are files to copy unchanged: the path in the folder and the source. Conversions between dialects have none.
    """

    files: dict[PurePosixPath, str] = field(default_factory=dict)
    copies: dict[PurePosixPath, Path] = field(default_factory=dict)
    lost: list[Lost] = field(default_factory=list)

    def lose(self, message: str, path: Path | None, pointer: Pointer = (), *, kept: bool = False) -> None:
        """Report a loss."""
        self.lost.append(Lost(message, path, pointer, kept))
