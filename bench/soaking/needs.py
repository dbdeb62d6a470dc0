"""The resources of a server: memory, open files, threads, processes, and processor time (Linux)."""

import os
from dataclasses import dataclass
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Needs:
    """`memory` and `worker` (all child processes) are in MB, `cpu` in seconds since the start."""

    memory: float
    worker: float
    handles: int
    threads: int
    processes: int
    cpu: float


def needs(pid: int) -> Needs:
    """Return the current resources of a process and its descendants."""
    proc = Path("/proc") / str(pid)
    below = list(_below(pid))
    fields = (proc / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return Needs(
        _memory(pid),
        sum(map(_memory, below)),
        len(list((proc / "fd").iterdir())),
        len(list((proc / "task").iterdir())),
        len(below),
        sum(map(int, fields[11:13])) / _TICKS,
    )


def _memory(pid: int) -> float:
    pages = (Path("/proc") / str(pid) / "statm").read_text(encoding="ascii").split()[1]
    return int(pages) * _PAGE / 1e6


def _below(pid: int) -> list[int]:
    """Return the descendants of a process."""
    tasks = (Path("/proc") / str(pid) / "task").iterdir()
    children = [int(it) for task in tasks for it in (task / "children").read_text(encoding="ascii").split()]
    return [*children, *(it for child in children for it in _below(child))]
