"""Stolen processor time of a virtual machine (Linux)."""

from pathlib import Path
from typing import NamedTuple

_STOLEN = 7
"""The eighth number of the line, see proc(5)."""
_COUNTED = 8
"""The other numbers already include the following ones."""


class Ticks(NamedTuple):
    """The time of all processors since the start of the machine."""

    all: int
    stolen: int


def ticks() -> Ticks:
    """Return the time until now, or None if the system does not report it."""
    try:
        first = Path("/proc/stat").read_text(encoding="ascii").partition("\n")[0]
    except OSError:
        return Ticks(0, 0)
    return told(first)


def told(line: str) -> Ticks:
    """Parse the first line of `/proc/stat`."""
    numbers = [int(it) for it in line.split()[1 : 1 + _COUNTED]]
    return Ticks(sum(numbers), numbers[_STOLEN] if len(numbers) > _STOLEN else 0)


def stolen(before: Ticks, now: Ticks) -> float:
    """Return the stolen share between two times, in percent."""
    passed = now.all - before.all
    return 100 * (now.stolen - before.stolen) / passed if passed else 0.0
