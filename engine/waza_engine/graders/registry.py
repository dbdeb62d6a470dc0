"""Finds the grader types in the packages of the dialects and in installed plug-ins.

A distribution adds a grader type with an entry point in the dialect's group (`Dialect.grader_group`, for waza
`waza_lsp.graders`); the entry names the `Grader` class. A plug-in that fails to load is logged and skipped, so that it
cannot break the engine.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, TypeGuard

from waza_engine.graders.base import Grader
from waza_engine.plugins import plugin_entry_points
from waza_engine.recognition.recognise import dialect, dialect_for, load_object

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@cache
def graders(dialect_name: str) -> dict[str, type[Grader]]:
    """Return the current grader classes of a dialect by `type`, including those of plug-ins.

    Raises:
        KeyError: there is no such dialect.

    """
    chosen = dialect(dialect_name)
    found = {it.type_name: it for it in graders_in(chosen.graders[0])}
    for plug_in in plugin_entry_points(chosen.grader_group) if chosen.grader_group else ():
        if grader := _load(plug_in, taken=found):
            found[grader.type_name] = grader
    return found


@cache
def current_grader(dialect_name: str, type_name: str) -> type[Grader] | None:
    """Return the current class of a grader type, or None. It imports only the file of that type, or the plug-ins.

    Raises:
        KeyError: there is no such dialect.

    """
    chosen = dialect(dialect_name)
    # A type's file has the name of the type.
    if type_name in _names_in(chosen.graders[0]):
        module = importlib.import_module(f"{chosen.graders[0]}.{module_name(type_name)}")
        if found := next((it for it in _graders_of(module) if it.type_name == type_name), None):
            return found
    return (
        graders(dialect_name).get(type_name)
        if chosen.grader_group and plugin_entry_points(chosen.grader_group)
        else None
    )


def module_name(type_name: str) -> str:
    """Return the name of the module of a grader type."""
    return type_name.replace("-", "_")


@cache
def _names_in(package_name: str) -> frozenset[str]:
    """Return the names that the types of a package can have, with underscores as well as with hyphens."""
    package = importlib.import_module(package_name)
    names = {it.name for it in pkgutil.iter_modules(package.__path__) if not it.name.startswith("_")}
    return frozenset(names | {it.replace("_", "-") for it in names})


def find_grader(type_name: str, meaning: str = "", config: object = None) -> type[Grader] | None:
    """Return the class of a grader type; None if the type is unknown.

    `meaning` is the name of a dialect or one of its `meanings` (see `dialect_for`). The `config` decides between two
    meanings that one type had at the same time.
    """
    chosen = dialect_for(meaning)
    if not chosen.find_grader:
        return current_grader(chosen.name, type_name)
    found: type[Grader] | None = load_object(chosen.find_grader)(type_name, meaning, config)
    return found


def graders_in(package_name: str, named_after: str = "") -> Iterator[type[Grader]]:
    """Yield the grader classes in the modules of a package. With `named_after`, only modules with this name or part."""
    package = importlib.import_module(package_name)
    for module_info in sorted(pkgutil.iter_modules(package.__path__), key=lambda it: it.name):
        if module_info.name.startswith("_") or named_after not in module_info.name:
            continue
        yield from _graders_of(importlib.import_module(f"{package_name}.{module_info.name}"))


def _graders_of(module: ModuleType) -> Iterator[type[Grader]]:
    for thing in vars(module).values():
        if _is_grader_type(thing) and thing.__module__ == module.__name__:
            yield thing


def _is_grader_type(thing: object) -> TypeGuard[type[Grader]]:
    return isinstance(thing, type) and issubclass(thing, Grader) and bool(getattr(thing, "type_name", ""))


def _load(plug_in: "EntryPoint", taken: dict[str, type[Grader]]) -> type[Grader] | None:
    try:
        grader = plug_in.load()
        if _is_grader_type(grader) and grader.type_name not in taken:
            grader.model_rebuild()
            return grader
        reason = "it must name a Grader class whose type_name is not taken"
    except Exception as error:  # noqa: BLE001  # whatever foreign code does at import, the engine goes on
        reason = f"{type(error).__name__}: {error}"
    # Imported late: few installations have plug-ins, and most of theirs work.
    import logging

    logging.getLogger(__name__).warning(
        "Grader plug-in '%s' (%s) is left out: %s", plug_in.name, plug_in.value, reason
    )
    return None
