"""Keeps what is compiled at run time while modules are imported, as Python keeps the byte code of the modules.

attrs, cattrs and dataclasses write methods as texts and have them compiled at every start, and `re` compiles patterns:
a third of the time until the first findings, and until the first hover. What comes of a text depends on the
text, its name, the flags and Python alone, and all of these have to be the same for something kept to be used: with
other versions of the libraries there are other texts, and they are compiled as ever.

It leans on one thing only: that those modules call what compiles by the names below. One that does not is slower, no
more.
"""

import __future__

import functools
import importlib
import operator
import sys
from types import CodeType, ModuleType
from typing import Any

from waza_lsp.server.kept import Kept, usual_path
from waza_lsp.server.kept_patterns import KeptPatterns

STARTS = ("re._compiler", "dataclasses")
"""The modules that compile what the first findings need."""
WRITERS = (*STARTS, "attr._make", "cattrs.gen")
"""Those that compile what all else needs."""
_INHERITED = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)


class Compiled:
    """Stands in for what compiles, until `keep`. Without a file, everything is as ever."""

    def __init__(self, kept: Kept | None) -> None:
        self._kept = kept
        self._before: list[tuple[ModuleType, dict[str, Any]]] = []

    @classmethod
    def usual(cls, name: str) -> "Compiled":
        """Keeps in the file of this name in the user's cache folder, where there is one."""
        path = usual_path(name)
        return cls(Kept(path) if path is not None else None)

    def serve(self, *modules: str) -> None:
        """Compile from now on what these modules have compiled."""
        if self._kept is None:
            return
        for name in modules:
            try:
                module = importlib.import_module(name)
            except ImportError:  # Another version keeps it elsewhere.
                continue
            # In a module that has none of its own, they are found before those of Python.
            instead: dict[str, Any] = {"compile": self.compile, "exec": self.execute}
            if name == "re._compiler":
                instead = {"compile": KeptPatterns(self._kept, module).compile}
            self._before.append((module, {it: vars(module).get(it) for it in instead}))
            vars(module).update(instead)

    def compile(self, *arguments: Any, **named: Any) -> Any:
        """As `compile` of Python."""
        if named or list(map(type, arguments)) != [str, str, str]:
            return compile(*arguments, **named)
        # Called from here it would go by the `from __future__ import` lines of this module.
        flags = sys._getframe(1).f_code.co_flags & _INHERITED  # noqa: SLF001  # the only way to know the caller's
        source, filename, mode = arguments
        return self._code(source, filename, mode, flags)

    def execute(self, source: Any, *names: Any) -> None:
        """As `exec` of Python with the names given."""
        if type(source) is str:
            flags = sys._getframe(1).f_code.co_flags & _INHERITED  # noqa: SLF001  # as above
            source = self._code(source, "<string>", "exec", flags)
        exec(source, *names)  # noqa: S102  # what the caller does

    def _code(self, source: str, filename: str, mode: str, flags: int) -> CodeType:
        key = f"{mode} {flags} {filename}\n{source}"
        found: CodeType | None = self._kept.find(key) if self._kept is not None else None
        if found is not None:
            return found
        made: CodeType = compile(source, filename, mode, flags, dont_inherit=True)
        if self._kept is not None:
            self._kept.add(key, made)
        return made

    def keep(self) -> None:
        """Let everybody compile alone again, and write down what was used."""
        for module, before in self._before:
            for name, function in before.items():
                if function is None:
                    del vars(module)[name]
                else:
                    setattr(module, name, function)
        kept, self._kept, self._before = self._kept, None, []
        if kept is not None:
            kept.write()
