"""A file as rules see it: its data, which may be half-written, and where it stands."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from waza_engine.checking.files import Files
from waza_engine.findings import Pointer


@dataclass(frozen=True, slots=True)
class Document:
    """One file. `path` is None for a text that is no file; `process_dir` is where runs are started, if known."""

    dialect: str
    kind: str
    data: Any
    path: Path | None = None
    process_dir: Path | None = None
    files: Files = field(default_factory=Files)

    def value(self, *pointer: str | int) -> Any:
        """What stands at a pointer; None when nothing does."""
        value = self.data
        for part in pointer:
            if (isinstance(value, Mapping) and part in value) or (isinstance(value, list) and isinstance(part, int) and -1 < part < len(value)):
                value = value[part]
            else:
                return None
        return value

    def mapping(self, *pointer: str | int) -> Mapping[str, Any]:
        """The mapping at a pointer; empty when something else stands there."""
        value = self.value(*pointer)
        return value if isinstance(value, Mapping) else {}

    def text(self, *pointer: str | int) -> str:
        """The text at a pointer; empty when something else stands there."""
        value = self.value(*pointer)
        return value if isinstance(value, str) else ""

    def items(self, *pointer: str | int) -> Iterator[tuple[Pointer, Any]]:
        """The items of the list at a pointer, each with its own pointer."""
        value = self.value(*pointer)
        if isinstance(value, list):
            yield from (((*pointer, index), it) for index, it in enumerate(value))

    def mappings(self, *pointer: str | int) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
        """The items that are mappings."""
        yield from ((place, it) for place, it in self.items(*pointer) if isinstance(it, Mapping))

    def texts(self, *pointer: str | int) -> Iterator[tuple[Pointer, str]]:
        """The items that are texts."""
        yield from ((place, it) for place, it in self.items(*pointer) if isinstance(it, str))
