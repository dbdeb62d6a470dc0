"""Print safely, and end commands with a message instead of a traceback.

Printed text contains nothing that a terminal or a CI system would obey. Two commands print file contents as they are
and bypass this module: `check --diff` and `convert --dry-run`.
"""

import contextlib
import errno
import io
import math
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn, Self, TextIO, TypeVar

import click

from waza_engine.reports.inert import harmless, inert

EXIT_ERROR = 2
"""The exit status of a command that could not do its work."""
EXIT_CANCELLED = 130
"""The exit status of a command that Ctrl-C has ended."""
_BLOCK = 1 << 16
"""How many characters of a long text are collected before they are printed."""
_NOT_A_CHOICE = re.compile(r"'([^']*)' is not one of ")
_CHOICES = re.compile(r":\n\t|,\n\t")
"""How click sets the choices of a missing value apart: each on a line of its own."""
_STYLES = {"passed": "green", "failed": "red", "error": "yellow"}


def show(text: str) -> None:
    """Print text on standard output."""
    click.echo(inert(text))


def show_file_text(text: str) -> None:
    """Print text of files as it is, for `patch` and redirection; on a terminal, what it would execute is escaped."""
    click.echo((inert(text) if sys.stdout.isatty() else text).encode("utf-8", "backslashreplace"), nl=False)


def show_chunks(chunks: Iterable[str]) -> None:
    """Print a long text while it is made, with one line break at its end.

    Only whole lines are printed, because what a CI system would execute depends on how a line begins.
    """
    waiting: list[str] = []
    size, rest = 0, ""
    for chunk in chunks:
        waiting.append(chunk)
        size += len(chunk)
        if size > _BLOCK:
            text = rest + "".join(waiting)
            # Line breaks at the end may be the last ones of all.
            end = text.rstrip("\n").rfind("\n") + 1
            click.echo(inert(text[:end]), nl=False)
            waiting, size, rest = [], 0, text[end:]
    show((rest + "".join(waiting)).rstrip("\n"))


def show_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table on a terminal.

    A title that ends with "#" makes a right-aligned column, one that ends with "!" a column that narrow terminals do not
    cut; the mark is not shown. Words under "status" are coloured.
    """
    # Imported late: rich takes 60 ms, and pipes do without it.
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    rows = list(rows)
    for number, title in enumerate(columns):
        is_number, is_whole = title.endswith("#"), title.endswith("!")
        table.add_column(
            title.removesuffix("#").removesuffix("!"),
            justify="right" if is_number else "left",
            no_wrap=is_number or is_whole,
            min_width=max((len(row[number]) for row in rows), default=0) if is_whole else None,
        )
    for row in rows:
        styles = (
            _STYLES.get(cell, "") if title == "status" else ""
            for title, cell in zip(columns, row, strict=True)
        )
        table.add_row(*(Text(harmless(cell), style) for cell, style in zip(row, styles, strict=True)))
    Console(highlight=False, no_color=not may_colour(sys.stdout)).print(table)


def print_err(message: str) -> None:
    """Print a message on standard error, as one line."""
    click.echo(harmless(_without_secrets(message)), err=True)


def give_up(message: str, about: Path | None = None) -> NoReturn:
    """Print an error about the file `about`, if any, and end the program."""
    print_err(f"{about}: error: {message}" if about else f"error: {message}")
    sys.exit(EXIT_ERROR)


def _without_secrets(message: str) -> str:
    """Return the message without keys: it may quote an endpoint, a program or the command line."""
    # Imported late: most commands print no error.
    from waza_engine.lib.redaction import Redactor

    return Redactor.of(os.environ, commands=sys.argv[1:]).text(message)


def try_print_err(message: str) -> None:
    """Print a message on standard error; a closed stream is not an error."""
    with contextlib.suppress(OSError):
        print_err(message)


def may_colour(stream: TextIO) -> bool:
    """Whether to colour: as `--color` says, else NO_COLOR (no-color.org), else FORCE_COLOR, else on terminals only."""
    chosen = click.get_current_context(silent=True)
    if chosen is not None and chosen.color is not None:
        return chosen.color
    return stream.isatty() and not os.environ.get("NO_COLOR")


_LINKING = frozenset(["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "Tabby"])
"""Values of TERM_PROGRAM of terminals that show links (OSC 8)."""
_LINKING_SETS = ("WT_SESSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "DOMTERM", "FORCE_HYPERLINK")
_LINKING_TERMS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot")
_FIRST_VTE = 5000
"""VTE 0.50 is the first version of GNOME's terminal library with links."""


def may_link(stream: TextIO) -> bool:
    """Whether the stream is a terminal that is known to show links, so that text can be one."""
    if not stream.isatty() or os.environ.get("TERM") == "dumb":
        return False
    vte = os.environ.get("VTE_VERSION", "")
    return (
        any(os.environ.get(it, "0") != "0" for it in _LINKING_SETS)
        or os.environ.get("TERM_PROGRAM") in _LINKING
        or os.environ.get("TERM", "").startswith(_LINKING_TERMS)
        or (vte.isdecimal() and int(vte) >= _FIRST_VTE)
    )


