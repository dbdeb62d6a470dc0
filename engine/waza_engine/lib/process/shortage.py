"""Recognise that the machine lacks what a program needs, which says nothing about the program."""

import errno

_ERRORS = frozenset(
    getattr(errno, it)
    for it in ("ENOMEM", "EAGAIN", "EMFILE", "ENFILE", "ENOSPC", "EDQUOT", "ENOBUFS")
    if hasattr(errno, it)
)


class ShortageError(Exception):
    """A program cannot be started: the machine has no memory, processes, file descriptors or disk space left.

    It is no `OSError`: those who handle a program that cannot be started must not take this for its failure.
    """


def is_shortage(error: BaseException) -> bool:
    """Return whether the error says that the machine lacks resources."""
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in _ERRORS)


def shortage_of(program: object, error: BaseException) -> ShortageError:
    """Return the error for a program that could not be started."""
    reason = getattr(error, "strerror", None) or error
    return ShortageError(f"The machine lacks the resources to start '{program}': {reason}")
