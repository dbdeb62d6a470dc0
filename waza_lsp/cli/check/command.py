"""`waza-lsp check`: its options. `start.py` begins the check; it is imported late, because `--help` does without."""

from typing import TYPE_CHECKING

import click

from waza_engine.recognition.recognise import dialects
from waza_lsp.cli.completion import values
from waza_lsp.cli.options import FINDING_FORMATS, JOBS

if TYPE_CHECKING:
    from waza_lsp.fixes.upgrade import Goal


def _parse_codes(
    _context: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> frozenset[str]:
    """Return the codes of a repeatable option. One value may hold several, separated by commas."""
    from waza_engine.project.levels import unknown_code

    codes = frozenset(code.strip() for it in values for code in it.split(",") if code.strip())
    for code in sorted(codes):
        if reason := unknown_code(code):
            raise click.BadParameter(f"{reason} List all codes with: waza-lsp rule")
    return codes


def _parse_goal(_context: click.Context, _option: click.Parameter, value: str | None) -> "Goal | None":
    if value is None:
        return None
    from waza_lsp.fixes.upgrade import Goal, UpgradeError

    try:
        return Goal.parse(value)
    except UpgradeError as error:
        raise click.BadParameter(str(error)) from error


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--format",
    "output",
    type=click.Choice(list(FINDING_FORMATS)),
    default="text",
    show_default=True,
    help="Output format.",
)
@click.option(
    "--dialect",
    type=click.Choice(["auto", *(it.name for it in dialects())]),
    default="auto",
    show_default=True,
    help="Read all files as this dialect.",
)
@click.option(
    "--select",
    multiple=True,
    metavar="CODE",
    callback=_parse_codes,
    shell_complete=values.codes,
    help="Report only these codes. Repeatable; separate several with commas.",
)
@click.option(
    "--ignore",
    multiple=True,
    metavar="CODE",
    callback=_parse_codes,
    shell_complete=values.codes,
    help="Do not report these codes. Repeatable; separate several with commas.",
)
@click.option("--fix", is_flag=True, help="Apply all safe fixes, then report the remaining findings.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, without changing files.")
@click.option(
    "--upgrade",
    metavar="DIALECT[@VERSION]",
    callback=_parse_goal,
    help="Report only what this version of the runner, by default the newest, breaks. With --fix, apply the mechanical fixes.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print findings only, without the summary line.")
@click.option("--stdin-filename", metavar="NAME", help="Read standard input and check it as the file NAME.")
@JOBS
def check(  # noqa: PLR0913, PLR0917  # one for each option
    paths: tuple[str, ...],
    output: str,
    dialect: str,
    select: frozenset[str],
    ignore: frozenset[str],
    fix: bool,
    diff: bool,
    upgrade: "Goal | None",
    quiet: bool,
    stdin_filename: str | None,
    jobs: int | None,
) -> None:
    """Find mistakes in eval, task, trigger, project and experiment files.

    PATH is a file or a folder. Without PATH, the working directory is searched. Files ignored by git or excluded in
    the settings are skipped, unless you name them. PATH '-' reads standard input. Other files are skipped.
    The exit status is 0 without errors, 1 with errors, and 2 if some of the work could not be done. With --diff it is 1
    if --fix would change something.

    \b
    Examples:
      waza-lsp check
      waza-lsp check evals/deploy --ignore cannot-fail
      waza-lsp check --format sarif evals > findings.sarif
      waza-lsp check --stdin-filename evals/eval.yaml < draft.yaml
      waza-lsp check --diff; waza-lsp check --fix
      waza-lsp check --upgrade vally@0.19 --fix
    """
    from waza_lsp.cli.check.checks import CodeFilter
    from waza_lsp.cli.check.start import Request, start

    request = Request(
        paths,
        output,
        "" if dialect == "auto" else dialect,
        CodeFilter(select, ignore),
        upgrade,
        stdin_filename,
        jobs,
        fix=fix,
        diff=diff,
        quiet=quiet,
    )
    start(request)
