"""One heap of the C library for all threads."""

import sys
from contextlib import suppress

_ARENA_MAX = -8
"""`M_ARENA_MAX` of glibc's malloc.h."""


def one_heap() -> None:
    """Have threads that are started from now on share the heap of the first one, where the C library is glibc.

    It would give each a heap of its own, so that they need not wait for each other. Ours wait for Python anyway, and each
    of their heaps keeps the room that a thread once needed in it: 10 MB together after a few minutes, and more every hour.
    """
    if sys.platform == "linux":
        # Another C library has no such function, or Python none to call it with.
        with suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)
