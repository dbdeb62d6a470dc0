"""`waza-lsp serve`: start the language server."""

import sys
from pathlib import Path

import click

from waza_lsp.cli.console import EXIT_ERROR, print_err

_LAST_PORT = 65535


@click.command()
@click.option("--stdio", is_flag=True, help="Use standard input and output (the default).")
@click.option("--tcp", metavar="HOST:PORT", help="Listen on a TCP address instead, for debugging.")
@click.option(
    "--log-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Log file. Default: a temporary file.",
)
def serve(*, stdio: bool, tcp: str | None, log_file: Path | None) -> None:
    """Start the language server. Editors do this for you.

    \b
    Examples:
      waza-lsp serve
      waza-lsp serve --tcp 127.0.0.1:2087
    """
    if stdio and tcp:
        raise click.UsageError("Give either --stdio or --tcp, not both")
    from waza_lsp.server.startup.main import log_to, serve_stdio

    if tcp is None:
        serve_stdio(log_file)
        return
    host, _, port = tcp.rpartition(":")
    if not (
        port.isascii() and port.isdigit() and len(port) <= len(str(_LAST_PORT)) and int(port) <= _LAST_PORT
    ):
        raise click.UsageError(
            f"--tcp needs HOST:PORT, for example 127.0.0.1:2087; the highest port is {_LAST_PORT}"
        )
    log_to(log_file)
    from waza_lsp.server.build import serve_tcp

    host = host or "127.0.0.1"
    try:
        serve_tcp(host, int(port))
    except (OSError, UnicodeError) as error:  # UnicodeError: the name cannot be a host name.
        print_err(f"error: Cannot listen on {host}:{port}: {getattr(error, 'strerror', None) or error}")
        sys.exit(EXIT_ERROR)
