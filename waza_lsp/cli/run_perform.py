"""Performing one run: shown while it goes on, cancelled by signals, reported when it is over."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

from waza_engine import processes
from waza_engine.executors.base import UnavailableError
from waza_engine.runs.events import Listener, Note
from waza_engine.runs.records import RunRecord
from waza_engine.runs.run import EXIT_STATUS
from waza_engine.runs.store import RunStore, StoreError
from waza_lsp.cli.outputs import stop_printing
from waza_lsp.cli.printing import tell_if_heard
from waza_lsp.cli.run_asked import Asked, Shown
from waza_lsp.cli.run_cancellable import cancellable
from waza_lsp.cli.run_conclude import concluded, report_again, reported, what_is_kept
from waza_lsp.cli.run_live import LiveProgress
from waza_lsp.cli.run_output import EventLines, ProgressLines, QuietLines, WhileHeard
from waza_lsp.cli.run_prepare import prepared, starts_anew
from waza_lsp.cli.run_printed import Printed
from waza_lsp.cli.run_reports import Reports
from waza_lsp.cli.run_source import give_up
from waza_lsp.cli.run_traces import refuse_without_otel


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
