"""A run that signals can end early: here, or with its trials on the workers of a cluster."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from waza_engine.runs.events import Listener
from waza_engine.runs.judging import judge_for
from waza_engine.runs.live import Performer
from waza_engine.runs.plan import Plan, side_by_side
from waza_engine.runs.records import RunRecord
from waza_engine.runs.run import run_suite
from waza_engine.runs.store import RunStore
from waza_engine.runs.trial import run_trial
from waza_lsp.cli.run_live import LiveProgress
from waza_lsp.cli.run_prepare import Prepared

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
