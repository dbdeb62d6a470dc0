"""The option `--color`, which every command has that prints for people."""

import os
from collections.abc import Iterator

import click

_CHOICES = {"auto": None, "always": True, "never": False}


def colour_option() -> click.Option:
    """Return the option. Click passes the choice on to commands below, and keeps colours in pipes for `always`."""
    return click.Option(
        ["--color", "--colour"],
        type=click.Choice(list(_CHOICES)),
        expose_value=False,
        is_eager=True,
        callback=_choose,
        help="Colours: auto (the default) uses them on terminals.",
    )


def add_colour_option(command: click.Command) -> click.Command:
    """Return the command with the option, which its subcommands get too."""
    for it in _leaves(command):
        if not any("--color" in one.opts for one in it.params):
            it.params.append(colour_option())
    return command


def _leaves(command: click.Command) -> Iterator[click.Command]:
    if isinstance(command, click.Group):
        for it in command.commands.values():
            yield from _leaves(it)
    else:
        yield command


def _choose(ctx: click.Context, _option: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.color = _CHOICES[value]
    elif ctx.color is None and not os.environ.get("NO_COLOR") and os.environ.get("FORCE_COLOR", "0") != "0":
        ctx.color = True
