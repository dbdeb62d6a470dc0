"""Import a module only when one of its attributes is used, or not at all."""

import sys
import threading
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


def import_lazily(name: str) -> None:
    """Defer the import of a module until one of its attributes is used."""
    spec = None if name in sys.modules else find_spec(name)
    if spec is None or spec.loader is None:
        return
    _locks[name] = threading.RLock()
    sys.modules[name] = module = module_from_spec(spec)
    module.__class__ = _Later
    package, _, last = name.rpartition(".")
    if package:  # Otherwise the import system would search for it and import it.
        setattr(sys.modules[package], last, module)


def skip_pydantic_plugins() -> None:
    """Let pydantic build models without searching all installed distributions for its plug-ins.

    The search takes 20 ms with few distributions and longer with many. Call it before the first model is built.
    """
    name = "pydantic.plugin._loader"
    instead = ModuleType(name)
    vars(instead)["get_plugins"] = tuple
    sys.modules.setdefault(name, instead)


class _Later(ModuleType):
    """A module that is not imported yet.

    importlib's `LazyLoader` would not do: the next `import` of the name imports it. A thread that uses an attribute
    while another thread imports the module waits, because it would find half of it.
    """

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("__"):  # The import system uses these before the import.
            _import(self)
        return ModuleType.__getattribute__(self, name)  # It is no longer a `_Later`.

    def __getattr__(self, name: str) -> Any:
        if _import(self):
            return getattr(self, name)
        raise AttributeError(f"module '{self.__name__}' has no attribute '{name}' yet")


def _import(module: ModuleType) -> bool:
    """Import a module, unless this thread is already importing it. Returns whether it is imported."""
    with _locks[module.__name__]:
        spec = module.__spec__
        assert spec is not None and spec.loader is not None  # noqa: PT018, S101  # `import_lazily` checks it
        if type(module) is _Later and spec.name not in _begun:
            _begun.add(spec.name)
            try:
                spec.loader.exec_module(module)
            finally:
                module.__class__ = ModuleType  # type: ignore[assignment]  # a normal module from now on
        return type(module) is not _Later


_locks: dict[str, threading.RLock] = {}
_begun: set[str] = set()
