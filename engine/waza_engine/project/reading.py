"""Reads a file into data or a model, or raises one `LoadError` that says why not."""

import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from waza_engine.lib.files.safe_read import MAX_SOURCE_BYTES, regular_bytes
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.queries.disk import Stamp, stamp
from waza_engine.lib.yaml.reader import YamlDocument, YamlError, read_document
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.placeholders import read_with_placeholders
from waza_engine.model.pydantic_messages import (
    index_as_written,
    problem_pointer,
    problem_text,
    value_kind,
    value_text,
)
from waza_engine.model.suite import LoadError

_Model = TypeVar("_Model", bound=BaseModel)
_Value = TypeVar("_Value")

_SETTLED_NS = 3_000_000_000
_open_texts: ContextVar[Mapping[Path, str]] = ContextVar("open_texts", default={})  # noqa: B039  # never changed


@contextmanager
def reading_open_texts(texts: Mapping[Path, str]) -> Iterator[None]:
    """Read these unsaved texts instead of the files inside the `with` block."""
    token = _open_texts.set(texts)
    try:
        yield
    finally:
        _open_texts.reset(token)


@dataclass(slots=True)
class _ReadOnce:
    """One file with its text and its YAML, once they are read."""

    path: Path
    text: str | None = None
    document: YamlDocument | None = None


_read_once: ContextVar[_ReadOnce | None] = ContextVar("read_once", default=None)


@contextmanager
def reading_once(path: Path) -> Iterator[None]:
    """Read and parse the file at `path` at most once inside the `with` block."""
    token = _read_once.set(_ReadOnce(path))
    try:
        yield
    finally:
        _read_once.reset(token)


@dataclass(slots=True)
class FileMemory:
    """Data and models of files, for those that load the same suite again and again: unchanged files are not read again."""

    most: int = 5_000
    """Files; with more, it begins anew."""
    data: dict[Hashable, tuple[Stamp | str, dict[str, Any]]] = field(default_factory=dict)
    """What a file's mapping was made of, its time stamp or unsaved text, and the mapping."""
    models: dict[Hashable, tuple[Any, BaseModel]] = field(default_factory=dict)
    """The data that a model was made of, and the model."""
    made: dict[Hashable, tuple[object, Any]] = field(default_factory=dict)
    """What else was made of a file: its version or model, and what was made."""


_memory: ContextVar[FileMemory | None] = ContextVar("memory", default=None)


@contextmanager
def remembering_files(memory: FileMemory) -> Iterator[None]:
    """Take unchanged files from `memory` inside the `with` block. What is read must not be changed."""
    if len(memory.data) > memory.most:
        memory.data.clear()
        memory.models.clear()
        memory.made.clear()
    token = _memory.set(memory)
    try:
        yield
    finally:
        _memory.reset(token)


@dataclass(frozen=True, slots=True)
class _Few:
    """Which task files to load: this one, and others up to so many tasks."""

    path: Path
    tasks: int


_few: ContextVar[_Few | None] = ContextVar("few", default=None)


@contextmanager
def loading_few(path: Path, tasks: int) -> Iterator[None]:
    """Load only some tasks of suites inside the `with` block: those of the file `path`, and the first ones.

    The time does not grow with the number of other task files. Errors in these stay unknown.
    """
    token = _few.set(_Few(path, tasks))
    try:
        yield
    finally:
        _few.reset(token)


def is_needed(path: Path, loaded: int) -> bool:
    """Whether a task file is to be loaded, after so many tasks."""
    few = _few.get()
    return few is None or loaded < few.tasks or path == few.path


def unsaved_text(path: Path) -> str | None:
    """Return the text of a file that is read instead of what it holds, if there is one."""
    return _open_texts.get().get(path)


def file_version(path: Path) -> Stamp | str:
    """Return a value that changes whenever the file or its unsaved text does."""
    unsaved = unsaved_text(path)
    return unsaved if unsaved is not None else stamp(path)


def folder_version(path: Path) -> object:
    """Return a value that changes whenever files are added to or removed from a folder."""
    found = stamp(path)
    if found is None or time.time_ns() - max(found[:2]) < _SETTLED_NS:
        # It may change again without a visible change of its coarse time stamp.
        return object()
    return found


def made_of_file(source: object, key: Hashable, make: Callable[[], _Value]) -> _Value:
    """Return what `make` makes of a file, and of what is in `key`; nothing else may go into it.

    `source` is the file's version, or the model that was made of it: the same object as long as the file is the same.
    """
    memory = _memory.get()
    if memory is None:
        return make()
    known = memory.made.get(key)
    is_known = known is not None and (
        known[0] is source or (isinstance(source, (tuple, str)) and known[0] == source)
    )
    if known is None or not is_known:
        known = memory.made[key] = source, make()
    value: _Value = known[1]
    return value


def read_text(path: Path, limit: int = MAX_SOURCE_BYTES) -> str:
    """Return the text of a file of at most `limit` bytes.

    Raises:
        LoadError: the file cannot be read, is not a regular file, or is not UTF-8.

    """
    if (text := _open_texts.get().get(path)) is not None:
        return text
    once = _read_once.get()
    if once is None or once.path != path:
        return _read_file(path, limit)
    if once.text is None:
        once.text = _read_file(path, limit)
    return once.text


