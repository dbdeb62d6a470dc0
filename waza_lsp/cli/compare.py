"""`waza-lsp compare`: several runs side by side."""

import json
from pathlib import Path

import click

from waza_engine.reports.comparison import comparison_data, comparison_text
from waza_engine.reports.html_comparison import html_comparison
from waza_lsp.cli.run_reports import FILE, written
from waza_lsp.cli.run_source import FOLDER, give_up, record_named


@click.command(short_help="Compare runs, task by task.")
@click.argument("runs", nargs=-1, required=True)
@click.option(
    "--format", "-f", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
@click.option(
    "--store", "store_dir", type=FOLDER, metavar="DIR", help="Where runs are kept; default .waza-lsp."
)
@click.option("--html", type=FILE, metavar="FILE", help="Write a comparison to look at.")
def compare(runs: tuple[str, ...], form: str, store_dir: Path | None, html: Path | None) -> None:
    """Compare two or more RUNS: ids, "last", or results files. Differences are the last one's to the first.

    \b
    Examples:
      waza-lsp compare before.json after.json
      waza-lsp compare 20260131T120000 last --format json
      waza-lsp compare 20260131T120000 last --html comparison.html
    """
    if len(runs) < 2:
        raise click.UsageError("Name at least two runs or results files.")
    records = [record_named(it, store_dir) for it in runs]
    if html is not None and (problem := written(html, html_comparison(runs, records))):
        give_up(problem)
    if form == "json":
        click.echo(json.dumps(comparison_data(runs, records), indent=2))
    else:
        click.echo(comparison_text(runs, records))
