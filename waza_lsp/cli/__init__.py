"""The command line: `waza-lsp COMMAND`. One module per command, imported when the command is used."""

import importlib
from contextlib import AbstractContextManager
from typing import Any

import click

from waza_engine.version import __version__
from waza_lsp.lazy_import import import_lazily
from waza_lsp.server.startup.code_cache import CodeCache

_COMMANDS = {
    "serve": "serve",
    "check": "check.command",
    "schema": "schema",
    "run": "run.command",
    "grade": "grade",
    "runs": "runs",
    "report": "report",
    "compare": "compare",
    "merge": "merge",
    "review": "review",
    "convert": "convert",
}
"""The commands in the order of the help text, each with its module in this package."""


class _LazyGroup(click.Group):
    """Imports a command only when it is used, so that `--help` and `serve` start fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        # Commands share code with the server, but hardly any needs the protocol's 554 classes: a third of most starts.
        import_lazily("lsprotocol.types")
        command: Any = getattr(importlib.import_module(f"{__name__}.{_COMMANDS[cmd_name]}"), cmd_name)
        return command if isinstance(command, click.Command) else None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args[0] in _COMMANDS and args[0] != "serve":
            code_cache = CodeCache.of_user(f"command-{args[0]}")
            # Of classes only: the patterns that a command compiles may be those of the user's files.
            code_cache.intercept("dataclasses")
            ctx.call_on_close(code_cache.save)
        return super().resolve_command(ctx, args)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Parse the options. `--help` and `--version` print during this step."""
        with _without_tracebacks():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _without_tracebacks():
            return super().invoke(ctx)


def _without_tracebacks() -> AbstractContextManager[None]:
    try:
        from waza_lsp.cli.console import without_tracebacks

        return without_tracebacks()
    except KeyboardInterrupt:
        # Ctrl-C during that import. Click would exit with 1, which most commands use as a verdict.
        raise SystemExit(130) from None


@click.group(
    cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.version_option(__version__, prog_name="waza-lsp")
def main() -> None:
    """Language server, checker and grader for AI-agent eval files.

    \b
    Examples:
      waza-lsp check evals/                 find mistakes in eval files
      waza-lsp run evals/eval.yaml          run an eval
      waza-lsp schema export --out schemas  write the JSON Schemas
    """
