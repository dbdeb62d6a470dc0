"""Perform one run: show progress, cancel it on signals, and report it at the end."""

import asyncio
import contextlib
import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from waza_engine.assertions.wall import hide_environment
from waza_engine.executors.base import REPLAY, UnavailableError
from waza_engine.lib.plurals import counted
from waza_engine.lib.process import reaper
from waza_engine.lib.process import run as processes
from waza_engine.lib.process.sandbox import end_containers, using
from waza_engine.model.results.records import RunRecord
from waza_engine.runs.events import Listener, Note
from waza_engine.runs.live import RunOutputs
from waza_engine.runs.planning.participants import judge_for
from waza_engine.runs.planning.plan import Plan, with_workers
from waza_engine.runs.run import EXIT_STATUS, exit_status, run_suite
from waza_engine.runs.store.store import RunStore, StoreError, default_store_dir
from waza_engine.runs.trial.grade import Bench
from waza_lsp.cli.console import EXIT_ERROR, give_up, print_err, stop_printing, try_print_err
from waza_lsp.cli.run.progress import EventLines, LiveProgress, ProgressLines, QuietLines, UntilClosed
from waza_lsp.cli.run.reports import Display, ReportPrinter, Reports
from waza_lsp.cli.run.request import PreparedRun, RunRequest, prepare
from waza_lsp.cli.text_report import report_command

_TICK_SECONDS = 0.5
_CANCEL_SIGNALS = [
    getattr(signal, it) for it in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, it)
]
"""Ctrl-C, termination, a closed terminal, Ctrl-Break. A signal that is ignored (`nohup`) stays ignored."""


def perform(
    request: RunRequest,
    reports: Reports,
    display: Display,
    printer: ReportPrinter,
    directory: Path,
    wrap: Callable[[Listener], Listener] | None = None,
) -> tuple[RunRecord, int]:
    """Perform the run with its store in `directory`; return its record and exit status. A cancelled run ends the program.

    For an arm, `wrap` turns the listener of the whole experiment into the listener of this run.
    """
    hide_environment()
    reaper.adopt_orphans()
    live = LiveProgress(sys.stderr) if display.is_live else None
    emit = _listener(display, live)
    if wrap is not None:
        emit = wrap(emit)
    if display.traces:
        from waza_lsp.cli.run.traces import refuse_without_otel

        try:
            refuse_without_otel()
        except UnavailableError as error:
            give_up(str(error))
    ready = prepare(request, None, emit) if request.is_new else None
    with asyncio.Runner() as runner, _open_store(directory, ready.run_id if ready else "", emit) as store:
        run = ready or prepare(request, store, emit)
        try:
            record = runner.run(
                _run_until_cancelled(run, request.dask, RunOutputs(emit, directory / "logs", store), live)
            )
        except UnavailableError as error:
            give_up(str(error), request.eval_file)
        except (asyncio.CancelledError, KeyboardInterrupt):
            _clear(live)
            _exit_now("Stopped. Finished trials are in the run store.", printer)
        finally:
            _clear(live)
            reaper.kill_orphans()
            with using(run.plan.settings.sandbox):
                end_containers()
        try:
            problems = _report(record, run, reports, display, printer, store)
            status = _exit_status(record, problems, store)
            if run.plan.settings.executor == REPLAY and status in {0, 1} and not display.events:
                status = _with_counter_examples(run.plan, status)
        except KeyboardInterrupt:
            command = report_command(record, directory)
            _exit_now(f"Stopped while writing reports. Write them with: {command}", printer)
        if record.status == "cancelled":
            # Closing the runner would wait for graders that still work in threads.
            _exit_now(_cancelled_message(record, request.eval_file, directory, store), printer, status)
    return record, status


def _with_counter_examples(plan: Plan, status: int) -> int:
    """Return the exit status, 1 if a recording passes that must fail."""
    # Imported late: few runs replay recordings.
    from waza_lsp.cli.run.counter_examples import failed_counter_examples

    for problem in failed_counter_examples(plan):
        try_print_err(f"FAILED: {problem}")
        status = 1
    return status


def _listener(display: Display, live: LiveProgress | None) -> Listener:
    if display.events:
        return EventLines(sys.stdout, gone=_interrupt_self, warn=_continue_without_events)
    return UntilClosed(live or (QuietLines(sys.stderr) if display.quiet else ProgressLines(sys.stderr)))


def _continue_without_events(reason: str) -> None:
    stop_printing()
    try_print_err(f"warning: {reason}")


def _interrupt_self() -> None:
    """Cancel the run: its events have no reader any more."""
    # Not `os.kill`, which on Windows ends the process at once.
    signal.raise_signal(signal.SIGTERM)


def _clear(live: LiveProgress | None) -> None:
    if live is not None:
        with contextlib.suppress(OSError):
            live.clear()


@contextlib.contextmanager
def _open_store(directory: Path, run_id: str, emit: Listener) -> Iterator[RunStore | None]:
    """Open the run store; if it cannot be used, emit a note and yield None."""
    try:
        store = RunStore(directory, may_come_later=True)
    except StoreError as error:
        emit(Note(run_id, "warning", f"{error}. This run is not stored"))
        yield None
        return
    with store:
        yield store


