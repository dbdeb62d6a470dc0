"""What patterns were compiled to, kept from one start to the next."""

import re
from typing import Any

from waza_lsp.server.kept import Kept


class KeptPatterns:
    """Stands in for the compiler of patterns, `re._compiler`."""

    def __init__(self, kept: Kept, compiler: Any) -> None:
        self._kept = kept
        self._compiler = compiler
        self._plain = compiler.compile
        self._make = compiler._sre.compile  # noqa: SLF001  # checks what it is given, and makes patterns of it

    def compile(self, pattern: Any, flags: int = 0) -> Any:
        """As `re._compiler.compile`."""
        if type(pattern) is not str:
            return self._plain(pattern, flags)
        key = f"pattern {flags}\n{pattern}"
        found = self._kept.find(key)
        if found is not None:
            return self._make(pattern, *found)
        made = self._plain(pattern, flags)
        self._kept.add(key, self._parts(made, flags))
        return made

    def _parts(self, made: re.Pattern[str], flags: int) -> tuple[Any, ...]:
        """What a pattern is made of besides its text."""
        # What it was compiled to cannot be asked of the pattern itself: once more, at the first start only.
        code = self._compiler._code(self._compiler._parser.parse(made.pattern, flags), flags)  # noqa: SLF001  # as above
        names: list[str | None] = [None] * (made.groups + 1)
        for name, number in made.groupindex.items():
            names[number] = name
        # Numbers of a class of its own, which cannot be written.
        return made.flags, list(map(int, code)), made.groups, dict(made.groupindex), tuple(names)
