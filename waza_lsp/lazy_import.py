"""Imports that wait until something of the module is looked up."""

import sys
import threading
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


def put_off(name: str) -> None:
    """Let a module be imported when something of it is looked up, not before."""
    spec = None if name in sys.modules else find_spec(name)
    if spec is None or spec.loader is None:
        return
    _locks[name] = threading.RLock()
    sys.modules[name] = module = module_from_spec(spec)
    module.__class__ = _Later
    package, _, last = name.rpartition(".")
    if package:  # Else it would be looked for where modules are, and imported.
        setattr(sys.modules[package], last, module)


class _Later(ModuleType):
    """Not importlib's `LazyLoader`: with that, the next `import` of the name is enough to import it.

    Who looks something up while another thread imports the module waits, or would find half of it.
    """

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("__"):  # What the machinery of imports looks at is there from the start.
            _import(self)
        return ModuleType.__getattribute__(self, name)  # It is no `_Later` any more.

    def __getattr__(self, name: str) -> Any:
        if _import(self):
            return getattr(self, name)
        raise AttributeError(f"module '{self.__name__}' has no attribute '{name}' yet")


def _import(module: ModuleType) -> bool:
    """Import it, unless this very thread is about it: whether it is imported now."""
    with _locks[module.__name__]:
        spec = module.__spec__
        assert spec is not None and spec.loader is not None  # noqa: PT018, S101  # it was made of that
        if type(module) is _Later and spec.name not in _begun:
            _begun.add(spec.name)
            try:
                spec.loader.exec_module(module)
            finally:
                module.__class__ = ModuleType  # type: ignore[assignment]  # as ever from now on
        return type(module) is not _Later


_locks: dict[str, threading.RLock] = {}
_begun: set[str] = set()
