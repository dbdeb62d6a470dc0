"""`waza-lsp studio`: open a folder in a local page."""

from pathlib import Path

import click

from waza_lsp.cli.console import give_up, print_err

_PACKAGES = frozenset(["starlette", "uvicorn", "websockets"])
_LAST_PORT = 65535


@click.command()
@click.argument("folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(0, _LAST_PORT),
    default=0,
    metavar="N",
    help="Port on 127.0.0.1. Default: any free one.",
)
@click.option("--no-open", is_flag=True, help="Do not open a browser; only print the address.")
@click.option("--trust", is_flag=True, help="Trust the folder: run evals without asking in the page first.")
@click.option("--demo", is_flag=True, help="Open a copy of a shipped example with recorded runs.")
def studio(*, folder: Path | None, port: int, no_open: bool, trust: bool, demo: bool) -> None:
    """Open FOLDER, by default the working directory, in a page in your browser.

    The page is an editor with the language server of your editor: findings, fixes, completion, runs and verdicts. It shows
    runs, traces and comparisons, too. The only line on standard output is its address, which works once.

    Only your browser on this machine can open it. Nothing is executed until you trust the folder in the page, or with
    --trust. Nothing outside of FOLDER is written. End it with Ctrl-C.

    \b
    Examples:
      waza-lsp studio --demo
      waza-lsp studio evals
      waza-lsp studio evals --port 8123 --no-open
    """
    if demo and folder is not None:
        raise click.UsageError("--demo opens its own folder. Remove FOLDER or --demo.")
    try:
        # Imported late: `--help` does without, and the packages are an extra.
        from waza_lsp.studio.start import PortError, StudioOptions, serve_studio
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES:
            raise
        from waza_engine.lib.extras import install_command

        give_up(f"The package '{error.name}' is not installed. Install it with: {install_command('studio')}")
    from waza_engine.lib.system.programs import is_in_foreground
    from waza_lsp.studio.demo import opened

    with opened(folder, is_demo=demo) as (root, start_file):
        options = StudioOptions(
            root,
            port,
            opens_browser=not no_open,
            is_trusted=trust,
            is_demo=demo,
            start_file=start_file,
        )

        def show_address(address: str) -> None:
            click.echo(address)
            renew = ", or Enter for a new address" if is_in_foreground() else ""
            print_err(f"Serving {root}. Press Ctrl-C to end{renew}.")

        try:
            serve_studio(options, show_address)
        except PortError as error:
            give_up(f"{error}. Choose another --port")
