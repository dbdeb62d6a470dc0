"""Which grader types exist: found by looking into the folders, no list to keep."""

import importlib
import pkgutil
from functools import cache

from waza_engine import graders as _folder
from waza_engine.graders.base import Grader


@cache
def graders(dialect: str) -> dict[str, type[Grader]]:
    """The grader classes in one folder below `graders/`, by their `type` (legacy: by generation and type).

    Raises:
        ModuleNotFoundError: there is no such folder.
    """
    package = importlib.import_module(f"{_folder.__name__}.{dialect}")
    found: dict[str, type[Grader]] = {}
    for module_info in sorted(pkgutil.iter_modules(package.__path__), key=lambda it: it.name):
        module = importlib.import_module(f"{package.__name__}.{module_info.name}")
        for thing in vars(module).values():
            if isinstance(thing, type) and issubclass(thing, Grader) and thing.__module__ == module.__name__:
                found[thing.type_name] = thing
    return found
