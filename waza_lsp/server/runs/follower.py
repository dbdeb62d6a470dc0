"""Follow the events of a run's child process and complete them if it ends early.

Imported late: the engine's events bring pydantic.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from waza_engine.runs.events import (
    Event,
    RunFinished,
    TaskFinished,
    TaskStarted,
    TrialFinished,
    TrialStarted,
    parse_line,
)
from waza_engine.runs.run import EXIT_STATUS
from waza_lsp.server.runs.process import Request, RunProcesses


async def follow_run(
    processes: RunProcesses,
    request: Request,
    on_event: Callable[[Event], None],
    cancel: asyncio.Event,
    token: str = "",
) -> RunFinished:
    """Run to the end, or until `cancel` is set. Returns the last event, or one that says why there is none.

    `token` is a name by which the run can be cancelled before its id is known. Every start gets its end, even if the
    child is killed. Finished trials are in the store in any case.
    """
    follower = _Follower(on_event)

    def take(line: bytes) -> None:
        event = parse_line(line)  # Other lines are skipped; the run goes on.
        if event is not None:
            follower.take(event)
            processes.register(follower.run_id, cancel)

    processes.register(token, cancel)
    try:
        error = await processes.run(request, take, cancel)
    except OSError as reason:
        error = f"The run cannot be started: {reason}"
    finally:
        for name in (follower.run_id, token):
            processes.unregister(name)
    return follower.finish("cancelled" if cancel.is_set() else "error", error)


@dataclass(slots=True)
class _Follower:
    """Passes events on and knows which tasks and trials have not ended yet."""

    on_event: Callable[[Event], None]
    run_id: str = ""
    last: Event | None = None
    _tasks: dict[str, None] = field(default_factory=dict)
    _trials: dict[tuple[str, int], None] = field(default_factory=dict)

    def take(self, event: Event) -> None:
        self.run_id = event.run_id or self.run_id
        self.last = event
        match event:
            case TaskStarted():
                self._tasks[event.task] = None
            case TrialStarted():
                self._trials[event.task, event.trial] = None
            case TrialFinished():
                self._trials.pop((event.task, event.trial), None)
            case TaskFinished():
                self._tasks.pop(event.task, None)
            case _:
                pass
        self.on_event(event)

    def finish(self, status: Literal["cancelled", "error"], error: str) -> RunFinished:
        """Return the last event. If the child did not send it, send the missing ends first."""
        if isinstance(self.last, RunFinished):
            return self.last
        ended: Literal["skipped", "error"] = "skipped" if status == "cancelled" else "error"
        why = "The run was cancelled" if status == "cancelled" else "The run ended early"
        for task, trial in list(self._trials):
            self.take(TrialFinished(self.run_id, task, trial, ended, 0.0, 0.0, 1, 0, why, ()))
        for task in list(self._tasks):
            self.take(TaskFinished(self.run_id, task, ended, 0.0, 0.0, why))
        finished = RunFinished(
            run_id=self.run_id,
            status=status,
            exit_status=EXIT_STATUS[status],
            score=0.0,
            weighted_score=0.0,
            total=0,
            succeeded=0,
            failed=0,
            skipped=0,
            duration_ms=0,
            error=error,
        )
        self.take(finished)
        return finished
