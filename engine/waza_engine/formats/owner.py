"""Which eval a task file belongs to: the nearest one above it that lists it."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from waza_engine.formats import recognise
from waza_engine.formats.filled import read_filled
from waza_engine.goglob import BadPattern, match
from waza_engine.schema_files import read_schema
from waza_engine.yaml_reader import YamlError

_LEVELS = 6
_LARGEST = 1_000_000


def eval_of(path: Path) -> Path | None:
    """The eval to run for a file: the file itself when it is one, else the nearest eval whose globs match it."""
    if _globs(path) is not None:
        return path
    for folder in list(path.parents)[:_LEVELS]:
        for candidate in _yaml_files(folder):
            globs = _globs(candidate)
            if globs and any(_matches(it, path.relative_to(folder).as_posix()) for it in globs):
                return candidate
    return None


def _yaml_files(folder: Path) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir(), key=lambda it: (it.name != "eval.yaml", it.name))
        yield from (it for it in entries if it.suffix in {".yaml", ".yml"} and it.stat().st_size < _LARGEST)
    except OSError:
        return


def _globs(path: Path) -> list[str] | None:
    """The task globs of an eval file; None when it is none."""
    try:
        data = read_filled(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, YamlError):
        return None
    found = recognise(data, path) if isinstance(data, dict) else None
    if found is None:
        return None
    keys = _glob_keys(found[1].schema)
    if keys is None:
        return None
    listed = [data.get(key) for key in keys]
    return [
        it.removeprefix("./")
        for items in listed
        if isinstance(items, list)
        for it in items
        if isinstance(it, str)
    ]


@cache
def _glob_keys(schema_name: str) -> tuple[str, ...] | None:
    """The keys of an eval that list task files; None for files that are no evals and cannot be run by themselves."""
    schema = read_schema(schema_name)
    match schema.get("x-runnable"):
        case "experiment":
            return ()
        case "eval":
            pass
        case _:
            return None
    return tuple(key for key, it in schema["properties"].items() if _is_list_of_globs(it))


def _is_list_of_globs(schema: dict[str, Any]) -> bool:
    return bool(schema.get("items", {}).get("x-path", {}).get("kind") == "glob")


def _matches(pattern: str, name: str) -> bool:
    try:
        return match(pattern, name)
    except BadPattern:
        return False
