"""Start an audit, print its report, and end the program. Imported late: `waza-lsp audit --help` does without."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import click

from waza_engine.model.suite import LoadError
from waza_engine.project.eval_sets import evals_in
from waza_lsp.cli.audit.keep import Wanted
from waza_lsp.cli.audit.perform import Audits, Request
from waza_lsp.cli.audit.report import AuditReport, as_json, checked_files, conclusion
from waza_lsp.cli.audit.text import as_text
from waza_lsp.cli.console import EXIT_CANCELLED, EXIT_ERROR, may_colour, print_err, show
from waza_lsp.cli.load_errors import load_error_text, short_path


@dataclass(frozen=True, slots=True)
class Output:
    """What to print and write, and when to fail."""

    form: str
    html: Path | None
    fail_under: float | None
    quiet: bool


def start(paths: Sequence[Path], kept: Sequence[str], options: Mapping[str, Any], output: Output) -> NoReturn:
    """Audit the evals, or keep broken work, and end the program with the exit status."""
    request = Request(keep=tuple(map(_wanted, kept)), **options)
    audits = Audits(request)
    report = audits.perform(_evals(paths, audits.report.problems))
    if request.keep:
        _end_kept(report, request.keep)
    if request.tasks and not report.evals and not report.problems and not report.stopped:
        print_err(f"error: No task matches {', '.join(request.tasks)}")
        sys.exit(EXIT_ERROR)
    _print(report, output)
    if output.html is not None:
        _write_page(report, output.html)
    _end(report, output.fail_under)


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
        text = as_text(report, quiet=output.quiet, colour=may_colour(sys.stdout))
        if text:
            show(text)
    elif output.form == "json":
        show(as_json(report))
    else:
        # Imported late: SARIF and JUnit bring the records of runs.
        from waza_lsp.cli.audit.junit import as_junit
        from waza_lsp.cli.check import formats

        if output.form == "junit":
            show(as_junit(report, output.fail_under))
            return
        # These formats have places for findings only.
        for it in report.audits:
            if reason := it.problem or it.lost:
                where = f"{short_path(it.path)}: " if it.path is not None else ""
                print_err(f"{where}error: Task '{it.task}' was not audited: {reason}")
        if output.form == "sarif":
            show(formats.as_sarif(checked_files(report)))
        elif found := checked_files(report):
            # Lines for GitHub are commands: `as_github` escapes what they quote.
            click.echo(formats.as_github(found))


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
    if report.problems or any(
        it.problem or it.unreadable or (it.lost and not report.stopped) for it in report.audits
    ):
        sys.exit(EXIT_ERROR)
    reason = conclusion(report, fail_under)
    if reason:
        print_err(f"FAILED: {reason}")
    sys.exit(1 if reason else 0)