async def _run_until_cancelled(
    run: PreparedRun, dask: str, outputs: RunOutputs, live: LiveProgress | None
) -> RunRecord:
    """Run the suite, on the Dask cluster at `dask` if given. Signals cancel it."""
    # The times on the terminal advance while agents are silent.
    ticking = asyncio.create_task(_tick(live)) if live else None
    with _cancel_on_signals():
        try:
            return await _run_here_or_on_dask(run, dask, outputs)
        finally:
            if ticking:
                ticking.cancel()


async def _tick(progress: LiveProgress) -> None:
    with contextlib.suppress(OSError):
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            progress.tick()


@contextlib.contextmanager
def _cancel_on_signals() -> Iterator[None]:
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    numbers = [it for it in _CANCEL_SIGNALS if task and signal.getsignal(it) is not signal.SIG_IGN]
    with contextlib.ExitStack() as after:
        for number in numbers:
            # After the run nothing handles them.
            after.callback(_on_signal(loop, number, task.cancel))  # type: ignore[union-attr]  # `numbers` is empty without it
        yield


def _on_signal(
    loop: asyncio.AbstractEventLoop, number: signal.Signals, do: Callable[[], object]
) -> Callable[[], object]:
    """Call `do` in the loop when the signal comes. Returns the function that ends this."""
    try:
        loop.add_signal_handler(number, do)
    except NotImplementedError:  # Windows
        usual = signal.signal(number, lambda *_: loop.call_soon_threadsafe(do))
        return lambda: signal.signal(number, usual)
    return lambda: loop.remove_signal_handler(number)


async def _run_here_or_on_dask(run: PreparedRun, dask: str, outputs: RunOutputs) -> RunRecord:
    bench = Bench(run.plan, run.performer, Path.cwd(), judge_for(run.plan, os.environ))
    if not dask:
        return await run_suite(bench, outputs, run.run_id, resumed=run.resumed)
    # Imported late: Dask is an extra.
    from waza_engine.runs.dask_trials import dask_trials

    async with dask_trials(dask, run.run_id, run.plan.settings.executor, run.options) as trials:
        bench = replace(bench, plan=with_workers(run.plan, trials.slots))
        return await run_suite(bench, outputs, run.run_id, resumed=run.resumed, perform=trials.perform)


def _report(
    record: RunRecord,
    run: PreparedRun,
    reports: Reports,
    display: Display,
    printer: ReportPrinter,
    store: RunStore | None,
) -> Iterator[str]:
    """Write and print the reports; yield the errors."""
    triggers = run.plan.suite.triggers
    yield from reports.write(record, triggers.skill if triggers else "", store)
    if display.traces:
        from waza_lsp.cli.run.traces import send_traces

        if problem := send_traces(record):
            # A missing collector does not change the verdict.
            print_err(f"warning: {problem}")
    try:
        printer.add(record, _reading_dir(record, store))
    except StoreError as error:
        yield str(error)
    except BrokenPipeError:
        stop_printing()
    except OSError as error:
        stop_printing()
        yield f"The output cannot be written: {error.strerror}"


def _reading_dir(record: RunRecord, store: RunStore | None) -> Path | None:
    """Return the folder of the store if it has the run; None if it has not."""
    return store.directory if store is not None and not store.file.is_lost and not record.unsaved else None


def _exit_status(record: RunRecord, problems: Iterable[str], store: RunStore | None) -> int:
    """Print the errors of the reports and return the exit status."""
    printed = list(problems)
    if record.unsaved and store is not None:
        # Imported late: nearly every run is stored.
        from waza_lsp.cli.run.rescue import rescue

        try_print_err(f"error: {rescue(record, store.directory)}")
    for problem in printed:
        try_print_err(f"error: {problem}")
    if printed and (directory := _reading_dir(record, store)):
        command = report_command(record, directory)
        try_print_err(f"The run is in the store. Report it again with: {command}")
    return EXIT_ERROR if printed and record.status != "cancelled" else exit_status(record)


def _cancelled_message(record: RunRecord, eval_file: Path, directory: Path, store: RunStore | None) -> str:
    """Say how many trials of a cancelled run were kept, and how to resume it."""
    try:
        count = len(store.finished(record.run_id)) if store is not None and not store.file.is_lost else 0
    except StoreError:
        count = 0
    if not count:
        return "Cancelled. The run store has no finished trial of this run."
    command = ["waza-lsp", "run", str(eval_file), "--resume"]
    if not _is_default_store(directory, eval_file):
        command += ["--store", str(directory)]
    return f"Cancelled: {counted(count, 'finished trial')} kept. Resume with: {shlex.join(command)}"


def _is_default_store(directory: Path, eval_file: Path) -> bool:
    try:
        return directory == default_store_dir(eval_file.absolute()).absolute()
    except FileNotFoundError:
        return False  # The current directory no longer exists.


def _exit_now(message: str, printer: ReportPrinter, status: int = EXIT_STATUS["cancelled"]) -> NoReturn:
    """End the program and all programs that graders started, without waiting for their threads."""
    try_print_err(message)
    printer.end()
    processes.end_all()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(status)
