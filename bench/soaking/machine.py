"""How much of its processors a virtual machine was not given, for its host had something else to do (Linux)."""

from pathlib import Path
from typing import NamedTuple

_STOLEN = 7
"""The eighth number of the line: proc(5)."""
_COUNTED = 8
"""What follows is in the others already."""


class Ticks(NamedTuple):
    """The time of all processors since the machine was started."""

    all: int
    stolen: int


def ticks() -> Ticks:
    """Until now; nothing where the system does not tell."""
    try:
        first = Path("/proc/stat").read_text(encoding="ascii").partition("\n")[0]
    except OSError:
        return Ticks(0, 0)
    return told(first)


def told(line: str) -> Ticks:
    """What the first line of `/proc/stat` says."""
    numbers = [int(it) for it in line.split()[1 : 1 + _COUNTED]]
    return Ticks(sum(numbers), numbers[_STOLEN] if len(numbers) > _STOLEN else 0)


def stolen(before: Ticks, now: Ticks) -> float:
    """The share that was not given between two times, in percent."""
    passed = now.all - before.all
    return 100 * (now.stolen - before.stolen) / passed if passed else 0.0
