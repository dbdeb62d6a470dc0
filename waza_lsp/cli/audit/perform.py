"""Audit the evals of a command one after the other, until the time is over or the user cancels."""

import contextlib
import math
import os
import sys
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from waza_engine.audit.run import AuditOptions, audit_suite
from waza_engine.audit.score import EvalAudit, TaskAudit
from waza_engine.executors.base import UnavailableError
from waza_engine.graders.registry import find_grader
from waza_engine.judges.limited import LimitedJudge
from waza_engine.lib.files.spill import Spill
from waza_engine.lib.system.cores import cores
from waza_engine.model.suite import LoadError
from waza_engine.plugins import has_plugins
from waza_engine.project.load_suite import load_suite
from waza_engine.reports.inert import harmless
from waza_engine.runs.planning.participants import judge_for, with_sandbox
from waza_engine.runs.planning.plan import Overrides, Plan, PlanError, make_plan
from waza_engine.runs.store.store import StoreError, default_store_dir
from waza_lsp.cli.audit.keep import Wanted, keep
from waza_lsp.cli.audit.recordings import AuditedRecordings
from waza_lsp.cli.audit.report import AuditReport
from waza_lsp.cli.console import print_err
from waza_lsp.cli.load_errors import load_error_text, short_path

if TYPE_CHECKING:
    from waza_lsp.cli.audit.cache import AuditCache

_LATE, _SPENT, _FULL = "out of time", "out of tokens", "out of space"
_PROGRESS_AFTER_SECONDS = 1.0
_FEWEST = 2
_LEAST_FILES = 200
"""From about this many evals and tasks on, the work is spread over processes."""


@dataclass(slots=True)
class Request:
    """What to audit: `tasks` are patterns, all tasks if there are none. `keep` is broken work to write into files.

    Judges are asked until they have spent `max_tokens` over all evals; without it, they are not asked. After `max_seconds`
    no further task begins. Many evals are spread over `jobs` processes, over all cores if it is None. Programs and judges
    share budgets, so they are asked in one process.
    """

    tasks: tuple[str, ...] = ()
    keep: tuple[Wanted, ...] = ()
    store_dir: Path | None = None
    with_programs: bool = False
    max_tokens: int | None = None
    max_seconds: float | None = None
    use_cache: bool = True
    jobs: int | None = 1

    def is_divisible(self) -> bool:
        """Whether several processes may audit different evals."""
        return not (self.keep or self.with_programs or self.max_tokens or has_plugins())


