"""Which grader types exist: found by looking into the folders and at installed plug-ins, no list to keep.

A distribution adds a waza grader type with an entry point in the group `waza_lsp.graders` that names its `Grader`
class. A plug-in that cannot be loaded is logged and left out: it must not take the engine down.
"""

import importlib
import logging
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, TypeGuard

from waza_engine import graders as _folder
from waza_engine.graders.base import Grader
from waza_engine.plug_ins import GRADER_GROUP, plug_ins
from waza_engine.suite import GraderEntry

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

CURRENT = "G2+G3"
"""The generation that is graded when nothing else is asked for."""
GENERATIONS = (CURRENT, "G3", "G1", "PY", "VALLY")
OTHER_DIALECTS = {"VALLY": "vally"}
"""The generations that are dialects of their own, with the folder of each."""

_log = logging.getLogger(__name__)


@cache
def graders(dialect: str) -> dict[str, type[Grader]]:
    """The grader classes of one folder below `graders/` by their `type`; for `waza` also those of plug-ins.

    In the `legacy` folder one type has several meanings, there the key is `GENERATION:TYPE`.

    Raises:
        ModuleNotFoundError: there is no such folder.

    """
    found = {_key(dialect, it): it for it in _in_folder(dialect)}
    if dialect == "waza":
        for plug_in in plug_ins(GRADER_GROUP):
            if grader := _loaded(plug_in, taken=found):
                found[grader.type_name] = grader
    return found


def find_grader(type_name: str, generation: str = CURRENT, config: object = None) -> type[Grader] | None:
    """The class that gives `type` its meaning in a generation, None when the type is unknown there.

    The Python generation had its own eight types only; the first Go generation had those of today and two
    more, and for a few days another meaning of a third, which `config` tells (docs/reference/waza-graders.md,
    section 7.3). Other dialects have one generation, called as the dialect is.
    """
    if generation in OTHER_DIALECTS:
        return graders(OTHER_DIALECTS[generation]).get(type_name)
    if generation in {"PY", "G1"}:
        legacy = graders("legacy").get(f"{generation}:{type_name}")
        if legacy is not None and legacy.is_meant_by(config):
            return legacy
    return None if generation == "PY" else graders("waza").get(type_name)


def newest_generation(type_name: str) -> str:
    """The newest generation that knows the type; for an unknown type the current one."""
    known = (it for it in (CURRENT, "G1", "PY") if find_grader(type_name, it))
    return next(known, CURRENT)


def generation_of(entry: GraderEntry) -> str:
    """The generation that gives the type of a loaded entry its meaning."""
    return generation_of_dialect(entry.dialect) or newest_generation(entry.type)


def generation_of_dialect(dialect: str) -> str:
    """The one generation of a dialect; empty for waza, which has several."""
    return next((it for it, name in OTHER_DIALECTS.items() if name == dialect), "")


def newest_meaning(type_name: object) -> type[Grader] | None:
    """The class that gives a type its newest meaning, an outdated type included; None when there is no such type."""
    if not isinstance(type_name, str):
        return None
    legacy = graders("legacy")
    return graders("waza").get(type_name) or legacy.get(f"G1:{type_name}") or legacy.get(f"PY:{type_name}")


def _in_folder(dialect: str) -> Iterator[type[Grader]]:
    package = importlib.import_module(f"{_folder.__name__}.{dialect}")
    for module_info in sorted(pkgutil.iter_modules(package.__path__), key=lambda it: it.name):
        module = importlib.import_module(f"{package.__name__}.{module_info.name}")
        for thing in vars(module).values():
            if _is_grader_type(thing) and thing.__module__ == module.__name__:
                yield thing


def _is_grader_type(thing: object) -> TypeGuard[type[Grader]]:
    return isinstance(thing, type) and issubclass(thing, Grader) and bool(getattr(thing, "type_name", ""))


def _key(dialect: str, grader: type[Grader]) -> str:
    return f"{min(grader.generations)}:{grader.type_name}" if dialect == "legacy" else grader.type_name


def _loaded(plug_in: "EntryPoint", taken: dict[str, type[Grader]]) -> type[Grader] | None:
    try:
        grader = plug_in.load()
        if _is_grader_type(grader) and grader.type_name not in taken:
            grader.model_rebuild()
            return grader
        reason = "it must name a Grader class whose type_name is not taken"
    except Exception as error:  # noqa: BLE001  # whatever foreign code does at import, the engine goes on
        reason = f"{type(error).__name__}: {error}"
    _log.warning("Grader plug-in '%s' (%s) is left out: %s", plug_in.name, plug_in.value, reason)
    return None
