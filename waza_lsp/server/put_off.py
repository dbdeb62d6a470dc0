"""Imports that wait until something of the module is looked up."""

import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


def put_off(name: str) -> None:
    """Let a module be imported when something of it is looked up, not before."""
    spec = None if name in sys.modules else find_spec(name)
    if spec is None or spec.loader is None:
        return
    sys.modules[name] = module = module_from_spec(spec)
    module.__class__ = _Later
    package, _, last = name.rpartition(".")
    if package:  # Else it would be looked for where modules are, and imported.
        setattr(sys.modules[package], last, module)


class _Later(ModuleType):
    """Not importlib's `LazyLoader`: with that, the next `import` of the name is enough to import it."""

    def __getattr__(self, name: str) -> Any:
        self.__class__ = ModuleType  # type: ignore[assignment]  # as ever from now on
        spec = self.__spec__
        assert spec is not None and spec.loader is not None  # noqa: PT018, S101  # it was made of that
        spec.loader.exec_module(self)
        return getattr(self, name)
