"""`waza-lsp compare`: several runs side by side, or two of them as a judge sees them."""

import json
from pathlib import Path

import click

from waza_engine.reports.comparison import comparison_data, comparison_text
from waza_engine.reports.html.comparison import html_comparison
from waza_lsp.cli.printing import show
from waza_lsp.cli.run_reports import FILE, written
from waza_lsp.cli.run_source import STORE, give_up, record_named


@click.command(short_help="Compare runs, task by task.")
@click.argument("runs", nargs=-1, required=True)
@click.option(
    "--format", "-f", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
@STORE
@click.option("--html", type=FILE, metavar="FILE", help="Write a comparison to look at.")
@click.option("--pairwise", is_flag=True, help="Ask a judge which of two runs is better, trial by trial.")
@click.option(
    "--eval",
    "eval_path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="EVAL",
    help="With --pairwise: where the rubrics stand; default the eval of the runs.",
)
@click.option("--judge-model", default="", metavar="MODEL", help="With --pairwise: the judge's model.")
@click.option(
    "--fail-on-regression", is_flag=True, help="With --pairwise: exit with 1 when the second run is worse."
)
def compare(  # one argument for each option
    runs: tuple[str, ...],
    form: str,
    store_dir: Path | None,
    html: Path | None,
    pairwise: bool,
    eval_path: Path | None,
    judge_model: str,
    fail_on_regression: bool,
) -> None:
    """Compare two or more RUNS: ids, "last", or results files. Differences are the last one's to the first.

    With --pairwise the first run is the baseline, and a judge model says for each trial of the second whether it is better.
    It is asked twice, with the places swapped; contradictions are ties.

    The exit status is 0, 1 with --fail-on-regression when the second run is worse, 2 when the runs could not be compared.

    \b
    Examples:
      waza-lsp compare before.json after.json
      waza-lsp compare 20260131T120000 last --format json
      waza-lsp compare 20260131T120000 last --html comparison.html
      waza-lsp compare before.jsonl after.jsonl --pairwise --fail-on-regression
    """
    if len(runs) < 2:
        raise click.UsageError("Name at least two runs or results files.")
    if pairwise:
        # Imported here: it brings the judges with it.
        from waza_lsp.cli.compare_pairwise import Wanted, compare_pairwise

        if len(runs) > 2:
            raise click.UsageError("With --pairwise name exactly two runs: the baseline and the treatment.")
        if html is not None:
            raise click.UsageError("--pairwise writes no page: leave out --html, or --pairwise.")
        wanted = Wanted(runs[0], runs[1], store_dir, eval_path, judge_model, form, fail_on_regression)
        compare_pairwise(wanted)
        return
    # Without a judge nothing is called worse: a build that counts on it would never fail.
    for name, given in (
        ("--fail-on-regression", fail_on_regression),
        ("--eval", eval_path),
        ("--judge-model", judge_model),
    ):
        if given:
            raise click.UsageError(f"{name} is for --pairwise: give that, too.")
    records = [record_named(it, store_dir) for it in runs]
    if html is not None and (problem := written(html, html_comparison(runs, records))):
        give_up(problem)
    if form == "json":
        show(json.dumps(comparison_data(runs, records), indent=2))
    else:
        show(comparison_text(runs, records))
