"""`waza-lsp audit`: find checks that would pass on broken work."""

from pathlib import Path

import click

from waza_lsp.cli.options import HTML, JOBS

_FORMATS = ("text", "json", "sarif", "junit", "github")


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path, exists=True))
@click.option("--task", "tasks", multiple=True, metavar="GLOB", help="Only tasks whose name or id matches.")
@click.option(
    "--changed-since",
    "since",
    metavar="REF",
    default="",
    help="Only evals that have changed since the merge base with REF, such as origin/main.",
)
@click.option(
    "--format",
    "output",
    type=click.Choice(_FORMATS),
    default="text",
    show_default=True,
    help="Output format.",
)
@HTML
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Exit with 1 if the mutation score is lower, or if a task passes for an agent that does no work.",
)
@click.option("--with-programs", is_flag=True, help="Also ask graders that run programs or code.")
@click.option("--with-judges", is_flag=True, help="Also ask judge models. Requires --max-tokens.")
@click.option(
    "--max-tokens",
    type=click.IntRange(1),
    metavar="N",
    help="With --with-judges: stop asking after so many tokens.",
)
@click.option(
    "--max-seconds", type=click.FloatRange(0, min_open=True), metavar="N", help="Stop after this time."
)
@click.option(
    "--keep",
    "kept",
    multiple=True,
    metavar="TASK:MUTANT",
    help="Write this mutant of a task to recordings/counter/, as a recording that must fail, and audit nothing.",
)
@click.option(
    "--cache/--no-cache",
    "use_cache",
    default=True,
    help="Reuse the results of tasks of which nothing has changed. Default: --cache.",
)
@click.option(
    "--store", "store_dir", type=click.Path(path_type=Path), metavar="DIR", help="Folder of the run store."
)
@JOBS
@click.option("-q", "--quiet", is_flag=True, help="Show only tasks with weak checks.")
def audit(  # noqa: PLR0913, PLR0917  # one for each option
    paths: tuple[Path, ...],
    tasks: tuple[str, ...],
    since: str,
    output: str,
    html: Path | None,
    fail_under: float | None,
    with_programs: bool,
    with_judges: bool,
    max_tokens: int | None,
    max_seconds: float | None,
    kept: tuple[str, ...],
    use_cache: bool,
    store_dir: Path | None,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Find checks that would pass on broken work. No agent, no model, no tokens.

    Grades agents that do no work (silence, "Done.", the prompt repeated, ...) and broken copies of recorded trials with the
    graders of each task. PATH is an eval or a folder, by default the working directory.

    The exit status is 0, or 1 if a counter example passes, or with --fail-under if the score is too low. It is 2 if an eval
    cannot be audited or a recording cannot be read, 3 with --fail-under if the time or the tokens end before something
    fails, and 130 if you cancel.

    \b
    Examples:
      waza-lsp audit
      waza-lsp audit evals/notes/eval.yaml --task 'writes-*'
      waza-lsp audit --html audit.html
      waza-lsp audit --fail-under 80 --format junit > audit.xml
      waza-lsp audit --changed-since origin/main --fail-under 80
      waza-lsp audit --with-programs evals/notes
      waza-lsp audit evals/notes/eval.yaml --keep writes-a-note:halve-output
    """
    if with_judges != (max_tokens is not None):
        raise click.UsageError("--with-judges and --max-tokens go together: judges cost tokens")
    # Imported late: `--help` does without.
    from waza_lsp.cli.audit.start import Output, start

    limits = {"max_tokens": max_tokens, "max_seconds": max_seconds}
    request = {"tasks": tasks, "store_dir": store_dir, "use_cache": use_cache, "with_programs": with_programs}
    start(
        paths, kept, since, {**request, **limits, "jobs": jobs}, Output(output, html, fail_under, quiet=quiet)
    )
