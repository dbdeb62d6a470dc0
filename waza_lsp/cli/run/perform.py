"""Performing one run: shown while it goes on, cancelled by signals, reported when it is over."""

import asyncio
import contextlib
import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NoReturn

from waza_engine import processes
from waza_engine.executors.base import UnavailableError
from waza_engine.runs.events import Listener, Note
from waza_engine.runs.judging import judge_for
from waza_engine.runs.live import Performer
from waza_engine.runs.plan import Plan, side_by_side
from waza_engine.runs.records import RunRecord
from waza_engine.runs.run import EXIT_STATUS, run_suite
from waza_engine.runs.store import RunStore, StoreError, default_store_dir
from waza_engine.runs.trial import run_trial
from waza_lsp.cli.console import CANNOT, stop_printing, tell, tell_if_heard
from waza_lsp.cli.run.progress import EventLines, LiveProgress, ProgressLines, QuietLines, WhileHeard
from waza_lsp.cli.run.reports import Printed, Reports, Shown, refuse_without_otel, send_traces
from waza_lsp.cli.run.request import Asked, Prepared, prepared, starts_anew
from waza_lsp.cli.stored_runs import give_up, store_option


def perform(
    asked: Asked,
    reports: Reports,
    shown: Shown,
    printed: Printed,
    directory: Path,
    part_of: Callable[[Listener], Listener] | None = None,
) -> tuple[RunRecord, int]:
    """Perform the run with its store in `directory`: what came out, and the exit status. A cancelled run ends the program.

    `part_of` makes of who hears of a whole experiment who hears of this run.
    """
    live = LiveProgress(sys.stderr) if _is_live(shown) else None
    emit = _listener(shown, live)
    if part_of is not None:
        emit = part_of(emit)
    if shown.traces:
        try:
            refuse_without_otel()
        except UnavailableError as error:
            give_up(str(error))
    ready = prepared(asked, None) if starts_anew(asked) else None
    with asyncio.Runner() as runner, _opened(directory, ready.run_id if ready else "", emit) as store:
        run = ready or prepared(asked, store)
        try:
            record = runner.run(cancellable(run, asked.dask, emit, live, store, directory / "logs"))
        except UnavailableError as error:
            give_up(str(error), asked.eval_file)
        except (asyncio.CancelledError, KeyboardInterrupt):
            _leave("Broken off. What was finished is in the run store.", printed)
        try:
            if live:
                with contextlib.suppress(OSError):
                    live.clear()
            problems = reported(record, run, reports, shown, printed, store)
            status = concluded(record, problems, store)
        except KeyboardInterrupt:
            again = report_again(record, directory)
            _leave(f"Broken off while reports were written; write them with: {again}", printed)
        if record.status == "cancelled":
            # Closing the runner would wait for graders that are still at work in threads.
            _leave(what_is_kept(record, asked.eval_file, directory, store), printed, status)
    return record, status


def _is_live(shown: Shown) -> bool:
    return not shown.events and not shown.quiet and sys.stderr is not None and sys.stderr.isatty()


def _listener(shown: Shown, live: LiveProgress | None) -> Listener:
    if shown.events:
        return EventLines(sys.stdout, gone=_interrupt_self, warn=_go_on_without_events)
    return WhileHeard(live or (QuietLines(sys.stderr) if shown.quiet else ProgressLines(sys.stderr)))


def _go_on_without_events(why: str) -> None:
    stop_printing()
    tell_if_heard(f"warning: {why}")


def _interrupt_self() -> None:
    """Nobody reads the events any more: the run is as good as cancelled."""
    os.kill(os.getpid(), signal.SIGTERM)


@contextlib.contextmanager
def _opened(directory: Path, run_id: str, emit: Listener) -> Iterator[RunStore | None]:
    """The run store, or None (and a note) when it cannot be used."""
    try:
        store = RunStore(directory, may_come_later=True)
    except StoreError as error:
        emit(Note(run_id, "warning", f"{error}. This run is not stored"))
        yield None
        return
    with store:
        yield store


def _leave(last_words: str, printed: Printed, status: int = EXIT_STATUS["cancelled"]) -> NoReturn:
    """End the program with everything that graders started, without waiting for their threads."""
    tell_if_heard(last_words)
    printed.end()
    processes.end_all()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(status)


_TICK_SECONDS = 0.5
_ENDING = [signal.SIGINT, signal.SIGTERM, *([] if sys.platform == "win32" else [signal.SIGHUP])]
"""Ctrl-C, a polite end, a terminal that is closed; one that is ignored (`nohup`) stays so."""


