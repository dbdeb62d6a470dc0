"""Recognises the dialect and kind of a file, and looks up dialects by name. Cheap to import."""

import importlib
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path, PurePath
from typing import Any

from waza_engine.lib.queries.disk import note_read
from waza_engine.lib.spelling import nearest
from waza_engine.plugins import DIALECT_GROUP, has_plugins, plugin_entry_points
from waza_engine.recognition.dialect import Dialect, Kind
from waza_engine.recognition.eval_names import usual_path
from waza_engine.recognition.releases import Releases

__all__ = [
    "Dialect",
    "Kind",
    "default_dialect",
    "dialect",
    "dialect_for",
    "dialects",
    "dialects_by_preference",
    "kind_of",
    "load_object",
    "may_be_ours",
    "meanings",
    "recognise",
    "recognise_text",
    "releases",
]

_FOLDER = Path(__file__).parents[1] / "dialects"


@cache
def dialects() -> tuple[Dialect, ...]:
    """Return all dialects, sorted by name, from the folders in `dialects/` and from entry points."""
    # Not `pkgutil`: its imports would double those of the server's start.
    folders = (it.name for it in os.scandir(_FOLDER) if it.is_dir() and not it.name.startswith("_"))
    packages = [f"waza_engine.dialects.{it}" for it in folders]
    if has_plugins():
        packages += [it.value for it in plugin_entry_points(DIALECT_GROUP)]
    found: list[Dialect] = [importlib.import_module(f"{it}.dialect").DIALECT for it in packages]
    return tuple(sorted(found, key=lambda it: it.name))


def dialect(name: str) -> Dialect:
    """Return the dialect called `name`.

    Raises:
        KeyError: there is none.

    """
    return _dialects_by_name()[name]


@cache
def _dialects_by_name() -> dict[str, Dialect]:
    return {it.name: it for it in dialects()}


@cache
def kind_of(dialect_name: str, kind: str) -> Kind | None:
    """Return a kind of file by the names of its dialect and itself; None if there is none."""
    found = _dialects_by_name().get(dialect_name)
    return found.kind(kind) if found is not None else None


@cache
def releases(dialect_name: str) -> Releases:
    """Return the dated table of a dialect; an empty one if it has none."""
    name = dialect(dialect_name).releases
    found: Releases = load_object(name) if name else Releases()
    return found


@cache
def dialects_by_preference() -> tuple[Dialect, ...]:
    """Return the dialects, the default one first."""
    return tuple(sorted(dialects(), key=lambda it: not it.is_default))


def default_dialect() -> Dialect:
    """Return the dialect of entries that name none."""
    return dialects_by_preference()[0]


def meanings() -> tuple[str, ...]:
    """Return the values of `grade --gen`, the default first: all names in `Dialect.meanings`."""
    return tuple(name for it in dialects_by_preference() for name in it.meanings)


def dialect_for(meaning: str) -> Dialect:
    """Return the dialect of a meaning: a dialect's name, or one of `meanings`; "" is the default dialect.

    Raises:
        KeyError: there is no such name.

    """
    return _dialects_by_meaning()[meaning]


@cache
def _dialects_by_meaning() -> dict[str, Dialect]:
    named = {name: it for it in dialects() for name in it.meanings}
    return {"": default_dialect(), **named, **_dialects_by_name()}


def recognise(
    top_level_keys: Collection[str] | None,
    path: PurePath | None = None,
    *,
    dialect_name: str = "",
    schema: str = "",
) -> tuple[Dialect, Kind, str] | None:
    """Return the dialect and kind of a file, and the reason; None if it is not an eval file.

    `top_level_keys` is None if the top level is a list. It is empty for an empty document and for one that is not a
    mapping yet (a half-typed word). Keys take precedence over the path. If `top_level_keys` is a mapping, its values can
    show that the file belongs to another tool. `schema` is the schema address in the file: one of our addresses decides
    unclear cases; with another tool's address only strong signals count. If that address is a path, whose owner is
    unknown, the file name still counts. With a `dialect_name`, only that dialect is considered.
    """
    told = recognise_text(top_level_keys, dialect_name=dialect_name, schema=schema)
    if told is not None:
        return told
    if path is not None and "://" not in schema:
        keys, values = frozenset(top_level_keys or ()), _values(top_level_keys, dialect_name)
        for candidate in _possible(keys, dialect_name):
            at_home = partial(_is_at_home, candidate, path, certain=bool(dialect_name))
            if found := candidate.kind_by_path(
                top_level_keys, values, path, in_project=at_home, by_folder=not _is_schema_address(schema)
            ):
                return candidate, *found
        return _with_slip(values, path) or _named_by_project(
            top_level_keys, values, path, _possible(keys, dialect_name)
        )
    return None


def _with_slip(values: Mapping[str, Any], path: PurePath) -> tuple[Dialect, Kind, str] | None:
    """Recognise a file with the usual name of a kind that is of that kind once its telling key is put right.

    The key is misspelt, or holds one item or a mapping of items by name instead of a list. The items themselves must be ours.
    """
    for candidate in dialects() if values else ():
        for kind in candidate.kinds:
            if not any(it.fits(path) for it in kind.file_names):
                continue
            for key, name, items in _slips(values, kind):
                found = recognise_text({**{it: values[it] for it in values if it != key}, name: items})
                if found is not None and found[:2] == (candidate, kind):
                    return candidate, kind, f"top-level key {key}, probably {name}"
    return None


