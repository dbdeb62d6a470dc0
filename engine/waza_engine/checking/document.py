"""A file as rules see it: its data, which may be half-written, and where it stands."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from waza_engine.checking.files import Files
from waza_engine.checking.suite_files import SuiteFiles, suite_of
from waza_engine.findings import Pointer
from waza_engine.noted_reads import noted_once, noted_property

_Made = TypeVar("_Made")


@dataclass(frozen=True, eq=False)
class Document:
    """One file. `path` is None for a text that is no file; `process_dir` is where runs are started, if known."""

    dialect: str
    kind: str
    data: Any
    path: Path | None = None
    process_dir: Path | None = None
    files: Files = field(default_factory=Files)

    @noted_property
    def suite(self) -> SuiteFiles | None:
        """The eval that the file is or belongs to; None when there is none, or nothing is known of other files."""
        return suite_of(self.kind, self.path, self.data, self.files, self.dialect)

    @noted_property
    def executor(self) -> str:
        """The executor that the suite names, empty when it names none."""
        named = self.suite.executor if self.suite is not None else self.value("config", "executor")
        return named if isinstance(named, str) else ""

    @property
    def folder(self) -> Path | None:
        """The folder of the file, None when there is no such folder (a text that was never saved)."""
        folder = self.path.parent if self.path is not None else None
        return folder if folder is not None and self.files.is_directory(folder) else None

    def once(self, place: Hashable, make: Callable[[], _Made]) -> _Made:
        """What several rules, or one rule many times, want to know of this version of the file."""
        return noted_once(self.__dict__, place, make)

    def value(self, *pointer: str | int) -> Any:
        """What stands at a pointer; None when nothing does."""
        value = self.data
        for part in pointer:
            if isinstance(value, dict):
                value = value.get(part)
            elif isinstance(value, list) and isinstance(part, int) and -1 < part < len(value):
                value = value[part]
            else:
                return None
        return value

    def has(self, *pointer: str | int) -> bool:
        """Whether something stands at a pointer that is not empty: no null, empty text, list or mapping."""
        return self.value(*pointer) not in (None, "", [], {})

    def mapping(self, *pointer: str | int) -> Mapping[str, Any]:
        """The mapping at a pointer; empty when something else stands there."""
        value = self.value(*pointer)
        return value if isinstance(value, dict) else {}

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
        value = self.value(*pointer)
        if isinstance(value, list):
            yield from [((*pointer, index), it) for index, it in enumerate(value) if isinstance(it, dict)]

    def texts(self, *pointer: str | int) -> Iterator[tuple[Pointer, str]]:
        """The items that are texts."""
        yield from ((place, it) for place, it in self.items(*pointer) if isinstance(it, str))

    def tasks(self) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
        """The tasks written in this file: the task that it is, or the ones that an eval holds itself."""
        yield from self._tasks

    @noted_property
    def _tasks(self) -> list[tuple[Pointer, Mapping[str, Any]]]:
        if self.kind == "task":
            return [((), self.mapping())]
        if self.kind == "eval":
            inline = [(place, it) for place, it in self.mappings("tasks") if "inputs" in it or "id" in it]
            return [*inline, *self.mappings("stimuli")]
        return []

    def graders(self) -> list[tuple[Pointer, Mapping[str, Any]]]:
        """All grader entries of the file, those of checkpoints and of tasks in the eval included."""
        return self._graders

    @noted_property
    def _graders(self) -> list[tuple[Pointer, Mapping[str, Any]]]:
        found = list(self.mappings("graders")) if self.kind == "eval" else []
        for task, _ in self.tasks():
            found += self.mappings(*task, "graders")
            for checkpoint, _ in self.mappings(*task, "checkpoints"):
                found += self.mappings(*checkpoint, "graders")
        return found
