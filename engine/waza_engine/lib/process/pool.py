"""Spread work over processes of this program, with `concurrent.futures`.

The workers end with us, however we end: each watches its parent. They are asked to end first, so that they can delete
their temporary files. Nothing of this is imported by commands that have little to do.
"""

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing.connection import wait
from types import FrameType
from typing import TypeVar

from waza_engine.lib.system.cores import interrupts_later, start_method

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_MOST = 61
"""The most processes that Windows can wait for."""
_AHEAD = 8
"""How many items for each worker are begun or finished before their results are taken: a bound for the memory."""
_PATIENCE_SECONDS = 1.0
"""How long a worker that was asked to end may take to clean up."""


class WorkerError(Exception):
    """A worker process ended before its work was done."""


def spread(
    work: Callable[[_Item], _Result], items: Iterable[_Item], jobs: int
) -> Generator[_Result, None, None]:
    """Yield the result of `work` for each item, in their order. So many processes work at once.

    `work`, the items and the results must be picklable. Closing the iterator ends the workers at once.

    Raises:
        WorkerError: a worker was killed, or crashed.

    """
    others, jobs = set(multiprocessing.active_children()), min(jobs, _MOST)
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context(start_method()), _begin)
    waiting: deque[Future[_Result]] = deque()
    left, is_done = iter(items), False
    try:
        while True:
            with interrupts_later():
                # With `fork`, all workers start here, before the pool starts a thread.
                waiting += [
                    pool.submit(_perform, work, it) for it in islice(left, jobs * _AHEAD - len(waiting))
                ]
            if not waiting:
                break
            yield waiting.popleft().result()
        is_done = True
    except BrokenProcessPool:
        raise WorkerError("A worker process ended before its work was done") from None
    finally:
        if not is_done:
            _end(set(multiprocessing.active_children()) - others)
        pool.shutdown(cancel_futures=True)


def _end(workers: "set[multiprocessing.process.BaseProcess]") -> None:
    """Ask the workers to end, and kill those that do not."""
    for it in workers:
        it.terminate()
    until = time.monotonic() + _PATIENCE_SECONDS
    for it in workers:
        it.join(max(0.0, until - time.monotonic()))
        it.kill()


class _Ended(SystemExit):
    """Ends a worker that was asked to end. A `SystemExit`, which `multiprocessing` does not report."""


def _begin() -> None:
    """Prepare a worker: Ctrl-C is for its parent, which ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _ask_to_end)
    threading.Thread(target=_watch_parent, daemon=True).start()


def _ask_to_end(_signal: int, _frame: FrameType | None) -> None:
    raise _Ended(1)


def _watch_parent() -> None:
    """End this worker when its parent has ended. Its queue would keep it waiting for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
    if sys.platform != "win32":
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_PATIENCE_SECONDS)
    os._exit(1)


def _perform(work: Callable[[_Item], _Result], item: _Item) -> _Result:
    try:
        return work(item)
    except _Ended:
        # The pool would take it for a failure of this item, and go on.
        os._exit(1)
