"""JSON nested more deeply than Python's own reader and writer go, which call themselves for each level.

Python's limit for such calls could be lifted, but only for all threads of a process at once, most of which have no
stack for it: one that reads hostile text in the same moment would end the process.
"""

import json
import re
from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Any

_PART = re.compile(r'[ \t\n\r]*([][{},:]|"(?:[^"\\]|\\.)*"|[^][{},:" \t\n\r]+)', re.DOTALL)


class _Next(Enum):
    """What may stand at a place."""

    VALUE = auto()
    VALUE_OR_END = auto()
    KEY = auto()
    KEY_OR_END = auto()
    COLON = auto()
    COMMA_OR_END = auto()


_AT_END = frozenset([_Next.VALUE_OR_END, _Next.KEY_OR_END, _Next.COMMA_OR_END])


class NestedJsonError(ValueError):
    """No value begins where one was wanted. `no_starts` are other places at which none begins, either."""

    def __init__(self, message: str, no_starts: Sequence[int]) -> None:
        super().__init__(message)
        self.no_starts = no_starts


def read_nested(text: str, start: int, scalar: Callable[[str], Any], most: int) -> tuple[Any, int]:
    """The JSON value that begins at `start`, and where it ends.

    `scalar` reads texts, numbers and words, and raises ValueError for what is none.

    Raises:
        NestedJsonError: no value begins there, or brackets nest more than `most` levels deep.

    """
    reader = _Reader(scalar)
    try:
        at = _read(text, start, reader)
    except ValueError as error:
        message = f"more than {most} levels" if reader.deepest > most else str(error)
        raise NestedJsonError(message, reader.open_at) from error
    if reader.deepest > most:
        # Nothing in it is a value of its own; to try each bracket would take hours.
        raise NestedJsonError(f"more than {most} levels", range(start, at))
    return reader.value, at


def _read(text: str, at: int, reader: "_Reader") -> int:
    """Read until a value is complete: where that is."""
    while not reader.is_done:
        found = _PART.match(text, at)
        if found is None:
            raise ValueError(f"the text ends, or cannot be read, behind character {at}")
        at = found.end()
        if not reader.take(found[1], found.start(1)):
            raise ValueError(f"unexpected '{found[1][:40]}' before character {at}")
    return at


class _Reader:
    """Puts the parts of a text together, with the containers that are open in a list instead of on the stack."""

    def __init__(self, scalar: Callable[[str], Any]) -> None:
        self.open_at: list[int] = []
        self.deepest = 0
        self._scalar = scalar
        self._whole: list[Any] = []
        self._open: list[list[Any] | dict[str, Any]] = [self._whole]
        self._keys: list[str] = []
        """Of the maps that are open, those whose value is being read."""
        self._next = _Next.VALUE

    @property
    def is_done(self) -> bool:
        return self._next is _Next.COMMA_OR_END and len(self._open) == 1

    @property
    def value(self) -> Any:
        return self._whole[0]

    def take(self, part: str, at: int) -> bool:
        """Whether the part may stand here."""
        is_map = isinstance(self._open[-1], dict)
        match part[0]:
            case "]" | "}":
                may = self._next in _AT_END and (part == "}") == is_map
                if may:
                    self._open.pop()
                    self.open_at.pop()
                self._next = _Next.COMMA_OR_END
            case ",":
                may = self._next is _Next.COMMA_OR_END
                self._next = _Next.KEY if is_map else _Next.VALUE
            case ":":
                may = self._next is _Next.COLON
                self._next = _Next.VALUE
            case '"' if self._next in {_Next.KEY, _Next.KEY_OR_END}:
                may = True
                self._keys.append(self._scalar(part))
                self._next = _Next.COLON
            case _:
                may = self._next in {_Next.VALUE, _Next.VALUE_OR_END}
                if may:
                    self._add(part, at)
        return may

    def _add(self, part: str, at: int) -> None:
        inner = self._open[-1]
        value = [] if part == "[" else {} if part == "{" else self._scalar(part)
        if isinstance(inner, dict):
            inner[self._keys.pop()] = value
        else:
            inner.append(value)
        self._next = _Next.COMMA_OR_END
        if part in {"[", "{"}:
            self._open.append(value)
            self.open_at.append(at)
            self.deepest = max(self.deepest, len(self.open_at))
            self._next = _Next.KEY_OR_END if part == "{" else _Next.VALUE_OR_END


def write_nested(value: Any) -> str:
    """The JSON text of a value."""
    parts: list[str] = []
    waiting: list[tuple[bool, Any]] = [(False, value)]
    """What is still to be written, the next one last; the flag says that it is JSON already."""
    while waiting:
        is_written, it = waiting.pop()
        if is_written:
            parts.append(it)
        elif isinstance(it, dict):
            waiting.append((True, "}"))
            for number, (key, inner) in reversed(list(enumerate(it.items()))):
                waiting += [(False, inner), (True, f"{',' if number else ''}{json.dumps(key)}:")]
            waiting.append((True, "{"))
        elif isinstance(it, list | tuple):
            waiting.append((True, "]"))
            for number, inner in reversed(list(enumerate(it))):
                waiting += [(False, inner), (True, "," if number else "")]
            waiting.append((True, "["))
        else:
            parts.append(json.dumps(it))
    return "".join(parts)
