"""A pool of child interpreters: started on demand, one request at a time each, replaced when they fail.

A worker that crashes, sends an invalid answer or exceeds the time limit is killed with its process group; the next
request gets a new one. The pool is thread-safe: each request takes an idle worker or starts one.
"""

import subprocess
import threading
from collections.abc import Callable, Mapping
from typing import Any

from waza_engine.lib.process import run as processes
from waza_engine.lib.process.framing import frame, read_frame

_MOST_IDLE = 4


class WorkerError(Exception):
    """The worker gave no answer; the message says how it ended."""


class Workers:
    """A pool of equal workers. `start` starts one; with `once`, each serves a single request."""

    def __init__(self, start: Callable[[], subprocess.Popen[bytes]], *, once: bool = False) -> None:
        self._start = start
        self._once = once
        self._idle: list[subprocess.Popen[bytes]] = []
        self._lock = threading.Lock()  # graders of a parallel run use several threads

    def ask(self, request: Mapping[str, Any], seconds: float) -> Any:
        """Return the decoded answer to `request`; a worker that takes longer than `seconds` is killed.

        Raises:
            WorkerError: the worker gave no answer.
            OSError: no worker can be started.

        """
        question = frame(request)
        worker = self._take()
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            processes.kill_group(worker)

        alarm = threading.Timer(seconds, expire)
        alarm.daemon = True
        alarm.start()
        try:
            answer = _exchange(worker, question)
        except (OSError, ValueError, EOFError) as error:
            processes.end(worker)
            reason = f"took longer than {seconds:g} s" if expired.is_set() else "crashed"
            raise WorkerError(reason) from error
        except BaseException:
            processes.end(worker)
            raise
        finally:
            alarm.cancel()
        self._give_back(worker)
        return answer

    def close(self) -> None:
        """End all idle workers."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            processes.end(worker)

    def _take(self) -> subprocess.Popen[bytes]:
        while True:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            if worker is None:
                return self._start()
            if worker.poll() is None:
                return worker
            processes.end(worker)

    def _give_back(self, worker: subprocess.Popen[bytes]) -> None:
        with self._lock:
            if not self._once and len(self._idle) < _MOST_IDLE:
                self._idle.append(worker)
                return
        processes.end(worker)


def _exchange(worker: subprocess.Popen[bytes], question: bytes) -> Any:
    stdin = processes.require_pipe(worker.stdin)
    view = memoryview(question)
    while view:
        view = view[stdin.write(view) :]
    return read_frame(processes.require_pipe(worker.stdout).read)