def _read_file(path: Path, limit: int) -> str:
    try:
        return regular_bytes(path, limit).decode("utf-8")
    except UnicodeDecodeError as error:
        raise LoadError(path, f"The file is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        # Imported late: few names are misspelt.
        from waza_engine.lib.spelling import did_you_mean_file

        guess = did_you_mean_file(path) if isinstance(error, FileNotFoundError) else ""
        raise LoadError(path, f"The file cannot be read: {reason}{guess}") from error


def parse_yaml(text: str, *, strict_graders: bool = False) -> Any:
    """Return the data of a YAML text, as `yaml_reader.read_yaml` does.

    Raises:
        YamlError: as `read_yaml`.

    """
    once = _read_once.get()
    if once is None or once.text != text:
        document = read_document(text)
    else:
        document = once.document = once.document or read_document(text)
    if strict_graders:
        document.refuse_graders()
    return document.data


def read_mapping(path: Path, *, strict_graders: bool = False) -> dict[str, Any]:
    """Return the top-level mapping of a YAML file; `strict_graders` reads grader configs as strictly as waza.

    Raises:
        LoadError: the file cannot be read, is not YAML, or is not a mapping.

    """
    memory = _memory.get()
    if memory is None:
        return _read_mapping(path, strict_graders=strict_graders)
    # The stamp comes first: what is written while we read is read the next time.
    version = file_version(path)
    known = memory.data.get((path, strict_graders))
    if known is None or known[0] != version:
        known = version, _read_mapping(path, strict_graders=strict_graders)
        memory.data[path, strict_graders] = known
    return known[1]


def _read_mapping(path: Path, *, strict_graders: bool) -> dict[str, Any]:
    try:
        data = parse_yaml(read_text(path), strict_graders=strict_graders)
    except YamlError as error:
        raise LoadError(path, error.message, line=error.line, column=error.column) from error
    if plain(data) is None:
        return {}
    if not isinstance(data, dict):
        raise LoadError(path, f"The file must be a mapping of keys, not {value_kind(data)}")
    return data


def read_filled_mapping(path: Path) -> dict[str, Any]:
    """Return the top-level mapping of a YAML file; placeholders that break the YAML are replaced by some value.

    Raises:
        LoadError: the file cannot be read, is not YAML either way, or is not a mapping.

    """
    try:
        return read_mapping(path)
    except LoadError:
        try:
            data = read_with_placeholders(read_text(path))
        except YamlError:
            data = None
        if isinstance(data, dict):
            return data
        raise


def build(model: type[_Model], data: Any, path: Path, below: Pointer = ()) -> _Model:
    """Validate data as a model; `below` is the pointer to the data in its file.

    Raises:
        LoadError: the first error of the data.

    """
    memory = _memory.get()
    key = model, path, below
    if memory is not None and (known := memory.models.get(key)) is not None and known[0] is data:
        return known[1]  # type: ignore[return-value]  # its class is in the key
    try:
        made = model.model_validate(data)
    except ValidationError as error:
        pointer, text = _first_problem(error, data)
        raise LoadError(path, _located_sentence((*below, *pointer), text), (*below, *pointer)) from error
    if memory is not None:
        memory.models[key] = data, made
    return made


def pointer_in_file(pointer: Pointer, data: Any) -> Pointer:
    """Convert a pointer that skips null items of lists, as models do, to a pointer into the file's data."""
    found: list[str | int] = []
    for part in pointer:
        at = index_as_written(part, data) if isinstance(part, int) and isinstance(data, list) else part
        found.append(at)
        data = _value_at(data, (at,))
    return tuple(found)


def _first_problem(error: ValidationError, data: Any) -> tuple[Pointer, str]:
    problems = [(problem_pointer(it, data), it) for it in error.errors(include_url=False)]
    start = problems[0][0]
    # Of the alternatives "string or mapping", the author meant the one whose error is deeper.
    deeper = (it for it in problems if len(it[0]) > len(start) and it[0][: len(start)] == start)
    pointer, problem = next(deeper, problems[0])
    return pointer, _sentence(problem, _value_at(data, pointer))


def _value_at(data: Any, pointer: Pointer) -> Any:
    for key in pointer:
        try:
            data = data[key]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _sentence(problem: Any, value: Any) -> str:
    match problem["type"]:
        case "extra_forbidden":
            return "is not a key that waza knows at this place"
        case "missing":
            return "is missing"
        case "value_error":
            # The types in `model.fields` raise "expected a whole number, not a string; ...".
            text = problem_text(problem).replace("expected", "must be")
            return text if ", not " in text else f"{text}, not {value_text(value)}"
        case _:
            return problem_text(problem)


def _located_sentence(pointer: Pointer, sentence: str) -> str:
    return f"'{pointer_text(pointer)}' {sentence}" if pointer else f"The file {sentence}"


def pointer_text(pointer: Pointer) -> str:
    """Return a pointer in readable form: `graders[0].config`."""
    text = ""
    for key in pointer:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text
