"""A constant piece of work. Its duration shows how busy the machine is."""

import subprocess
import sys
import time

_WORK = "for _ in range(20): sorted(str(it) for it in range(20_000))"
"""The amount of work, about 0.2 seconds."""


def seconds_of_work() -> float:
    """Return its current duration in a separate process."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-S", "-c", _WORK], check=True)
    return time.perf_counter() - began
