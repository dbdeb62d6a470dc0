"""The command `waza-lsp completion`: print the script that completes `waza-lsp` in a shell."""

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

_SHELLS: dict[str, type[ShellComplete]] = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}
_PROGRAM = "waza-lsp"
VARIABLE = "_WAZA_LSP_COMPLETE"
"""The variable by which the scripts ask for completions; click derives it from the program's name."""


@click.command()
@click.argument("shell", metavar="SHELL", type=click.Choice(list(_SHELLS)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL: commands, options, their values, tasks, runs, executors, codes and types.

    bash needs version 4.4 or newer.

    \b
    Examples:
      waza-lsp completion bash > ~/.local/share/bash-completion/completions/waza-lsp
      waza-lsp completion zsh > ~/.zfunc/_waza-lsp        (with 'fpath+=~/.zfunc' before compinit in ~/.zshrc)
      waza-lsp completion fish > ~/.config/fish/completions/waza-lsp.fish
    """
    found = _SHELLS[shell](ctx.find_root().command, {}, _PROGRAM, VARIABLE)
    click.echo(ShellComplete.source(found))
