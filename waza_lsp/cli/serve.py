"""`waza-lsp serve`: the language server."""

import logging
import logging.handlers
import tempfile
from pathlib import Path

import click


@click.command(short_help="Start the language server.")
@click.option("--stdio", is_flag=True, help="Talk over standard input and output (the default).")
@click.option("--tcp", metavar="HOST:PORT", help="Listen on a TCP address instead, for debugging.")
@click.option(
    "--log-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to log; a temporary file without it.",
)
def serve(*, stdio: bool, tcp: str | None, log_file: Path | None) -> None:
    """Start the language server; editors do this for you.

    \b
    Examples:
      waza-lsp serve
      waza-lsp serve --tcp 127.0.0.1:2087
    """
    if stdio and tcp:
        raise click.UsageError("--stdio and --tcp exclude each other")
    # Editors show a server's stderr as errors, so the log goes to a file.
    path = log_file or Path(tempfile.gettempdir()) / "waza-lsp.log"
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=1_000_000, backupCount=1, delay=True)
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    from waza_lsp.server.start import serve_stdio, serve_tcp

    if tcp is None:
        serve_stdio()
        return
    host, _, port = tcp.rpartition(":")
    if not port.isdigit():
        raise click.UsageError("--tcp wants HOST:PORT, for example 127.0.0.1:2087")
    serve_tcp(host or "127.0.0.1", int(port))
