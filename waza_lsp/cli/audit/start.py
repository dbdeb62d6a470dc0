"""Audit the evals of a command, show progress, and end with an exit status."""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import click

from waza_engine.audit.judging import LimitedJudge
from waza_engine.audit.run import AuditOptions, audit_suite
from waza_engine.audit.score import EvalAudit, TaskAudit
from waza_engine.executors.base import UnavailableError
from waza_engine.model.suite import LoadError
from waza_engine.project.eval_sets import evals_in
from waza_engine.project.load_suite import load_suite
from waza_engine.runs.planning.participants import judge_for, with_sandbox
from waza_engine.runs.planning.plan import Overrides, Plan, PlanError, make_plan
from waza_engine.runs.recordings.find import Recording, recordings_of
from waza_engine.runs.store.store import StoreError, default_store_dir
from waza_lsp.cli.audit.report import AuditReport, as_json, as_text, checked_files, conclusion
from waza_lsp.cli.console import EXIT_CANCELLED, EXIT_ERROR, may_colour, print_err, show
from waza_lsp.cli.load_errors import load_error_text, short_path

_MOST_RECORDINGS = 10
_PROGRESS_AFTER_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """The options of the command."""

    paths: tuple[Path, ...]
    tasks: tuple[str, ...]
    output: str
    html: Path | None
    fail_under: float | None
    max_tokens: int | None
    max_seconds: float | None
    store_dir: Path | None
    with_programs: bool
    is_quiet: bool


def begin(request: AuditRequest) -> NoReturn:
    """Audit the evals, print the report, and end with the exit status."""
    deadline = time.monotonic() + request.max_seconds if request.max_seconds else None
    judging = _Judging(request.max_tokens, with_programs=request.with_programs)
    report = AuditReport()
    try:
        for path in _evals(request.paths):
            _audit_eval(path, request, judging, deadline, report)
    except KeyboardInterrupt:
        report.stopped = "cancelled"
    if request.tasks and not any(it.audits for it in report.evals) and not report.problems:
        print_err(f"error: No task matches {', '.join(request.tasks)}")
        sys.exit(EXIT_ERROR)
    _print(report, request.output, quiet=request.is_quiet)
    if request.html is not None:
        _write_page(report, request.html)
    _end(report, request.fail_under)


def _evals(paths: Sequence[Path]) -> Iterator[Path]:
    seen = set[Path]()
    for path in paths or [Path()]:
        try:
            found = [it.path for it in evals_in(path)] if path.is_dir() else [path]
        except LoadError as error:
            print_err(load_error_text(error))
            sys.exit(EXIT_ERROR)
        for it in found:
            if (whole := it.absolute()) not in seen:
                seen.add(whole)
                yield whole


class _Judging:
    """What graders may cost: programs, and tokens of judges, which all evals share."""

    def __init__(self, max_tokens: int | None, *, with_programs: bool) -> None:
        self._max_tokens, self._with_programs = max_tokens, with_programs
        self._spent = 0

    def options(self, plan: Plan) -> AuditOptions:
        """Return the options for an eval.

        Raises:
            UnavailableError: its judge cannot be used.

        """
        if self._max_tokens is None:
            return AuditOptions(self._with_programs)
        judge = judge_for(plan, os.environ)
        return AuditOptions(self._with_programs, LimitedJudge(judge, self._max_tokens) if judge else None)


def _audit_eval(
    path: Path,
    request: AuditRequest,
    judging: _Judging,
    deadline: float | None,
    report: AuditReport,
) -> None:
    """Audit an eval, and add it to the report. What cannot be audited is a problem of the report."""
    process_dir = Path.cwd()
    try:
        plan = _plan(path, request.tasks, process_dir)
        if plan is None:
            return
        recordings = _recordings(plan, request.store_dir)
        options = judging.options(plan)
    except LoadError as error:
        report.problems.append(load_error_text(error))
        return
    except (PlanError, StoreError, UnavailableError) as error:
        report.problems.append(f"{short_path(path)}: error: {error}")
        return
    audited = EvalAudit(short_path(path), plan.suite.name, [], len(plan.tasks))
    report.evals.append(audited)
    found = audit_suite(plan, recordings, process_dir, options)
    for it in _with_progress(found, audited):
        audited.audits.append(it)
        if deadline is not None and time.monotonic() > deadline:
            report.stopped = "out of time"
            break


def _plan(path: Path, tasks: tuple[str, ...], process_dir: Path) -> Plan | None:
    """Return the plan of an eval, or None if no task of it is wanted."""
    suite = load_suite(path, process_dir=process_dir)
    try:
        return with_sandbox(make_plan(suite, Overrides(tasks=tasks)), os.environ)
    except PlanError:
        if tasks and suite.tasks:
            return None
        raise


def _recordings(plan: Plan, store_dir: Path | None) -> dict[str, list[Recording]]:
    path = plan.suite.path
    directory = store_dir or default_store_dir(path)
    return {it.id: recordings_of(path, it.id, directory, _MOST_RECORDINGS) for it in plan.tasks}


def _with_progress(audits: Iterator[TaskAudit], audited: EvalAudit) -> Iterator[TaskAudit]:
    """Yield the audits, and show how far they are on a terminal if they take long."""
    started, is_shown = time.monotonic(), False
    for number, it in enumerate(audits, 1):
        yield it
        if sys.stderr.isatty() and time.monotonic() - started > _PROGRESS_AFTER_SECONDS:
            is_shown = True
            click.echo(f"\r{number} of {audited.task_count} tasks audited", err=True, nl=False)
    if is_shown:
        click.echo("\r\x1b[K", err=True, nl=False)


def _print(report: AuditReport, output: str, *, quiet: bool) -> None:
    for problem in report.problems:
        print_err(problem)
    if output == "text":
        show(as_text(report, quiet=quiet, colour=may_colour(sys.stdout)))
    elif output == "json":
        show(as_json(report))
    else:
        # Imported late: SARIF and JUnit bring the records of runs.
        from waza_lsp.cli.check import formats

        show(
            {"sarif": formats.as_sarif, "junit": formats.as_junit, "github": formats.as_github}[output](
                checked_files(report)
            )
        )


def _write_page(report: AuditReport, path: Path) -> None:
    from waza_engine.reports.html.audit import html_audit
    from waza_lsp.cli.run.reports import write_report

    problem = write_report(path, html_audit(report.evals, report.problems, report.stopped))
    if problem:
        print_err(f"error: {problem}")
        sys.exit(EXIT_ERROR)


def _end(report: AuditReport, fail_under: float | None) -> NoReturn:
    if report.stopped == "cancelled":
        sys.exit(EXIT_CANCELLED)
    if report.problems or any(it.problem for each in report.evals for it in each.audits):
        sys.exit(EXIT_ERROR)
    if fail_under is None:
        sys.exit(0)
    reason = conclusion(report, fail_under)
    if reason:
        print_err(f"FAILED: {reason}")
    sys.exit(1 if reason else 0)
