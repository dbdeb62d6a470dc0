"""What commands print, with nothing in it that a terminal or a CI system would obey.

Text of a file that is asked for as such (`check --diff`, `convert --dry-run`) does not come through here.
"""

import contextlib
import os
from typing import TextIO

import click

from waza_engine.reports.inert import harmless, inert


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
