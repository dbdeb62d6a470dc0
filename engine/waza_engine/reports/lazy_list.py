"""Lists that `json` can write without their ever being in memory: items are made one by one, each time they are looked at."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Many:
    """What becomes of each of `items`, made anew whenever somebody goes through them."""

    items: Sequence[Any]
    become: Callable[[Any], Any]

    def __iter__(self) -> Iterator[Any]:
        return (self.become(it) for it in self.items)

    def __len__(self) -> int:
        return len(self.items)


Listed = Callable[[Many], list[Any]]
"""`list`, or `LazyList`."""


class LazyList(list[Any]):
    """A list only in name, because that is what the JSON encoder asks for."""

    def __init__(self, many: Many) -> None:
        super().__init__()
        self._many = many

    def __iter__(self) -> Iterator[Any]:
        return iter(self._many)

    def __len__(self) -> int:
        return len(self._many)

    def __bool__(self) -> bool:
        return bool(self._many.items)
