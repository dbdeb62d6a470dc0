"""Reads a file into data or a model, or raises one `LoadError` that says why not."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from waza_engine.lib.files.safe_read import MAX_SOURCE_BYTES, regular_bytes
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.queries.items import Items
from waza_engine.lib.queries.store import query
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
_MOST_FILES = 5_000
_files: ContextVar[Files | None] = ContextVar("files", default=None)


@contextmanager
def reading_through(files: Files) -> Iterator[None]:
    """Read through `files` inside the `with` block: unsaved texts first, and unchanged files are not read again.

    For those that load the same suite again and again. What is read must not be changed.
    """
    token = _files.set(files)
    try:
        yield
    finally:
        _files.reset(token)


def reading_open_texts(texts: Mapping[Path, str]) -> AbstractContextManager[None]:
    """Read these unsaved texts instead of the files inside the `with` block."""
    return reading_through(Files(texts.get))


def current_files() -> Files:
    """Return the files of the `with` block; outside of one, files that keep nothing for the next call."""
    return _files.get() or Files(is_final=True)


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


def read_text(path: Path, limit: int = MAX_SOURCE_BYTES) -> str:
    """Return the text of a file of at most `limit` bytes.

    Raises:
        LoadError: the file cannot be read, is not a regular file, or is not UTF-8.

    """
    files = _files.get()
    if files is not None and (text := files.unsaved_text(path)) is not None:
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
    files = _files.get()
    return _mapping(files, path, strict_graders) if files is not None else _read_mapping(path, strict_graders)


@query(keep=_MOST_FILES)
def _mapping(_: Files, path: Path, strict_graders: bool) -> dict[str, Any]:  # a key is positional
    return _read_mapping(path, strict_graders)


def _read_mapping(path: Path, strict_graders: bool) -> dict[str, Any]:  # as above
    files = _files.get()
    if files is not None and isinstance(known := files.unsaved_data(path), dict):
        return known
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
    try:
        return model.model_validate(_with_known_items(model, data))
    except ValidationError as error:
        pointer, text = _first_problem(error, data)
        raise LoadError(path, _located_sentence((*below, *pointer), text), (*below, *pointer)) from error


def _with_known_items(model: type[BaseModel], data: Any) -> Any:
    """Replace the items of lists that are followed through edits by their models. An edit makes that of one item anew."""
    if not isinstance(data, dict):
        return data
    known: dict[str, list[Any]] = {}
    for key, item_model in _item_models(model).items():
        items = data.get(key)
        if isinstance(items, Items):
            made = dict(items.results((build, item_model), partial(_valid_item, item_model)))
            known[key] = [made.get(index, it) for index, it in enumerate(items)]
    return {**data, **known} if known else data


def _valid_item(model: type[BaseModel], item: Any) -> BaseModel | None:
    """Return the model of an item; None if it has errors, which validating the whole list describes."""
    try:
        return model.model_validate(item) if isinstance(item, dict) else None
    except ValidationError:
        return None


@cache
def _item_models(model: type[BaseModel]) -> dict[str, type[BaseModel]]:
    """Return the models of the items of a model's lists, by key."""
    found: dict[str, type[BaseModel]] = {}
    for name, field in model.model_fields.items():
        models = _models_in(get_args(field.annotation)[0]) if get_origin(field.annotation) is list else []
        if len(models) == 1:
            found[field.alias or name] = models[0]
    return found


def _models_in(kind: Any) -> list[type[BaseModel]]:
    if get_origin(kind) is Annotated:
        return _models_in(get_args(kind)[0])
    if isinstance(kind, type):
        return [kind] if issubclass(kind, BaseModel) else []
    return [it for part in get_args(kind) for it in _models_in(part)]


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
