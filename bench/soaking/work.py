"""A piece of work that is always the same: how long it takes says how busy the machine is with other things."""

import subprocess
import sys
import time

_WORK = "for _ in range(20): sorted(str(it) for it in range(20_000))"
"""About a fifth of a second."""


def seconds_of_work() -> float:
    """How long it takes now, in a process of its own."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-S", "-c", _WORK], check=True)
    return time.perf_counter() - began
