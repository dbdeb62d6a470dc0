"""What must be known of a run beside its trials, to report it, compare it or go on with it later.

A frame is made from the plan when the run starts and stored with it. The totals are not stored: they follow from the
trials, also for a run that was killed.
"""

import hashlib
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field

from waza_engine.runs.plan import Overrides, Plan
from waza_engine.runs.records import TriggerResult
from waza_engine.suite import Metric, Suite, Task


@dataclass(frozen=True, slots=True)
class TaskFrame:
    """A task of a run. `fingerprint` changes with anything about the task that can change a verdict."""

    id: str
    name: str
    group: str = ""
    golden: bool = False
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class RunFrame:
    """A run without its trials.

    `overrides` is how it was asked for, `unknown` what its executor could not know; `host` and `pid` say which process
    performs it.
    """

    suite_name: str = ""
    skill: str = ""
    executor: str = ""
    model: str = ""
    judge_model: str = ""
    trials: int = 1
    timeout_seconds: int = 0
    tasks: tuple[TaskFrame, ...] = ()
    metrics: tuple[Metric, ...] = ()
    shard: str = ""
    overrides: Overrides = field(default_factory=Overrides)
    unknown: tuple[str, ...] = ()
    host: str = ""
    pid: int = 0


@dataclass(frozen=True, slots=True)
class RunEnd:
    """What is known when a run is over. `task_errors` are hook problems by the task's index."""

    duration_ms: int = 0
    error: str = ""
    triggers: tuple[TriggerResult, ...] = ()
    task_errors: Mapping[int, str] = field(default_factory=dict)


def frame_of(plan: Plan) -> RunFrame:
    """The frame of a run that starts now, in this process."""
    suite, settings = plan.suite, plan.settings
    return RunFrame(
        suite_name=suite.name,
        skill=suite.skill,
        executor=settings.executor,
        model=settings.model,
        judge_model=settings.judge_model,
        trials=settings.trials,
        timeout_seconds=settings.timeout_seconds,
        tasks=tuple(task_frame(it, plan) for it in plan.tasks),
        metrics=suite.metrics,
        shard=str(plan.shard or ""),
        overrides=plan.overrides,
        host=socket.gethostname(),
        pid=os.getpid(),
    )


def task_frame(task: Task, plan: Plan) -> TaskFrame:
    """The frame of one task."""
    return TaskFrame(task.id, task.name, task.group, task.golden, _fingerprint(task, plan.suite, plan))


def is_performed_now(frame: RunFrame) -> bool:
    """Whether the process that performs the run is still there; of another machine nothing is known."""
    if not frame.pid or frame.host != socket.gethostname() or frame.pid == os.getpid():
        return False
    try:
        os.kill(frame.pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _fingerprint(task: Task, suite: Suite, plan: Plan) -> str:
    settings = plan.settings
    what = (task, suite.graders, settings.executor, settings.model, settings.timeout_seconds)
    return hashlib.sha256(repr(what).encode("utf-8", "replace")).hexdigest()[:16]
