"""`waza-lsp merge`: merge the shards of a run."""

import sys
from pathlib import Path

import click

from waza_lsp.cli.console import EXIT_ERROR, give_up, print_err
from waza_lsp.cli.options import FILE, GITHUB, HTML, JUNIT


@click.command()
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--output", "results", type=FILE, metavar="FILE", help="Write the results as waza's JSON.")
@JUNIT
@HTML
@GITHUB
@click.option("--incomplete", is_flag=True, help="Accept missing shards.")
def merge(  # click passes one argument per option
    files: tuple[Path, ...],
    results: Path | None,
    junit: Path | None,
    html: Path | None,
    github: Path | None,
    *,
    incomplete: bool,
) -> None:
    """Merge the results FILES of all shards and report the whole run. The exit status is that of the run.

    \b
    Examples:
      waza-lsp run evals/eval.yaml --shard 1/3 --output part-1.json      (on each machine, with its number)
      waza-lsp merge part-*.json --output results.json --junit report.xml
    """
    # Imported late: `--help` does without.
    from waza_engine.reports.merge import MergeError, merge_runs
    from waza_engine.reports.results.read import ResultsError, read_results
    from waza_engine.runs.run import exit_status
    from waza_lsp.cli.run.reports import Reports
    from waza_lsp.cli.text_report import show_text_report

    try:
        record = merge_runs([read_results(it) for it in files], incomplete=incomplete)
    except (MergeError, ResultsError) as error:
        give_up(str(error))
    problems = Reports(results, junit, html, github).write(record)
    show_text_report(record)
    for problem in problems:
        print_err(f"error: {problem}")
    sys.exit(EXIT_ERROR if problems else exit_status(record))
