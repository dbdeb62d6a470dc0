"""Start an audit, print its report, and end the program. Imported late: `waza-lsp audit --help` does without."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

import click

from waza_engine.audit.score import EvalAudit
from waza_engine.model.suite import LoadError
from waza_engine.project.eval_sets import evals_in
from waza_lsp.cli.audit.keep import Wanted
from waza_lsp.cli.audit.perform import Audits, Request
from waza_lsp.cli.audit.report import AuditedFiles, AuditReport, conclusion, counted, json_chunks
from waza_lsp.cli.audit.text import text_chunks
from waza_lsp.cli.console import EXIT_CANCELLED, EXIT_ERROR, may_colour, print_err, show, show_chunks
from waza_lsp.cli.load_errors import load_error_text, short_path


@dataclass(frozen=True, slots=True)
class Output:
    """What to print and write, and when to fail."""

    form: str
    html: Path | None
    fail_under: float | None
    quiet: bool


def start(
    paths: Sequence[Path], kept: Sequence[str], since: str, options: Mapping[str, Any], output: Output
) -> NoReturn:
    """Audit the evals, or keep broken work, and end the program with the exit status.

    With `since`, only the evals that have changed since that commit.
    """
    request = Request(keep=tuple(map(_wanted, kept)), **options)
    audits = Audits(request)
    evals = _evals(paths, audits.report.problems)
    report = audits.perform(_changed(evals, since) if since else evals)
    if request.keep:
        _end_kept(report, request.keep)
    if request.tasks and not report.evals and not report.problems and not report.stopped:
        print_err(f"error: No task matches {', '.join(request.tasks)}")
        sys.exit(EXIT_ERROR)
    _print(report, output)
    if output.html is not None:
        _write_page(report, output.html)
    _end(report, output.fail_under)


def _changed(evals: Iterator[Path], since: str) -> list[Path]:
    # Imported late: most audits compare with no commit.
    from waza_engine.project.eval_sets import ChosenEval
    from waza_lsp.cli.run.changed_since import only_changed

    return [it.path for it in only_changed(list(map(ChosenEval, evals)), since, "audited")]


def _wanted(text: str) -> Wanted:
    wanted = Wanted.parse(text)
    if wanted is None:
        raise click.UsageError(
            f"--keep needs TASK:MUTANT, not '{text}'. The audit shows the names of mutants"
        )
    return wanted


def _end_kept(report: AuditReport, wanted: Sequence[Wanted]) -> NoReturn:
    """Say which files were written, and end the program."""
    found = {it for it, _ in report.kept}
    problems = [*report.problems, *(kept.text for _, kept in report.kept if kept.path is None)]
    problems += [f"No task has the id '{it.task}'" for it in wanted if it not in found and not report.stopped]
    for _, it in report.kept:
        if it.path is not None:
            show(f"Kept {short_path(it.path)}: {it.text}. From now on it must fail")
    for problem in problems:
        print_err(f"error: {problem}")
    sys.exit(EXIT_CANCELLED if report.stopped else EXIT_ERROR if problems else 0)


def _evals(paths: Sequence[Path], problems: list[str]) -> Iterator[Path]:
    """Yield each eval once. Folders without evals are added to the problems."""
    seen = set[Path]()
    for path in paths or [Path()]:
        try:
            found = [it.path for it in evals_in(path)] if path.is_dir() else [path]
        except LoadError as error:
            problems.append(load_error_text(error))
            continue
        for it in found:
            if (whole := it.absolute()) not in seen:
                seen.add(whole)
                yield whole


def _print(report: AuditReport, output: Output) -> None:
    for problem in report.problems:
        print_err(problem)
    if output.form == "text":
        chunks = text_chunks(report, quiet=output.quiet, colour=may_colour(sys.stdout))
        if first := next(chunks, ""):
            show_chunks(chain([first], chunks))
    elif output.form == "json":
        show_chunks(json_chunks(report))
    elif output.form == "junit":
        # Imported late: SARIF and JUnit bring the records of runs.
        from waza_lsp.cli.audit.junit import junit_chunks

        show_chunks(junit_chunks(report, output.fail_under))
    else:
        _print_findings(report, output.form)


def _print_findings(report: AuditReport, form: str) -> None:
    """Print the findings at their places. What else was found, such formats have no place for."""
    from waza_lsp.cli.check import formats

    for each in report.evals:
        _print_not_audited(each)
    files = AuditedFiles(report)
    if form == "sarif":
        show_chunks(formats.sarif_chunks(files, files.rules, files.names))
        return
    for line in formats.github_lines(files):
        # Lines for GitHub are commands: `github_lines` escapes what they quote.
        click.echo(line)


def _print_not_audited(audited: EvalAudit) -> None:
    """Print which tasks were not audited, once for each reason: a broken grader of the eval concerns all tasks."""
    first: dict[str, tuple[str, str]] = {}
    more = Counter[str]()
    for it in audited.audits:
        if reason := it.problem or it.lost:
            where = f"{short_path(it.path)}: " if it.path is not None else ""
            more[reason] += reason in first
            first.setdefault(reason, (where, it.task))
    for reason, (where, task) in first.items():
        count = more[reason]
        were = f"and {counted(count, 'more task')} were" if count else "was"
        print_err(f"{where}error: Task '{task}' {were} not audited: {reason}")


def _write_page(report: AuditReport, path: Path) -> None:
    from waza_engine.reports.html.audit import html_audit
    from waza_lsp.cli.run.reports import write_report

    problems = [*report.problems, *(f"{it}: not reached" for it in report.not_reached)]
    problem = write_report(path, html_audit(report.evals, problems, report.stopped))
    if problem:
        print_err(f"error: {problem}")
        sys.exit(EXIT_ERROR)


def _end(report: AuditReport, fail_under: float | None) -> NoReturn:
    if report.stopped == "cancelled":
        sys.exit(EXIT_CANCELLED)
    # What is lost because the tokens are spent was to be expected.
    if report.problems or report.sums.broken or (report.sums.lost and not report.stopped):
        sys.exit(EXIT_ERROR)
    failed, undecided = conclusion(report, fail_under)
    if failed:
        print_err(f"FAILED: {failed}")
        sys.exit(1)
    if undecided:
        from waza_engine.runs.run import EXIT_UNDECIDED

        print_err(f"UNDECIDED: {undecided}")
        sys.exit(EXIT_UNDECIDED)
    sys.exit(0)
