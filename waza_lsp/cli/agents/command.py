"""`waza-lsp agents`: let coding agents start our language server and MCP server in a project, or undo it."""

import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from waza_engine.lib.paths import real_path
from waza_lsp.cli.agents.files import (
    AGENTS,
    Change,
    ConfigurationError,
    Plan,
    apply,
    entries,
    plan_install,
    plan_remove,
)
from waza_lsp.cli.console import EXIT_ERROR, print_err, show, show_file_text

_PROGRAM = "waza-lsp"
_NOT_ON_PATH = (
    f"Note: {_PROGRAM!r} is not on PATH, so agents cannot start it. Install it with 'pipx install' or 'uv tool install', "
    "or name the program with --command."
)
_NOT_THE_ROOT = "Note: agents read these files in the root of a repository, which is {root}."


@click.group()
def agents() -> None:
    """Show coding agents the findings in eval files after their edits, and give them the tools of `waza-lsp mcp`.

    \b
    Examples:
      waza-lsp agents install               show what is added, then ask
      waza-lsp agents install --for claude  only for Claude Code
      waza-lsp agents remove --yes          undo it, without a question
    """


def _options(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option("--yes", is_flag=True, help="Change the files without a question."),
        click.option(
            "--for",
            "names",
            multiple=True,
            type=click.Choice(AGENTS),
            help="Only for this agent: Copilot CLI or Claude Code. Can be repeated.",
        ),
        click.option(
            "--folder",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            default=".",
            show_default=True,
            help="The root of the project.",
        ),
    ):
        command = option(command)
    return command


@agents.command()
@_options
@click.option(
    "--command",
    "program",
    default=_PROGRAM,
    show_default=True,
    help="How agents start this program. An absolute path works on this machine only.",
)
def install(folder: Path, names: Sequence[str], yes: bool, program: str) -> None:
    """Add our servers to the configuration of agents in a project.

    Copilot CLI reads .github/lsp.json and .github/mcp.json, Claude Code a plugin in .claude/skills/waza-lsp. Everything
    else in these files stays. Without a terminal, the changes are only shown, unless you add --yes.

    \b
    Examples:
      waza-lsp agents install
      waza-lsp agents install --for copilot --yes
      waza-lsp agents install --command .venv/bin/waza-lsp
    """
    root = _root(folder)
    if program == _PROGRAM and shutil.which(_PROGRAM) is None:
        print_err(_NOT_ON_PATH)
    _carry_out(root, yes, lambda: plan_install(root, entries(names or AGENTS, program)))


@agents.command()
@_options
def remove(folder: Path, names: Sequence[str], yes: bool) -> None:
    """Remove what `install` has added. What you changed since stays.

    \b
    Examples:
      waza-lsp agents remove
      waza-lsp agents remove --for claude --yes
    """
    root = _root(folder)
    _carry_out(root, yes, lambda: plan_remove(root, entries(names or AGENTS, _PROGRAM)))


def _root(folder: Path) -> Path:
    root = real_path(folder)
    repository = next((it for it in (root, *root.parents) if (it / ".git").exists()), root)
    if repository != root:
        print_err(_NOT_THE_ROOT.format(root=repository))
    return root


def _carry_out(root: Path, is_sure: bool, make_plan: Callable[[], Plan]) -> None:
    try:
        plan = make_plan()
        for note in plan.notes:
            show(f"{note}.")
        for change in plan.changes:
            show_file_text(_as_patch(change))
        if not plan.changes or not (is_sure or _is_wanted(len(plan.changes))):
            return
        for change in plan.changes:
            apply(root, change)
            show(f"{'Removed' if change.after is None else 'Wrote'} {change.name}.")
    except ConfigurationError as error:
        print_err(f"error: {error}.")
        sys.exit(EXIT_ERROR)


def _is_wanted(count: int) -> bool:
    what = "this file" if count == 1 else f"these {count} files"
    if not _is_terminal():
        show(f"Nothing was changed. Add --yes to change {what}.")
        return False
    return click.confirm(f"Change {what}?")


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _as_patch(change: Change) -> str:
    # Imported late: `--help` does without.
    from waza_lsp.cli.check.fix import FixedFile, patch

    text = patch(FixedFile(change.name, change.before or "", change.after or "", ()))
    if change.before is None:
        return text.replace(f"--- {change.name}", "--- /dev/null", 1)
    return text.replace(f"+++ {change.name}", "+++ /dev/null", 1) if change.after is None else text
