"""`waza-lsp run`: run an eval and say what came out. Flags and printing only; the run is `waza_engine.runs`."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import click

from waza_engine import processes
from waza_engine.executors.base import Executor, ExecutorOptions, UnavailableError
from waza_engine.executors.registry import make_executor
from waza_engine.formats import load_suite
from waza_engine.reports.html import html_report
from waza_engine.reports.junit import junit_xml
from waza_engine.reports.results_json import results_json
from waza_engine.reports.text import text_report
from waza_engine.runs.events import Listener, Note
from waza_engine.runs.judging import judge_for
from waza_engine.runs.loadable import refuse_unreadable_graders
from waza_engine.runs.plan import Overrides, Plan, PlanError, make_plan
from waza_engine.runs.recorder import RecordingError, write_recordings
from waza_engine.runs.records import RunRecord
from waza_engine.runs.run import EXIT_STATUS, new_run_id, run_suite
from waza_engine.runs.store import RunStore, StoreError, default_store_dir
from waza_engine.suite import LoadError
from waza_lsp.cli.run_error import load_error_text
from waza_lsp.cli.run_output import EventLines, ProgressLines

_FILE = click.Path(dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)
_CANNOT_RUN = EXIT_STATUS["error"]


@click.command(short_help="Run an eval and grade what the agent did.")
@click.argument("eval_file", metavar="EVAL", type=click.Path(path_type=Path))
@click.option(
    "--task", "tasks", multiple=True, metavar="GLOB", help="Only tasks whose name or id matches; repeatable."
)
@click.option(
    "--tag", "tags", multiple=True, metavar="GLOB", help="Only tasks with a tag that matches; repeatable."
)
@click.option(
    "--trials", type=click.IntRange(min=1), metavar="N", help="Trials per task, instead of the eval's."
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Run N tasks at once; 1 is one after the other.",
)
@click.option("--executor", metavar="NAME", help="Who performs the tasks: mock, replay, or a plug-in.")
@click.option("--model", metavar="MODEL", help="The agent's model, instead of the eval's.")
@click.option("--judge-model", metavar="MODEL", help="The model of prompt graders that name none.")
@click.option("--output", "results", type=_FILE, metavar="FILE", help="Write the results as waza's JSON.")
@click.option("--junit", type=_FILE, metavar="FILE", help="Write a JUnit report.")
@click.option("--html", type=_FILE, metavar="FILE", help="Write a report to look at.")
@click.option(
    "--events", type=click.Choice(["jsonl"]), help="Print events, one JSON object a line, and nothing else."
)
@click.option(
    "--store", "store_dir", type=_FOLDER, metavar="DIR", help="Where runs are kept; default .waza-lsp."
)
@click.option("--recordings", type=_FOLDER, metavar="DIR", help="Where replay finds its recordings.")
@click.option(
    "--record", type=_FOLDER, metavar="DIR", help="Keep what the agent did as recordings for replay."
)
def run(  # noqa: PLR0913, PLR0917  # click hands over one argument per option
    eval_file: Path,
    tasks: tuple[str, ...],
    tags: tuple[str, ...],
    trials: int | None,
    workers: int | None,
    executor: str | None,
    model: str | None,
    judge_model: str | None,
    results: Path | None,
    junit: Path | None,
    html: Path | None,
    events: str | None,
    store_dir: Path | None,
    recordings: Path | None,
    record: Path | None,
) -> None:
    """Run EVAL and grade what the agent did.

    Every finished trial is kept in the run store at once. Ctrl-C ends the run and keeps what was finished; a second
    one breaks off. The exit status is 0 when all passed, 1 when a task (or the trigger accuracy) failed, 2 when
    the run could not be done, 130 when it was cancelled.

    \b
    Examples:
      waza-lsp run evals/eval.yaml
      waza-lsp run evals/eval.yaml --executor mock --task 'explain-*'
      waza-lsp run evals/eval.yaml --executor replay --junit report.xml
      waza-lsp run evals/eval.yaml --trials 5 --workers 4 --output results.json
    """
    overrides = Overrides(tasks, tags, trials, workers, executor, model, judge_model)
    plan, performer = _prepared(eval_file, overrides, recordings)
    reports = _Reports(results, junit, html, record)
    _perform(plan, performer, reports, as_events=events is not None, store_dir=store_dir)


def _prepared(eval_file: Path, overrides: Overrides, recordings: Path | None) -> tuple[Plan, Executor]:
    """The plan and who carries it out; ends the program when there is none."""
    if eval_file.is_dir():
        _give_up(
            f"{eval_file}: error: This is a folder; name the eval file in it, for example {eval_file / 'eval.yaml'}"
        )
    try:
        suite = load_suite(eval_file.absolute(), process_dir=Path.cwd())
        refuse_unreadable_graders(suite)
        plan = make_plan(suite, overrides, os.cpu_count() or 1)
        options = ExecutorOptions(suite.directory, plan.settings.model, recordings and recordings.absolute())
        return plan, make_executor(plan.settings.executor, options)
    except LoadError as error:
        _give_up(load_error_text(error))
    except (PlanError, UnavailableError) as error:
        _give_up(f"{eval_file}: error: {error}")


def _give_up(message: str) -> NoReturn:
    click.echo(message, err=True)
    sys.exit(_CANNOT_RUN)


@dataclass(frozen=True, slots=True)
class _Reports:
    """Where the user wants which report."""

    results: Path | None
    junit: Path | None
    html: Path | None
    recordings: Path | None

    def write(self, record: RunRecord, trigger_skill: str) -> list[str]:
        """Write them; what could not be written."""
        wanted: list[tuple[Path | None, Callable[[RunRecord], str]]] = [
            (self.results, results_json),
            (self.junit, junit_xml),
            (self.html, html_report),
        ]
        problems = []
        for path, report in wanted:
            try:
                if path is not None:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(report(record).encode("utf-8", "replace"))
            except OSError as error:
                problems.append(f"{path}: cannot be written: {error.strerror}")
        try:
            if self.recordings is not None:
                write_recordings(record, self.recordings, trigger_skill)
        except RecordingError as error:
            problems.append(str(error))
        return problems


def _perform(
    plan: Plan, performer: Executor, reports: _Reports, *, as_events: bool, store_dir: Path | None
) -> NoReturn:
    run_id = new_run_id()
    progress = ProgressLines(sys.stderr, sys.stderr.isatty())
    emit: Listener = EventLines(sys.stdout, gone=_interrupt_self) if as_events else progress
    directory = (store_dir or default_store_dir(plan.suite.path)).absolute()
    with asyncio.Runner() as runner, _opened(directory, run_id, emit) as store:
        try:
            record = runner.run(_cancellable(plan, performer, run_id, emit, store, directory / "logs"))
        except (asyncio.CancelledError, KeyboardInterrupt):
            click.echo("Broken off. What was finished is in the run store.", err=True)
            _leave_at_once(EXIT_STATUS["cancelled"])
        progress.clear()
        problems = reports.write(record, plan.suite.triggers.skill if plan.suite.triggers else "")
        for it in problems:
            click.echo(f"error: {it}", err=True)
        if not as_events:
            click.echo(text_report(record))
        if record.status == "cancelled":
            # Closing the runner would wait for graders that are still at work in threads.
            _leave_at_once(EXIT_STATUS[record.status])
    sys.exit(_CANNOT_RUN if problems else EXIT_STATUS[record.status])


@contextlib.contextmanager
def _opened(directory: Path, run_id: str, emit: Listener) -> Iterator[RunStore | None]:
    """The run store, or None (and a note) when it cannot be used."""
    try:
        store = RunStore(directory)
    except StoreError as error:
        emit(Note(run_id, "warning", f"{error}. This run is not stored"))
        yield None
        return
    with store:
        yield store


async def _cancellable(
    plan: Plan, performer: Executor, run_id: str, emit: Listener, store: RunStore | None, log_dir: Path
) -> RunRecord:
    """Run the suite; SIGINT and SIGTERM end it early."""
    if running := asyncio.current_task():
        for number in (signal.SIGINT, signal.SIGTERM):
            # Windows has no such handlers; there the runner itself cancels the task at Ctrl-C.
            with contextlib.suppress(NotImplementedError):
                asyncio.get_running_loop().add_signal_handler(number, running.cancel)
    return await run_suite(
        plan,
        performer,
        process_dir=Path.cwd(),
        run_id=run_id,
        emit=emit,
        log_dir=log_dir,
        store=store,
        judge=judge_for(plan, os.environ),
    )


def _interrupt_self() -> None:
    """Nobody reads the events any more: the run is as good as cancelled."""
    os.kill(os.getpid(), signal.SIGTERM)


def _leave_at_once(status: int) -> NoReturn:
    """End the program with everything that graders started, without waiting for their threads."""
    processes.end_all()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(status)
