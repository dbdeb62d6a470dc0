"""`waza-lsp report`: print or write the report of a finished run."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from waza_lsp.cli.completion import values
from waza_lsp.cli.console import EXIT_ERROR, print_err, show_chunks
from waza_lsp.cli.options import FILE, FOLDER, GITHUB, HTML, JUNIT, LAST, PRINTED_FORMATS, QUIET, STORE

if TYPE_CHECKING:
    from waza_engine.model.records import RunRecord
    from waza_lsp.cli.audit.report import AuditReport


@click.command()
@click.argument("run", default=LAST, shell_complete=values.runs_or_files)
@HTML
@JUNIT
@click.option("--json", "results", type=FILE, metavar="FILE", help="Write the results as waza's JSON.")
@GITHUB
@click.option("--audit", is_flag=True, help="With --html: also audit the eval as it is now (waza-lsp audit).")
@click.option("--recordings", type=FOLDER, metavar="DIR", help="Write recordings for --executor replay.")
@click.option(
    "--format",
    "printed",
    type=click.Choice(list(PRINTED_FORMATS)),
    help="Print the report in this format. Default: text, if no file is written.",
)
@click.option(
    "--k",
    type=click.IntRange(min=1),
    metavar="K",
    help="Show pass@K and pass^K in the text report.",
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
    k: int | None,
    quiet: bool,
    audit: bool,
) -> None:
    """Report RUN: the id of a run or its beginning, "last", or a results file.

    \b
    Examples:
      waza-lsp report
      waza-lsp report -q
      waza-lsp report last --k 3
      waza-lsp report last --html report.html --audit
      waza-lsp report 20260131T12 --junit junit.xml --json results.json
      waza-lsp report results.json --format github >> "$GITHUB_STEP_SUMMARY"
    """
    if audit and html is None:
        raise click.UsageError("--audit shows the audit in the HTML report: add --html FILE")
    # Imported late: `--help` does without.
    from waza_lsp.cli.run.reports import Reports, printed_chunks
    from waza_lsp.cli.stored.find import load_record_and_store
    from waza_lsp.cli.text_report import show_text_report

    record, store = load_record_and_store(run, store_dir)
    files = Reports(results, junit, html, github, recordings)
    if printed is None and files == Reports():
        printed = "text"
    audits = _audited(record, store.directory if store else store_dir) if audit else None
    problems = files.write(record, store=store, audits=audits.evals if audits else ())
    problems = [*(f"error: {it}" for it in problems), *(audits.problems if audits else ())]
    if printed is not None:
        if printed == "text":
            show_text_report(record, store.directory if store else None, quiet=quiet, k=k or 0)
        else:
            show_chunks(printed_chunks(printed, record))
    for problem in problems:
        print_err(problem)
    sys.exit(EXIT_ERROR if problems else 0)


def _audited(record: "RunRecord", store_dir: Path | None) -> "AuditReport":
    """Return the audit of the run's eval, with the recordings of this store."""
    from waza_lsp.cli.audit.perform import Audits, Request

    audits = Audits(Request(store_dir=store_dir))
    if not record.eval_path:
        audits.report.problems.append(
            "error: The run does not say which eval it is of, so nothing can be audited"
        )
        return audits.report
    return audits.perform([Path(record.eval_path)])
