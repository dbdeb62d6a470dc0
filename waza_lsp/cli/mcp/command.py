"""`waza-lsp mcp`: serve the tools of this project to agents, on standard input and output."""

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from waza_engine.lib.paths import real_path

if TYPE_CHECKING:
    from waza_lsp.cli.mcp.folder import Folder

_UNTRUSTED = (
    "{folder} is not trusted, so --allow-run is refused. A file of a repository may have set that option. If you trust "
    "the evals there, trust the folder once in your editor."
)


@click.command()
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    show_default=True,
    help="The workspace folder. Agents can name only files inside of it.",
)
@click.option("--allow-write", is_flag=True, help="Let the tool 'fix' change files.")
@click.option("--allow-run", is_flag=True, help="Add the tool 'run'. Only in a folder that you trust.")
@click.option(
    "--call", "tool", metavar="TOOL", help="Call one tool and exit. Its arguments are JSON on standard input."
)
def mcp(folder: Path, allow_write: bool, allow_run: bool, tool: str | None) -> None:
    """Serve check, explain, complete, fix, draft_graders, grade_last, audit, runs and compare to agents.

    The Model Context Protocol is spoken on standard input and output. The server reads only, unless you allow more.

    \b
    Examples:
      waza-lsp mcp
      waza-lsp mcp --folder evals --allow-write
      claude mcp add waza -- waza-lsp mcp
      echo '{"paths": ["evals"]}' | waza-lsp mcp --call check
    """
    from waza_lsp.cli.mcp.folder import Folder

    root = real_path(folder)
    if allow_run and not _is_trusted(root):
        _give_up(_UNTRUSTED.format(folder=root))
    workspace = Folder(root, may_write=allow_write, may_run=allow_run)
    if tool:
        _call(workspace, tool)
    else:
        _serve(workspace)


# Imports below are late: agents wait for this start, and some give a server up that needs ten seconds on a busy machine.


def _is_trusted(folder: Path) -> bool:
    from waza_lsp.server.trusted_folders import is_remembered

    return is_remembered(folder)


def _give_up(message: str) -> NoReturn:
    from waza_lsp.cli.console import give_up

    give_up(message)


def _call(folder: "Folder", tool: str) -> None:
    from waza_lsp.cli.console import EXIT_ERROR
    from waza_lsp.cli.mcp.call import call_tool
    from waza_lsp.cli.mcp.folder import ToolRefusedError

    # As bytes: its callers read UTF-8, whatever the encoding of a console here is. Both texts are inert.
    try:
        click.echo(call_tool(folder, tool, sys.stdin.buffer.read()).encode("utf-8", "backslashreplace"))
    except ToolRefusedError as error:
        click.echo(f"error: {error}".encode("utf-8", "backslashreplace"), err=True)
        sys.exit(EXIT_ERROR)


def _serve(folder: "Folder") -> None:
    try:
        # Imported late: the package is an extra, and takes longer than all other commands together.
        from waza_lsp.cli.mcp.server import build_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"mcp", "mcp_types"}:
            raise
        from waza_engine.lib.extras import install_command

        _give_up(f"The package 'mcp' is not installed. Install it with: {install_command('mcp')}")
    from waza_lsp.cli.mcp.opening import drop_abandoned_probe

    server = build_server(folder)
    drop_abandoned_probe()
    # An exception would wait for the thread that reads standard input. What we have started ends with this process.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    server.run("stdio")
