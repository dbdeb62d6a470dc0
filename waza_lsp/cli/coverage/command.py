"""`waza-lsp coverage`: its options. `report.py` does the work; it is imported late, because `--help` does without."""

from pathlib import Path

import click


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Exit with 1 if a smaller part of all clauses is covered.",
)
@click.option("-q", "--quiet", is_flag=True, help="Show only skills of which something is not covered.")
def coverage(paths: tuple[Path, ...], output: str, fail_under: float | None, quiet: bool) -> None:
    """Find clauses of skills that no eval tests. Runs nothing.

    A clause is what follows USE FOR, WHEN or DO NOT USE FOR in the description of a SKILL.md. It is covered if a task or a
    trigger prompt is about it. A skill without clauses is covered if an eval tests it. PATH is a SKILL.md or a folder, by
    default the working directory; evals are searched there and in the working directory.

    The exit status is 0, or 1 with --fail-under if too little is covered, and 2 if there is no skill, or an eval cannot be
    loaded.

    \b
    Examples:
      waza-lsp coverage
      waza-lsp coverage skills/release-notes --format json
      waza-lsp coverage --fail-under 80 --format github
    """
    from waza_lsp.cli.coverage.report import report_coverage

    report_coverage(paths or (Path(),), output, fail_under, quiet=quiet)
