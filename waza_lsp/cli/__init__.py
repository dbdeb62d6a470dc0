"""The command line: `waza-lsp COMMAND`. One module per command, imported when the command is used."""

import importlib
from contextlib import AbstractContextManager
from typing import Any

import click
from click.shell_completion import CompletionItem

from waza_engine.version import __version__
from waza_lsp.cli.colour import add_colour_option, colour_option
from waza_lsp.lazy_import import import_lazily, skip_pydantic_plugins
from waza_lsp.server.startup.code_cache import CodeCache

_COMMANDS = {
    "serve": ("serve", "Start the language server."),
    "new": ("new.command", "Create evals, tasks, graders, skills and experiments."),
    "check": ("check.command", "Find mistakes in eval files."),
    "audit": ("audit.command", "Find checks that would pass on broken work."),
    "rule": ("pages.command", "Show the page of a finding's code."),
    "grader": ("pages.command", "Show the page of a grader type."),
    "completion": ("completion.command", "Print the completion script of a shell."),
    "doctor": ("doctor.command", "Show what is installed and what could run."),
    "schema": ("schema", "Show or export the JSON Schemas of files and graders."),
    "run": ("run.command", "Run an eval and grade the agent."),
    "grade": ("grade.command", "Grade recorded work without running an agent."),
    "runs": ("stored.runs", "List and show recorded runs."),
    "report": ("stored.report", "Show the report of a finished run."),
    "trace": ("stored.trace", "Show step by step what the agent did."),
    "compare": ("stored.compare", "Compare runs, task by task."),
    "plan": ("plan", "Show how many tasks and trials show a change."),
    "merge": ("stored.merge", "Merge the shards of a run."),
    "review": ("stored.review", "Record verdicts of people."),
    "judge": ("judge.command", "Show how well judges agree with people."),
    "trust": ("trust", "Trust the evals of a folder, for editors that cannot ask."),
    "coverage": ("coverage.command", "Find clauses of skills that no eval tests."),
    "studio": ("studio", "Edit, run and inspect evals in your browser."),
    "ci": ("ci.command", "Run what a pull request changes, and comment."),
    "mcp": ("mcp.command", "Serve these tools to agents (MCP)."),
    "agents": ("agents.command", "Show coding agents the findings after their edits."),
    "convert": ("convert.command", "Convert an eval to another dialect or the newest form."),
}
"""The commands in the order of the help text, each with its module in this package and its line in that text."""
_ONLY_READ = frozenset(
    [
        "check",
        "compare",
        "doctor",
        "grader",
        "merge",
        "plan",
        "report",
        "review",
        "rule",
        "runs",
        "schema",
        "trace",
    ]
)
"""Commands that start no programs. They need neither plug-ins of pydantic nor some of what libraries import."""
_WITHOUT_COLOUR = frozenset(["completion", "mcp", "serve"])
"""Commands that print for programs."""
_NOT_NEEDED = ("base64", "bz2", "difflib", "hashlib", "ipaddress", "lzma", "pickle", "regex", "secrets")
"""Modules that others import at once, but that such a command rarely uses."""


class _ListedGroup(click.Group):
    """Lists the commands in our order."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)


class _LazyGroup(_ListedGroup):
    """Imports a command only when it is used, so that `--help` and `serve` start fast."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        lines = {name: click.Command(name, short_help=line) for name, (_, line) in _COMMANDS.items()}
        _ListedGroup(commands=lines).format_commands(ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        commands = [CompletionItem(name, help=line) for name, (_, line) in _COMMANDS.items()]
        found = [it for it in commands if str(it.value).startswith(incomplete)]
        # Not the group's own, which would import every command.
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        # Commands share code with the server, but hardly any needs the protocol's 554 classes: a third of most starts.
        import_lazily("lsprotocol.types")
        if cmd_name in _ONLY_READ:
            # Other commands may run code of the user, who may use pydantic's plug-ins.
            skip_pydantic_plugins()
            for name in _NOT_NEEDED:
                import_lazily(name)
        command: Any = getattr(importlib.import_module(f"{__name__}.{_COMMANDS[cmd_name][0]}"), cmd_name)
        if not isinstance(command, click.Command):
            return None
        return command if cmd_name in _WITHOUT_COLOUR else add_colour_option(command)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args[0] not in _COMMANDS:
            from waza_lsp.cli.console import did_you_mean

            ctx.fail(f"No such command '{args[0]}'.{did_you_mean(args[0], _COMMANDS)}")
        if args[0] in _COMMANDS and args[0] != "serve":
            code_cache = CodeCache.of_user(f"command-{args[0]}")
            # The other patterns that a command compiles may be those of the user's files.
            code_cache.intercept("dataclasses", "re._compiler", only_own_patterns=True)
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


main.params.append(colour_option())
