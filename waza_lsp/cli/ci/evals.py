"""Run one eval of a pull request, and grade its recordings; sum up each run."""

import contextlib
import io
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, TextIO

import click

from waza_engine.executors.base import REPLAY
from waza_engine.lib.go.glob import literal
from waza_engine.model.results.consumption import NOTHING_CONSUMED, Consumption
from waza_engine.model.results.records import RunRecord
from waza_engine.model.suite import LoadError
from waza_engine.project.load_suite import load_suite
from waza_engine.project.store_location import RECORDINGS_FOLDER
from waza_engine.reports.evidence import Sources, task_evidence
from waza_engine.reports.inert import harmless
from waza_engine.reports.pull_request.build import eval_summary
from waza_engine.reports.pull_request.summary import EvalSummary
from waza_engine.runs.changed.compare import ChangedEval
from waza_engine.runs.run import worse_exit
from waza_engine.runs.store.record import stored_record
from waza_engine.runs.store.store import RunStore, StoreError, default_store_dir
from waza_lsp.cli.check.formats import github_command
from waza_lsp.cli.ci.base_runs import RESULTS, BaseRuns, file_name
from waza_lsp.cli.ci.event import is_on_github
from waza_lsp.cli.console import EXIT_ERROR
from waza_lsp.cli.load_errors import short_path
from waza_lsp.cli.run.command import run as run_command
from waza_lsp.cli.run.perform import perform
from waza_lsp.cli.run.reports import Display, ReportPrinter, Reports
from waza_lsp.cli.run.request import RunRequest

_OURS = (
    *(
        "dry_run",
        "resume",
        "suite",
        "changed_since",
        "shard",
        "until_decided",
        "variants",
        "events",
        "replay_from",
    ),
    *("results", "output_dir", "transcripts", "junit", "html", "github", "record", "tasks", "tags"),
)
"""Options of `run` that this command decides itself."""
_MOST_ANNOTATIONS = 50


def run_options(text: str) -> dict[str, Any]:
    """Return the options of `waza-lsp run` in a text, with the defaults of the others."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise click.UsageError(f"--run-options: {error}") from error
    context = run_command.make_context("run", ["eval.yaml", *words])
    options = dict(context.params)
    if chosen := [it for it in _OURS if options.get(it)]:
        names = ", ".join(f"--{it.replace('_', '-')}" for it in chosen)
        raise click.UsageError(f"--run-options: waza-lsp ci decides about {names} itself")
    if len(options["models"]) > 1:
        raise click.UsageError("--run-options: one --model only")
    return options


@dataclass(slots=True)
class EvalRuns:
    """Performs the runs and collects what became of them."""

    output: Path
    base: BaseRuns
    options: Mapping[str, Any]
    recordings_only: bool
    evals: list[EvalSummary] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    status: int = 0
    consumption: Consumption = NOTHING_CONSUMED

    def perform(self, changed: ChangedEval) -> None:
        """Run an eval; then grade its recordings, unless that was the run."""
        own = self.options["executor"] or _executor(changed.path)
        has_recordings = (changed.path.parent / RECORDINGS_FOLDER).is_dir()
        if own != REPLAY and not self.recordings_only:
            self._run(changed, is_replayed=False)
        if own == REPLAY or has_recordings:
            self._run(changed, is_replayed=True)
        elif self.recordings_only:
            click.echo(
                harmless(f"{short_path(changed.path)}: it has no recordings, so nothing is graded"), err=True
            )

    def _run(self, changed: ChangedEval, *, is_replayed: bool) -> None:
        options = {**self.options, "tasks": tuple(map(literal, changed.task_ids or ()))}
        if is_replayed:
            options |= {"executor": REPLAY, "agent_command": "", "baseline": False}
        path = short_path(changed.path)
        shown = PurePosixPath(path.as_posix())
        name = file_name(shown, is_replayed=is_replayed)
        directory = (options["store_dir"] or default_store_dir(changed.path.absolute())).absolute()
        # Before the run: it may write into the folder of the base runs.
        base = self.base.record(shown, is_replayed=is_replayed)
        files = Reports(
            results=self.output / RESULTS / f"{name}.json",
            junit=self.output / "junit" / f"{name}.xml",
            html=self.output / "html" / f"{name}.html",
            trace=self.output / "traces" / f"{name}.html",
        )
        for it in (files.results, files.junit, files.html, files.trace):
            if it is not None:
                it.parent.mkdir(parents=True, exist_ok=True)
        display = Display()
        printer = ReportPrinter.of_several(display)
        printer.begin(harmless(f"{path}{' (recordings)' if is_replayed else ''}"))
        with _overheard() as said:
            try:
                model = options["models"][0] if options["models"] else None
                request = RunRequest.of(path, options, model)
                record, status = perform(request, files, display, printer, directory)
            except SystemExit:
                self.problems.append(said.last or f"{path}: it could not be run")
                self.status = EXIT_ERROR
                return
        self.status = worse_exit(self.status, status)
        with _readable(record, directory) as whole:
            if not is_replayed:
                self.consumption += whole.consumption
            self.evals.append(
                eval_summary(whole, str(shown), base, reasons=changed.reasons, is_replayed=is_replayed)
            )
            if is_on_github():
                _annotate(whole)


def _executor(path: Path) -> str:
    try:
        return load_suite(path.absolute(), process_dir=Path.cwd()).settings.executor
    except LoadError:
        return ""  # The run says why.


@contextlib.contextmanager
def _readable(record: RunRecord, directory: Path) -> Iterator[RunRecord]:
    """Yield the record with its trials, which are read from the store."""
    try:
        with RunStore(directory, for_reading=True) as store:
            found = store.find_runs(record.run_id)
            yield stored_record(store, found[0]) if found else record
    except StoreError:
        yield record


def _annotate(record: RunRecord) -> None:
    """Print the failing checks as annotations at their lines."""
    sources, count = Sources(), 0
    for task in record.tasks:
        if task.status not in {"failed", "error"} or task.quarantine:
            continue
        for it in task_evidence(task, sources):
            if it.status == "points" or it.source is None or not it.source.line or count == _MOST_ANNOTATIONS:
                continue
            count += 1
            about = {"file": it.source.file, "line": it.source.line, "title": task.name or task.task}
            found = f"\n{it.found}" if it.found else ""
            level = "error" if it.status == "failed" else "warning"
            click.echo(github_command(level, f"{it.message}{found}", about))


class _Overheard(io.TextIOBase):
    """A stream that passes everything on and remembers the last line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self.last = stream, ""

    def write(self, text: str) -> int:
        if line := text.strip():
            self.last = line.splitlines()[-1]
        return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return False


@contextlib.contextmanager
def _overheard() -> Iterator[_Overheard]:
    heard = _Overheard(sys.stderr)
    with contextlib.redirect_stderr(heard):
        yield heard
