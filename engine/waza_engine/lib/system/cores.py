"""How many processes can work at once, how they start, and how Ctrl-C stays away from them."""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator


def cores() -> int:
    """Return the number of processors that this process may use."""
    if sys.platform != "linux":
        return os.cpu_count() or 1
    return len(os.sched_getaffinity(0))


def start_method() -> str:
    """Return how `multiprocessing` starts workers: with `fork`, they have our imports and caches.

    Libraries of macOS do not work after a fork, and Windows has none.
    """
    return "fork" if sys.platform == "linux" else "spawn"


@contextlib.contextmanager
def interrupts_later() -> Iterator[None]:
    """Put off Ctrl-C until the end of the `with` block. Processes that start in it never see one.

    On Windows nothing is put off.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