@dataclass(slots=True)
class Audits:
    """Audits evals into a report."""

    request: Request
    report: AuditReport = field(default_factory=AuditReport)
    started: float = field(default_factory=time.monotonic)
    is_quiet: bool = False
    """Whether to show no progress."""
    _judge: LimitedJudge | None = None

    def perform(self, paths: Iterable[Path]) -> AuditReport:
        """Return the report of all evals. What was not reached is in it, too."""
        left: list[Path] = []
        try:
            left += paths
            total = len(left)
            while left and not self.report.stopped:
                if self._is_long(total, total - len(left)):
                    self._spread(left, total)
                    break
                self._audit(left[0])
                left.pop(0)
        except KeyboardInterrupt:
            self.report.stopped = "cancelled"
        # The eval that was begun is in the report with the number of its tasks.
        begun = {it.path for it in self.report.evals}
        self.report.not_reached += [it for path in left if (it := short_path(path)) not in begun]
        if self.report.stopped == _LATE and not self.report.is_partial:
            self.report.stopped = ""
        return self.report

    def _is_long(self, total: int, done: int) -> bool:
        """Whether to spread the other evals over processes, if they are like those that are done."""
        if not done or total - done < _FEWEST or (self.request.jobs or cores()) == 1:
            return False
        files = done + self.report.sums.tasks
        return files * total >= _LEAST_FILES * done and self.request.is_divisible()

    def _spread(self, left: list[Path], total: int) -> None:
        # Imported late: most audits are of a few evals.
        from waza_lsp.cli.audit.spread import audit_spread

        audit = partial(_audit_part, replace(self.request, jobs=1), self.started)
        reports = audit_spread(audit, left, self.request.jobs)
        with contextlib.closing(reports), contextlib.closing(self._line()) as line:
            for it in reports:
                self.report.take(it)
                line.show(f"{total - len(left)} of {total} evals audited")
                if it.stopped not in {"", _LATE}:
                    break

    def _audit(self, path: Path) -> None:
        """Audit an eval. What cannot be audited is a problem of the report."""
        process_dir, report = Path.cwd(), self.report
        try:
            plan = self._plan(path, process_dir)
            if plan is None:
                return
            options = self._options(plan)
            store_dir = self.request.store_dir or default_store_dir(plan.suite.path)
            with AuditedRecordings(plan, store_dir) as recordings:
                self._audit_plan(plan, recordings, options, process_dir)
        except LoadError as error:
            report.problems.append(load_error_text(error))
        except (PlanError, StoreError, UnavailableError) as error:
            report.problems.append(f"{short_path(path)}: error: {error}")

    def _audit_plan(
        self, plan: Plan, recordings: AuditedRecordings, options: AuditOptions, process_dir: Path
    ) -> None:
        path, report = plan.suite.path, self.report
        if self.request.keep:
            ids = {it.id for it in plan.tasks}
            wanted = [it for it in self.request.keep if it.task in ids]
            report.kept.extend((it, keep(plan, recordings, process_dir, it, options)) for it in wanted)
            return
        # In a file: the attempts of 10,000 tasks would fill the memory.
        done = Spill[TaskAudit]()
        audited = EvalAudit(short_path(path), plan.suite.name, done, len(plan.tasks))
        report.evals.append(audited)
        known = self._cache(plan, process_dir)
        audits = audit_suite(plan, recordings, process_dir, options, recordings.unreadable, known)
        with (
            contextlib.closing(self._with_progress(audits, audited)) as shown,
            contextlib.ExitStack() as after,
        ):
            if known is not None:
                after.callback(known.write)
            for it in shown:
                try:
                    done.append(it)
                except OSError as error:
                    problem = f"The temporary folder cannot be written: {error.strerror or error}"
                    report.problems.append(f"{audited.path}: error: {problem}")
                    report.stopped = _FULL
                    return
                report.sums.add(it)
                judge = self._judge
                if judge is not None:
                    report.judge_tokens = judge.spent
                if self.is_late() or (judge is not None and judge.is_spent):
                    report.stopped = _LATE if self.is_late() else _SPENT
                    return

    def _cache(self, plan: Plan, process_dir: Path) -> "AuditCache | None":
        if not self.request.use_cache:
            return None
        from waza_lsp.cli.audit.cache import audit_cache

        return audit_cache(plan, process_dir)

    def is_late(self) -> bool:
        """Whether the time is over."""
        most = self.request.max_seconds
        return most is not None and time.monotonic() - self.started > most

    def _with_progress(
        self, audits: Iterator[TaskAudit], audited: EvalAudit
    ) -> Generator[TaskAudit, None, None]:
        """Yield the audits. If they take long, show on a terminal how far they are."""
        with contextlib.closing(self._line()) as line:
            for number, it in enumerate(audits, 1):
                yield it
                line.show(f"{audited.path}: {number} of {audited.task_count} tasks audited")

    def _line(self) -> "_Line":
        is_shown = sys.stderr.isatty() and not self.is_quiet
        return _Line(self.started + _PROGRESS_AFTER_SECONDS if is_shown else math.inf)

    def _plan(self, path: Path, process_dir: Path) -> Plan | None:
        """Return the plan of an eval, or None if no task of it is wanted."""
        tasks = self.request.tasks
        suite = load_suite(path, process_dir=process_dir)
        try:
            return with_sandbox(make_plan(suite, Overrides(tasks=tasks)), os.environ)
        except PlanError:
            if tasks and suite.tasks:
                return None
            raise

    def _options(self, plan: Plan) -> AuditOptions:
        """Return the options for an eval.

        Raises:
            UnavailableError: its judge cannot be used.

        """
        programs, most = self.request.with_programs, self.request.max_tokens
        if most is None:
            return AuditOptions(programs)
        judge = judge_for(plan, os.environ)
        if judge is None:
            entries = (it for task in plan.tasks for it in (*plan.suite.graders, *task.graders))
            if any((kind := find_grader(it.type, it.dialect)) and kind.asks_judge for it in entries):
                name = short_path(plan.suite.path)
                print_err(
                    f"warning: {name}: no judge is configured, so the graders that ask one are left out"
                )
            return AuditOptions(programs)
        # Evals may have different judges, but share the tokens.
        self._judge = self._judge or LimitedJudge(judge, most)
        self._judge.judge = judge
        return AuditOptions(programs, self._judge)


def _audit_part(request: Request, started: float, paths: Sequence[Path]) -> AuditReport:
    """Audit some evals of an audit that began then, in a process of many."""
    audits = Audits(request, started=started, is_quiet=True)
    if audits.is_late():
        return AuditReport(stopped=_LATE, not_reached=[*map(short_path, paths)])
    return audits.perform(paths)


class _Line:
    """A line on the terminal that shows progress from a time on, and is gone in the end."""

    def __init__(self, first: float) -> None:
        self._first = first
        self._is_shown = False

    def show(self, text: str) -> None:
        if time.monotonic() > self._first:
            self._is_shown = True
            click.echo(f"\r\x1b[K{harmless(text)}", err=True, nl=False)

    def close(self) -> None:
        if self._is_shown:
            click.echo("\r\x1b[K", err=True, nl=False)
