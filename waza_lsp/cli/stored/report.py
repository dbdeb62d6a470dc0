"""`waza-lsp report`: print or write the report of a finished run."""

import sys
from pathlib import Path

import click

from waza_lsp.cli.completion import values
from waza_lsp.cli.console import EXIT_ERROR, print_err, show_chunks
from waza_lsp.cli.options import FILE, FOLDER, GITHUB, HTML, JUNIT, LAST, PRINTED_FORMATS, QUIET, STORE


@click.command()
@click.argument("run", default=LAST, shell_complete=values.runs_or_files)
@HTML
@JUNIT
@click.option("--json", "results", type=FILE, metavar="FILE", help="Write the results as waza's JSON.")
@GITHUB
@click.option("--recordings", type=FOLDER, metavar="DIR", help="Write recordings for --executor replay.")
@click.option(
    "--format",
    "printed",
    type=click.Choice(list(PRINTED_FORMATS)),
    help="Print the report in this format. Default: text, if no file is written.",
)
@QUIET
@STORE
def report(  # noqa: PLR0913  # click passes one argument per option
    run: str,
    html: Path | None,
    junit: Path | None,
    results: Path | None,
    github: Path | None,
    recordings: Path | None,
    printed: str | None,
    store_dir: Path | None,
    *,
    quiet: bool,
) -> None:
    """Report RUN: the id of a run or its beginning, "last", or a results file.

    \b
    Examples:
      waza-lsp report
      waza-lsp report -q
      waza-lsp report last --html report.html
      waza-lsp report 20260131T12 --junit junit.xml --json results.json
      waza-lsp report results.json --format github >> "$GITHUB_STEP_SUMMARY"
    """
    # Imported late: `--help` does without.
    from waza_lsp.cli.run.reports import Reports, printed_chunks
    from waza_lsp.cli.stored.find import load_record_and_store
    from waza_lsp.cli.text_report import show_text_report

    record, store = load_record_and_store(run, store_dir)
    files = Reports(results, junit, html, github, recordings)
    if printed is None and files == Reports():
        printed = "text"
    problems = files.write(record, store=store)
    if printed is not None:
        if printed == "text":
            show_text_report(record, store.directory if store else None, quiet=quiet)
        else:
            show_chunks(printed_chunks(printed, record))
    for problem in problems:
        print_err(f"error: {problem}")
    sys.exit(EXIT_ERROR if problems else 0)
