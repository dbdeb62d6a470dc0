"""Performing one run: shown while it goes on, cancelled by signals, reported when it is over."""

import asyncio
import contextlib
import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

from waza_engine import processes
from waza_engine.executors.base import UnavailableError
from waza_engine.reports.github import github_markdown
from waza_engine.reports.results_json import results_json
from waza_engine.reports.text import text_report
from waza_engine.runs.events import Listener, Note
from waza_engine.runs.judging import judge_for
from waza_engine.runs.live import Performer
from waza_engine.runs.plan import Plan, side_by_side
from waza_engine.runs.records import RunRecord
from waza_engine.runs.run import EXIT_STATUS, run_suite
from waza_engine.runs.store import RunStore, StoreError, default_store_dir
from waza_engine.runs.trial import run_trial
from waza_lsp.cli.outputs import CANNOT, stop_printing
from waza_lsp.cli.printing import show, tell
from waza_lsp.cli.run_asked import Asked, Shown
from waza_lsp.cli.run_live import LiveProgress
from waza_lsp.cli.run_output import EventLines, ProgressLines, QuietLines, WhileHeard
from waza_lsp.cli.run_prepare import Prepared, prepared, starts_anew
from waza_lsp.cli.run_reports import Reports
from waza_lsp.cli.run_source import give_up, store_option
from waza_lsp.cli.run_traces import refuse_without_otel, send_traces

_TICK_SECONDS = 0.5
_ENDING = [signal.SIGINT, signal.SIGTERM, *([] if sys.platform == "win32" else [signal.SIGHUP])]
"""Ctrl-C, a polite end, a terminal that is closed; one that is ignored (`nohup`) stays so."""
_PRINTED = {"text": text_report, "json": results_json, "github": github_markdown}


def perform(
    asked: Asked,
    reports: Reports,
    shown: Shown,
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
            record = runner.run(_cancellable(run, asked.dask, emit, live, store, directory / "logs"))
        except UnavailableError as error:
            give_up(str(error), asked.eval_file)
        except (asyncio.CancelledError, KeyboardInterrupt):
            _say("Broken off. What was finished is in the run store.")
            show_several(shown)
            _leave_at_once(EXIT_STATUS["cancelled"])
        try:
            status = _concluded(record, run, reports, shown, live, store)
        except KeyboardInterrupt:
            again = _report_again(record, directory)
            _say(f"Broken off while reports were written; write them with: {again}")
            show_several(shown)
            _leave_at_once(EXIT_STATUS["cancelled"])
        if record.status == "cancelled":
            _say(_kept(record, asked, directory, store))
            show_several(shown)
            # Closing the runner would wait for graders that are still at work in threads.
            _leave_at_once(status)
    return record, status


def _concluded(
    record: RunRecord,
    run: Prepared,
    reports: Reports,
    shown: Shown,
    live: LiveProgress | None,
    store: RunStore | None,
) -> int:
    """Report the run that is over; the exit status."""
    if live:
        with contextlib.suppress(OSError):
            live.clear()
    problems = [*_reported(record, run, reports, shown, store)]
    for it in problems:
        _say(f"error: {it}")
    if problems and store is not None and not store.file.is_lost:
        _say(f"The run is in the store; report it again with: {_report_again(record, store.directory)}")
    return CANNOT if problems and record.status != "cancelled" else EXIT_STATUS[record.status]


def _report_again(record: RunRecord, directory: Path) -> str:
    try:
        beside = store_option(directory)
    except FileNotFoundError:  # The directory in which we were started is gone.
        beside = ["--store", str(directory)]
    return shlex.join(["waza-lsp", "report", record.run_id, *beside])


def show_several(shown: Shown, *, may_be_none: bool = False) -> None:
    """Print what was collected of several runs, if anybody listens; nothing when no run came to its end."""
    if shown.several or (may_be_none and shown.several is not None):
        try:
            show('{"runs": [\n' + ",\n".join(shown.several) + "\n]}")
        except BrokenPipeError:
            stop_printing()


def _is_live(shown: Shown) -> bool:
    return not shown.events and not shown.quiet and sys.stderr is not None and sys.stderr.isatty()


def _listener(shown: Shown, live: LiveProgress | None) -> Listener:
    if shown.events:
        return EventLines(sys.stdout, gone=_interrupt_self, warn=lambda it: _say(f"warning: {it}"))
    return WhileHeard(live or (QuietLines(sys.stderr) if shown.quiet else ProgressLines(sys.stderr)))


async def _ticking(progress: LiveProgress) -> None:
    with contextlib.suppress(OSError):
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            progress.tick()


def _reported(
    record: RunRecord, run: Prepared, reports: Reports, shown: Shown, store: RunStore | None
) -> Iterator[str]:
    """Write and print the reports; what went wrong with that."""
    triggers = run.plan.suite.triggers
    yield from reports.write(record, triggers.skill if triggers else "", store)
    if shown.traces and (problem := send_traces(record)):
        # What the run found out stands, whoever listens.
        tell(f"warning: {problem}")
    if not shown.events:
        try:
            text = _PRINTED[shown.printed](record).rstrip("\n")
            if shown.several is None:
                show(text)
            else:
                shown.several.append(text)
        except StoreError as error:
            yield str(error)
        except BrokenPipeError:
            stop_printing()
        except OSError as error:
            yield f"The output cannot be written: {error.strerror}"


def _kept(record: RunRecord, asked: Asked, directory: Path, store: RunStore | None) -> str:
    try:
        count = len(store.finished(record.run_id)) if store is not None and not store.file.is_lost else 0
    except StoreError:
        count = 0
    if not count:
        return "Cancelled; no finished trial is in the run store."
    eval_file = asked.eval_file
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


async def _cancellable(
    run: Prepared, dask: str, emit: Listener, live: LiveProgress | None, store: RunStore | None, log_dir: Path
) -> RunRecord:
    """Run the suite, here or on the workers of a cluster; a signal that asks us to end ends it early."""
    # The clock of the moving lines goes on while agents are silent.
    ticking = asyncio.create_task(_ticking(live)) if live else None
    with _cancelled_by_signals():
        try:
            return await _somewhere(run, dask, emit, store, log_dir)
        finally:
            if ticking:
                ticking.cancel()


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


def _interrupt_self() -> None:
    """Nobody reads the events any more: the run is as good as cancelled."""
    os.kill(os.getpid(), signal.SIGTERM)


def _say(line: str) -> None:
    """Tell the user, if anybody listens."""
    with contextlib.suppress(OSError):
        tell(line)


def _leave_at_once(status: int) -> NoReturn:
    """End the program with everything that graders started, without waiting for their threads."""
    processes.end_all()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(status)
