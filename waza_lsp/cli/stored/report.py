"""`waza-lsp report`: print or write the report of a finished run."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from waza_lsp.cli.completion import values
from waza_lsp.cli.console import EXIT_ERROR, give_up, print_err, show, show_chunks
from waza_lsp.cli.options import FILE, FOLDER, GITHUB, HTML, JUNIT, LAST, PRINTED_FORMATS, QUIET, STORE

if TYPE_CHECKING:
    from waza_engine.model.results.records import RunRecord
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
@click.option(
    "--against",
    metavar="RUN",
    default="",
    shell_complete=values.runs_or_files,
    help="With --format github: the comment of a pull request that compares RUN with this one.",
)
@QUIET
@STORE
def report(  # noqa: PLR0913, PLR0917  # click passes one argument per option
    run: str,
    html: Path | None,
    junit: Path | None,
    results: Path | None,
    github: Path | None,
    recordings: Path | None,
    printed: str | None,
    store_dir: Path | None,
    *,
    against: str,
    k: int | None,
    quiet: bool,
    audit: bool,
) -> None:
    """Report RUN: the id of a run or its beginning, "last", a results file, or a folder of `waza-lsp ci run`.

    \b
    Examples:
      waza-lsp report
      waza-lsp report -q
      waza-lsp report last --k 3
      waza-lsp report last --html report.html --audit
      waza-lsp report 20260131T12 --junit junit.xml --json results.json
      waza-lsp report results.json --format github >> "$GITHUB_STEP_SUMMARY"
      waza-lsp report last --format github --against before.json
      waza-lsp report .waza-lsp/ci --format github
    """
    if audit and html is None:
        raise click.UsageError("--audit shows the audit in the HTML report: add --html FILE")
    if against and printed != "github":
        raise click.UsageError("--against writes the comment of a pull request: add --format github")
    if printed == "github" and _shows_summary(Path(run)):
        return
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
        if against:
            _show_comparison(record, against, store_dir)
        elif printed == "text":
            show_text_report(record, store.directory if store else None, quiet=quiet, k=k or 0)
        else:
            show_chunks(printed_chunks(printed, record))
    for problem in problems:
        print_err(problem)
    sys.exit(EXIT_ERROR if problems else 0)


def _shows_summary(folder: Path) -> bool:
    """Print the comment of `waza-lsp ci run`, if this is its folder."""
    from waza_engine.model.file_names import SUMMARY

    if not (folder / SUMMARY).is_file():
        return False
    from waza_engine.reports.pull_request.comment import comment_markdown
    from waza_engine.reports.pull_request.summary import SummaryError, read_summary

    try:
        show(comment_markdown(read_summary(folder)))
    except SummaryError as error:
        give_up(str(error))
    return True


def _show_comparison(record: "RunRecord", against: str, store_dir: Path | None) -> None:
    """Print the comment that a pull request with this run would have."""
    from waza_engine.reports.pull_request.build import eval_summary
    from waza_engine.reports.pull_request.comment import comment_markdown
    from waza_engine.reports.pull_request.summary import Summary, cut, tokens_of
    from waza_lsp.cli.load_errors import short_path
    from waza_lsp.cli.stored.find import load_record

    before = load_record(against, store_dir)
    path = str(short_path(Path(record.eval_path))) if record.eval_path else ""
    found = eval_summary(record, path, before)
    summary = Summary(
        base=cut(before.run_id),
        eval_count=1,
        run_count=1,
        tokens=tokens_of(record.consumption),
        evals=[found],
    )
    show(comment_markdown(summary))


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