def link(text: str, address: str) -> str:
    """Return text that is a link on a terminal (OSC 8)."""
    return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\"


def is_terminal() -> bool:
    """Whether a person reads standard output on a terminal that can show tables."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


_T = TypeVar("_T")
_PATIENCE_SECONDS = 1.0
"""How long a command works before it shows its progress."""
_TICK_SECONDS = 0.1


class Counter:
    """Shows on a terminal how much is done, once it takes longer than a second. Its line is gone in the end."""

    def __init__(self, stream: TextIO, words: str, *, quiet: bool = False) -> None:
        self._stream = stream
        self._words = words
        is_shown = not quiet and stream.isatty() and os.environ.get("TERM") != "dumb"
        self._next = time.monotonic() + _PATIENCE_SECONDS if is_shown else math.inf
        self._has_line = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._has_line:
            self._write("\r\x1b[K")

    def each(self, items: Iterable[_T]) -> Iterator[_T]:
        """Yield the items and count them."""
        for done, item in enumerate(items):
            if (now := time.monotonic()) >= self._next:
                self._has_line, self._next = True, now + _TICK_SECONDS
                self._write(f"\r\x1b[K{done:,} {self._words}")
            yield item

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            self._stream.write(text)
            self._stream.flush()


@contextlib.contextmanager
def without_tracebacks() -> Iterator[None]:
    """End the program with a message when the operating system refuses something that no command handles."""
    _open_closed_streams()
    _buffer_streams()
    try:
        yield
    except click.ClickException as error:
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            raise  # The help page for a missing subcommand.
        try_print_err(f"error: {_click_message(error)}")
        if isinstance(error, click.UsageError) and error.ctx is not None:
            try_print_err(f"Try '{error.ctx.command_path} --help' for help.")
        raise SystemExit(error.exit_code) from None
    except KeyboardInterrupt:
        # Click would exit with 1, which most commands use as a verdict.
        try_print_err("Cancelled.")
        stop_printing()
        raise SystemExit(EXIT_CANCELLED) from None
    except BrokenPipeError:
        # The reader has seen enough: `waza-lsp runs list | head -1`.
        stop_printing()
        raise SystemExit(EXIT_ERROR) from None
    except OSError as error:
        try_print_err(f"error: {_reason(error)}")
        stop_printing()
        raise SystemExit(EXIT_ERROR) from None
    finally:
        # A closed stderr must not change the exit status.
        _stop_printing_to(sys.stderr)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a sentence, after a space, with the known names that are close to a misspelt one; "" if none is."""
    # Imported late: few names are misspelt.
    from waza_engine.lib.spelling import nearest

    close = " or ".join(f"'{it}'" for it in nearest(name, list(known)))
    return f" Did you mean {close}?" if close else ""


def _click_message(error: click.ClickException) -> str:
    """Return the message of click, with what a misspelt value of an option probably means."""
    message = _CHOICES.sub(lambda it: f"{it[0][0]} ", error.format_message())
    if isinstance(error, click.NoSuchOption) and error.possibilities:
        # In the form of our own suggestions, not in click's.
        return error.message + did_you_mean(error.option_name, error.possibilities)
    kind = error.param.type if isinstance(error, click.BadParameter) and error.param is not None else None
    found = _NOT_A_CHOICE.search(message) if isinstance(kind, click.Choice) else None
    if not isinstance(kind, click.Choice) or found is None:
        return message
    return message + did_you_mean(found[1], map(str, kind.choices))


def _open_closed_streams() -> None:
    """Open streams that the caller closed (`>&-`); otherwise a file of ours would get the stream's number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # `open` returns the lowest free number, which is the number of this stream.
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "r" if number == 0 else "w"))


def _buffer_streams() -> None:
    """Wrap unbuffered streams (PYTHONUNBUFFERED): Python would drop what a pipe does not take at once."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(getattr(stream, "buffer", None), io.RawIOBase):
            buffered = open(  # noqa: SIM115  # lives until the program ends
                stream.fileno(),
                "w",
                buffering=1,
                encoding=stream.encoding,
                errors=stream.errors,
                closefd=False,
            )
            setattr(sys, name, buffered)


def stop_printing() -> None:
    """Discard pending output, so that the interpreter does not fail on it at exit."""
    for stream in (sys.stdout, sys.stderr):
        _stop_printing_to(stream)


def _stop_printing_to(stream: TextIO) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        stream.flush()
        return
    with contextlib.suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def _reason(error: OSError) -> str:
    if error.errno == errno.ENOENT and not error.filename and not _has_current_directory():
        return "The current directory no longer exists; change to one that does"
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else f"The output cannot be written: {reason}"


def _has_current_directory() -> bool:
    try:
        Path.cwd()
    except OSError:
        return False
    return True
