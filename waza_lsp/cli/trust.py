"""`waza-lsp trust`: the folders whose evals may execute, for editors that cannot ask."""

from pathlib import Path

import click

from waza_engine.lib.paths import real_path
from waza_lsp.cli.console import give_up, print_err, show

_FOLDER = click.argument("folder", type=click.Path(path_type=Path))


@click.group()
def trust() -> None:
    """List, add and remove folders whose authors you trust: evals there may start programs from an editor.

    The server asks this in your editor before the first run. Some editors cannot show the question. Name the folder
    that your editor opens; folders above and below it are others.

    \b
    Examples:
      waza-lsp trust add ~/work/evals
      waza-lsp trust list
      waza-lsp trust remove ~/work/evals
    """


@trust.command("list")
def list_() -> None:
    """List the folders that you trust."""
    from waza_lsp.server.trusted_folders import trusted_folders

    folders = trusted_folders()
    for it in folders:
        show(it)
    if not folders:
        print_err("No folder is trusted")


@trust.command()
@_FOLDER
def add(folder: Path) -> None:
    """Trust FOLDER."""
    from waza_lsp.server.trusted_folders import remember

    path = real_path(folder)
    if not path.is_dir():
        give_up(f"'{folder}' is not a folder")
    try:
        remember(path)
    except (OSError, RuntimeError) as error:
        give_up(f"'{folder}' cannot be added: {error}")
    show(f"Trusted: {path}")


@trust.command()
@_FOLDER
def remove(folder: Path) -> None:
    """Trust FOLDER no longer. Editors that are open go on trusting it until their server ends."""
    from waza_lsp.server.trusted_folders import forget, is_remembered

    path = real_path(folder)
    if not is_remembered(path):
        give_up(f"'{folder}' is not trusted. List the trusted folders with: waza-lsp trust list")
    try:
        forget(path)
    except (OSError, RuntimeError) as error:
        give_up(f"'{folder}' cannot be removed: {error}")
    show(f"No longer trusted: {path}")
