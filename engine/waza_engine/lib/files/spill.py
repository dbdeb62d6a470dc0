"""A list whose items are in a temporary file instead of the memory."""

import pickle
import weakref
import zlib
from array import array
from collections.abc import Iterator, Sequence
from tempfile import SpooledTemporaryFile
from typing import Generic, TypeVar, overload

_Item = TypeVar("_Item")
_IN_MEMORY = 4_000_000
"""Packed bytes for which no file is made."""


class Spill(Sequence[_Item], Generic[_Item]):
    """Keeps items packed in a file that has no name, so that no other program can write it. It is gone with the list.

    Each access makes a new object: items are equal to what was added, but not the same.
    """

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  # lives as long as the list
        self._ends = array("q", [0])
        weakref.finalize(self, self._file.close)

    def append(self, item: _Item) -> None:
        """Add an item.

        Raises:
            OSError: the temporary folder cannot be written. The list is unchanged.

        """
        self._add(zlib.compress(pickle.dumps(item, pickle.HIGHEST_PROTOCOL), 1))

    def _add(self, packed: bytes) -> None:
        self._file.seek(self._ends[-1])
        self._file.write(packed)
        self._ends.append(self._ends[-1] + len(packed))

    def __getstate__(self) -> list[bytes]:
        """Return the packed items, for another process."""
        return [self._packed(it) for it in range(len(self))]

    def __setstate__(self, state: list[bytes]) -> None:
        self.__init__()  # type: ignore[misc]  # a new file
        for it in state:
            self._add(it)

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, index: int) -> _Item: ...

    @overload
    def __getitem__(self, index: slice) -> list[_Item]: ...

    def __getitem__(self, index: int | slice) -> _Item | list[_Item]:
        places = range(len(self))
        if isinstance(index, slice):
            return [self._item(it) for it in places[index]]
        return self._item(places[index])

    def __iter__(self) -> Iterator[_Item]:
        return (self._item(it) for it in range(len(self)))

    def _item(self, place: int) -> _Item:
        # Only this process, or a worker of it, can have written it.
        item: _Item = pickle.loads(zlib.decompress(self._packed(place)))  # noqa: S301
        return item

    def _packed(self, place: int) -> bytes:
        start, end = self._ends[place : place + 2]
        self._file.seek(start)
        return self._file.read(end - start)