def _slips(values: Mapping[str, Any], kind: Kind) -> Iterator[tuple[str, str, Sequence[Any]]]:
    """Yield the keys that may stand for a telling key of the kind, with its name and the items under it."""
    for key, value in values.items():
        close = nearest(str(key), kind.shapes.keys() - values.keys()) if key not in kind.keys else []
        name = key if key in kind.shapes and isinstance(value, Mapping) else next(iter(close), None)
        if name is None or not isinstance(value, Mapping | list) or not value:
            continue
        # A mapping holds items by their names, or is the only item itself.
        found = [[*value.values()], [value]] if isinstance(value, Mapping) else [value]
        yield from (
            (key, name, items) for items in found if all(isinstance(it, Mapping | str) for it in items)
        )


def _named_by_project(
    keys: Collection[str] | None, values: Mapping[str, Any], path: PurePath, possible: list[Dialect]
) -> tuple[Dialect, Kind, str] | None:
    """Recognise a file that its project names as an eval, as if it had the usual name."""
    named = usual_path(path, [it.project_file for it in dialects() if it.project_file])
    if named is None:
        return None
    usual, project = named
    for candidate in possible:
        if candidate.project_file == project.name and (
            found := candidate.kind_by_path(keys, values, usual, in_project=lambda: True, is_loaded=True)
        ):
            return candidate, found[0], f"named in {project.name}"
    return None


def recognise_text(
    top_level_keys: Collection[str] | None, *, dialect_name: str = "", schema: str = ""
) -> tuple[Dialect, Kind, str] | None:
    """Return the result of `recognise` if the text decides regardless of the path; else None."""
    keys, values = frozenset(top_level_keys or ()), _values(top_level_keys, dialect_name)
    possible = _possible(keys, dialect_name)
    for find in _finders(keys, values, schema):
        for candidate in possible:
            if found := find(candidate):
                return candidate, *found
    return None


def _is_schema_address(schema: str) -> bool:
    """Whether this is the address of a schema; people write `none` to disable schemas."""
    return schema.lower() not in {"", "none"}


def _possible(keys: frozenset[str], dialect_name: str) -> list[Dialect]:
    return [dialect(dialect_name)] if dialect_name else [it for it in dialects() if not keys & it.never]


def _values(top_level_keys: Collection[str] | None, dialect_name: str) -> Mapping[str, Any]:
    return top_level_keys if isinstance(top_level_keys, Mapping) and not dialect_name else {}


def may_be_ours(top_level_keys: Collection[str], path: PurePath | None = None, *, schema: str = "") -> bool:
    """Whether `recognise` could recognise a file with these keys, given suitable values."""
    keys = frozenset(top_level_keys)
    return (
        _is_told_by_keys(keys, schema)
        or recognise(top_level_keys, path, schema=schema) is not None
        or any(
            kind.signals
            and kind.knows_most(keys)
            and not keys.isdisjoint(
                kind.shapes.keys() | (kind.deciding_at(path) if path is not None else set())
            )
            for it in dialects()
            for kind in it.kinds
        )
        or _may_have_slip(keys, path)
    )


@lru_cache(maxsize=256)
def _is_told_by_keys(keys: frozenset[str], schema: str) -> bool:
    """Whether the keys alone decide. Cached, because the task files of an eval usually have the same keys."""
    return recognise_text(keys, schema=schema) is not None


def _may_have_slip(keys: frozenset[str], path: PurePath | None) -> bool:
    kinds = (kind for it in dialects() for kind in it.kinds)
    return path is not None and any(
        any(it.fits(path) for it in kind.file_names) and (nearest(key, kind.shapes) or key in kind.shapes)
        for kind in kinds
        for key in keys
    )


def _finders(
    keys: frozenset[str], values: Mapping[str, Any], schema: str
) -> list[Callable[[Dialect], tuple[Kind, str] | None]]:
    """Return the functions that recognise a kind by its text, in order of precedence."""
    if _is_schema_address(schema):
        return [
            lambda it: it.kind_by_content(keys, values, strongly=True),
            lambda it: it.kind_by_schema(keys, values, schema),
        ]
    return [lambda it: it.kind_by_content(keys, values), lambda it: it.kind_by_values(keys, values)]


def _is_at_home(candidate: Dialect, path: PurePath, *, certain: bool) -> bool:
    """Whether the nearest project file above a file belongs to this dialect."""
    names = {it.project_file for it in dialects() if it.project_file}
    for folder in path.parents if not certain else ():
        if there := [it for it in names if _is_noted_file(Path(folder, it))]:
            return candidate.project_file in there
    return certain


def _is_noted_file(path: Path) -> bool:
    note_read(path)
    return path.is_file()


@cache
def load_object(name: str) -> Any:
    """Import and return the object called `module:name`."""
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)
