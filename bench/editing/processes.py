"""A server with all its child processes: processor time, memory and number."""

import os
import re
import threading
import time
from pathlib import Path

import psutil

_EVERY_SECONDS = 0.1
_PSS = re.compile(r"^Pss:\s+(\d+)", re.MULTILINE)


class ProcessTree:
    """What a process and its descendants use. Descendants count until they end, whoever their parent is then."""

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)
        self._known = {pid}
        self._find()
        self._ended = threading.Event()
        self.peak = 0.0
        """The most memory (MB) at one time: the proportional share (PSS) of each process, added up."""
        self.most = 1
        """The largest number of processes at one time."""
        threading.Thread(target=self._watch, daemon=True).start()

    def stop(self) -> None:
        """End the watching."""
        self._ended.set()

    def cpu(self) -> float:
        """The processor seconds of all processes until now, with those of ended children."""
        return sum(map(_precise, tuple(self._known))) + sum(map(_of_ended_children, tuple(self._known)))

    def memory(self) -> float:
        """The memory (MB) of all processes now."""
        return sum(map(_pss, tuple(self._known)))

    def count(self) -> int:
        """The number of processes now."""
        self._find()
        return len(self._known)

    def kill(self) -> None:
        """End all processes."""
        self._find()
        for pid in self._known:
            try:
                psutil.Process(pid).kill()
            except psutil.Error:
                continue

    def _watch(self) -> None:
        while not self._ended.wait(_EVERY_SECONDS):
            self._find()
            self.most = max(self.most, len(self._known))
            self.peak = max(self.peak, self.memory())

    def _find(self) -> None:
        try:
            found = {it.pid for it in self._root.children(recursive=True)}
        except psutil.Error:
            found = set()
        # One assignment: another thread reads.
        self._known = {it for it in self._known | found if psutil.pid_exists(it)}


def seconds_of_others() -> float:
    """The processor seconds of all programs until now, but of this one and children that have ended. Linux only."""
    of_all, ours = psutil.cpu_times(), os.times()
    busy = of_all.user + of_all.nice + of_all.system + of_all.irq + of_all.softirq + of_all.steal
    return float(busy) - ours.user - ours.system - ours.children_user - ours.children_system


def _precise(pid: int) -> float:
    """The processor seconds of a process."""
    # The clock of a process (clock_getcpuclockid of Linux): /proc counts in hundredths of a second only.
    try:
        return time.clock_gettime(~pid << 3 | 2)
    except OSError:
        return 0.0


def _of_ended_children(pid: int) -> float:
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    return times.children_user + times.children_system


def _pss(pid: int) -> float:
    try:
        found = _PSS.search(Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii"))
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0
