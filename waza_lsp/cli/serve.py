"""`waza-lsp serve`: the language server."""

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
    from waza_lsp.server.main import log_to, serve_stdio

    if tcp is None:
        serve_stdio(log_file)
        return
    host, _, port = tcp.rpartition(":")
    if not port.isdigit():
        raise click.UsageError("--tcp wants HOST:PORT, for example 127.0.0.1:2087")
    log_to(log_file)
    from waza_lsp.server.start import serve_tcp

    serve_tcp(host or "127.0.0.1", int(port))
