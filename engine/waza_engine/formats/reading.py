"""From a file to a model, with one clear message when that is impossible."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from waza_engine.findings import Pointer
from waza_engine.formats.filled import read_filled
from waza_engine.misfits import index_as_written, kind_of, place, shown, words
from waza_engine.regular_files import regular_bytes
from waza_engine.scalars import plain
from waza_engine.suite import LoadError
from waza_engine.yaml_reader import YamlError, read_yaml

_Model = TypeVar("_Model", bound=BaseModel)

_open_texts: ContextVar[Mapping[Path, str]] = ContextVar("open_texts", default={})  # noqa: B039  # never changed


@contextmanager
def reading_open_texts(texts: Mapping[Path, str]) -> Iterator[None]:
    """Inside the `with` block these texts are read instead of the files: they are open and not saved yet."""
    token = _open_texts.set(texts)
    try:
        yield
    finally:
        _open_texts.reset(token)


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        LoadError: the file cannot be read, is no regular one, or is not UTF-8.

    """
    if (text := _open_texts.get().get(path)) is not None:
        return text
    try:
        return regular_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise LoadError(path, f"The file is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise LoadError(path, f"The file cannot be read: {reason}") from error


def read_mapping(path: Path, *, strict_graders: bool = False) -> dict[str, Any]:
    """The top-level mapping of a YAML file; with `strict_graders` grader configs as strictly as waza reads them.

    Raises:
        LoadError: unreadable, no YAML, or something else than a mapping.

    """
    try:
        data = read_yaml(read_text(path), strict_graders=strict_graders)
    except YamlError as error:
        raise LoadError(path, error.message, line=error.line, column=error.column) from error
    if plain(data) is None:
        return {}
    if not isinstance(data, dict):
        raise LoadError(path, f"The file must be a mapping of keys, not {kind_of(data)}")
    return data


def read_filled_mapping(path: Path) -> dict[str, Any]:
    """The top-level mapping of a YAML file, with any value where placeholders keep it from being YAML.

    Raises:
        LoadError: unreadable, no YAML either way, or something else than a mapping.

    """
    try:
        return read_mapping(path)
    except LoadError:
        try:
            data = read_filled(read_text(path))
        except YamlError:
            data = None
        if isinstance(data, dict):
            return data
        raise


def build(model: type[_Model], data: Any, path: Path, below: Pointer = ()) -> _Model:
    """The data as a model; `below` is where the data hangs in its file.

    Raises:
        LoadError: the first thing that does not fit.

    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        pointer, text = _first_problem(error, data)
        raise LoadError(path, _placed((*below, *pointer), text), (*below, *pointer)) from error


def as_written(pointer: Pointer, data: Any) -> Pointer:
    """Where something stands in the data of a file, when its pointer passes over the null items of lists, as models do."""
    found: list[str | int] = []
    for part in pointer:
        at = index_as_written(part, data) if isinstance(part, int) and isinstance(data, list) else part
        found.append(at)
        data = _value_at(data, (at,))
    return tuple(found)


def _first_problem(error: ValidationError, data: Any) -> tuple[Pointer, str]:
    problems = [(place(it, data), it) for it in error.errors(include_url=False)]
    start = problems[0][0]
    # Of the alternatives "text or mapping" the one that got deeper is what the author meant.
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
            return "is no key that waza knows here"
        case "missing":
            return "is missing"
        case "value_error":
            # The field types of `values` say "expected a whole number, not a string; ...".
            text = words(problem).replace("expected", "must be")
            return text if ", not " in text else f"{text}, not {shown(value)}"
        case _:
            return words(problem)


def _placed(pointer: Pointer, sentence: str) -> str:
    return f"'{spelled(pointer)}' {sentence}" if pointer else f"The file {sentence}"


def spelled(pointer: Pointer) -> str:
    """A pointer for people: `graders[0].config`."""
    text = ""
    for key in pointer:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text
