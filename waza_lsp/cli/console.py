"""What becomes of a command when nobody can read what it prints, or it cannot be where it is: words, and an exit status."""

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import click

from waza_engine.reports.inert import harmless, inert

CANNOT = 2
"""The exit status of a command that could not do what was asked for."""
CANCELLED = 130
"""The exit status of a command that Ctrl-C has ended."""


@contextlib.contextmanager
def without_tracebacks() -> Iterator[None]:
    """End the program with a message when the machine refuses something that no command could provide for."""
    _open_what_is_closed()
    _write_all_of_it()
    try:
        yield
    except click.ClickException as error:
        # Click prints it. Its page of help, for who names no subcommand, is the one message of several lines.
        if not isinstance(error, click.exceptions.NoArgsIsHelpError):
            error.message = harmless(error.message)  # type: ignore[misc]  # what click prints can be had no other way
        raise
    except KeyboardInterrupt:
        # Click would end with 1, which is a verdict of most commands.
        tell_if_heard("Cancelled.")
        stop_printing()
        raise SystemExit(CANCELLED) from None
    except BrokenPipeError:
        # Who has seen enough is no mistake of ours: `waza-lsp runs list | head -1`.
        stop_printing()
        raise SystemExit(CANNOT) from None
    except OSError as error:
        tell_if_heard(f"error: {_told(error)}")
        stop_printing()
        raise SystemExit(CANNOT) from None
    finally:
        # Whether anybody hears what is said besides is no part of the verdict.
        _stop_printing_to(sys.stderr)


def _open_what_is_closed() -> None:
    """A program that was started with `>&-` prints to nowhere: no file of ours must get the number of its output."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # It gets the lowest number that is free, which is this one.
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "r" if number == 0 else "w"))


def _write_all_of_it() -> None:
    """Without a buffer (PYTHONUNBUFFERED) Python writes what a pipe takes at once, and forgets the rest of a long line."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(getattr(stream, "buffer", None), io.RawIOBase):
            lasting = open(  # noqa: SIM115  # it is there until the program ends, and has no path
                stream.fileno(),
                "w",
                buffering=1,
                encoding=stream.encoding,
                errors=stream.errors,
                closefd=False,
            )
            setattr(sys, name, lasting)


def stop_printing() -> None:
    """Have the rest go nowhere, so that the interpreter does not stumble over it in the end."""
    for stream in (sys.stdout, sys.stderr):
        _stop_printing_to(stream)


def _stop_printing_to(stream: TextIO) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        stream.flush()
        return
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _told(error: OSError) -> str:
    if error.errno == errno.ENOENT and not error.filename and not _is_somewhere():
        return "The current directory is gone; change to one that is there"
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else f"The output cannot be written: {reason}"


def _is_somewhere() -> bool:
    try:
        Path.cwd()
    except OSError:
        return False
    return True


def show(text: str) -> None:
    """Print what a command has to say."""
    click.echo(inert(text))


def tell(message: str) -> None:
    """Print a message on standard error, as one line."""
    click.echo(harmless(message), err=True)


def tell_if_heard(message: str) -> None:
    """The same where it does not matter if nobody listens any more."""
    with contextlib.suppress(OSError):
        tell(message)


def may_colour(stream: TextIO) -> bool:
    """Whether colours are welcome (no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR")