async def cancellable(
    run: Prepared, dask: str, emit: Listener, live: LiveProgress | None, store: RunStore | None, log_dir: Path
) -> RunRecord:
    """Run the suite, on the cluster whose scheduler is at `dask` if that is not empty; a signal that asks us to end ends it early."""
    # The clock of the moving lines goes on while agents are silent.
    ticking = asyncio.create_task(_ticking(live)) if live else None
    with _cancelled_by_signals():
        try:
            return await _somewhere(run, dask, emit, store, log_dir)
        finally:
            if ticking:
                ticking.cancel()


async def _ticking(progress: LiveProgress) -> None:
    with contextlib.suppress(OSError):
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            progress.tick()


@contextlib.contextmanager
def _cancelled_by_signals() -> Iterator[None]:
    running, loop = asyncio.current_task(), asyncio.get_running_loop()
    numbers = [it for it in _ENDING if running and signal.getsignal(it) is not signal.SIG_IGN]
    for number in numbers:
        # Windows has no such handlers; there the runner itself cancels the task at Ctrl-C.
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, running.cancel)  # type: ignore[union-attr]  # see above
    try:
        yield
    finally:
        # What comes later would be heard by nobody.
        for number in numbers:
            with contextlib.suppress(NotImplementedError):
                loop.remove_signal_handler(number)


async def _somewhere(
    run: Prepared, dask: str, emit: Listener, store: RunStore | None, log_dir: Path
) -> RunRecord:
    if not dask:
        return await _run(run, run.plan, run_trial, emit, store, log_dir)
    # Imported here: it is an extra.
    from waza_engine.runs.dask_trials import dask_trials

    async with dask_trials(dask, run.run_id, run.plan.settings.executor, run.options) as trials:
        return await _run(run, side_by_side(run.plan, trials.slots), trials.perform, emit, store, log_dir)


async def _run(
    run: Prepared, plan: Plan, perform_trial: Performer, emit: Listener, store: RunStore | None, log_dir: Path
) -> RunRecord:
    return await run_suite(
        plan,
        run.performer,
        process_dir=Path.cwd(),
        run_id=run.run_id,
        emit=emit,
        log_dir=log_dir,
        store=store,
        judge=judge_for(plan, os.environ),
        resumed=run.resumed,
        perform=perform_trial,
    )


def reported(
    record: RunRecord,
    run: Prepared,
    reports: Reports,
    shown: Shown,
    printed: Printed,
    store: RunStore | None,
) -> Iterator[str]:
    """Write and print the reports; what went wrong with that."""
    triggers = run.plan.suite.triggers
    yield from reports.write(record, triggers.skill if triggers else "", store)
    if shown.traces and (problem := send_traces(record)):
        # What the run found out stands, whoever listens.
        tell(f"warning: {problem}")
    try:
        printed.add(record)
    except StoreError as error:
        yield str(error)
    except BrokenPipeError:
        stop_printing()
    except OSError as error:
        stop_printing()
        yield f"The output cannot be written: {error.strerror}"


def concluded(record: RunRecord, problems: Iterable[str], store: RunStore | None) -> int:
    """Say what went wrong when the run was reported; the exit status."""
    told = list(problems)
    for it in told:
        tell_if_heard(f"error: {it}")
    if told and store is not None and not store.file.is_lost:
        tell_if_heard(
            f"The run is in the store; report it again with: {report_again(record, store.directory)}"
        )
    return CANNOT if told and record.status != "cancelled" else EXIT_STATUS[record.status]


def report_again(record: RunRecord, directory: Path) -> str:
    """The command that reports a stored run."""
    try:
        beside = store_option(directory)
    except FileNotFoundError:  # The directory in which we were started is gone.
        beside = ["--store", str(directory)]
    return shlex.join(["waza-lsp", "report", record.run_id, *beside])


def what_is_kept(record: RunRecord, eval_file: Path, directory: Path, store: RunStore | None) -> str:
    """What there is of a cancelled run, and how to go on with it."""
    try:
        count = len(store.finished(record.run_id)) if store is not None and not store.file.is_lost else 0
    except StoreError:
        count = 0
    if not count:
        return "Cancelled; no finished trial is in the run store."
    again = [str(eval_file), "--resume"]
    if not _is_usual(directory, eval_file):
        again += ["--store", str(directory)]
    kept = f"{count} finished trial{'' if count == 1 else 's'} kept"
    return f"Cancelled: {kept}. Go on with: waza-lsp run {shlex.join(again)}"


def _is_usual(directory: Path, eval_file: Path) -> bool:
    try:
        return directory == default_store_dir(eval_file.absolute()).absolute()
    except FileNotFoundError:
        return False  # The directory in which we were started is gone.
