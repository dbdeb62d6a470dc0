"""What must be known of a run beside its trials, to report it, compare it or go on with it later.

A frame is made from the plan when the run starts and stored with it. The totals are not stored: they follow from the
trials, also for a run that was killed.
"""

import contextlib
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from waza_engine.lib.files.digests import digest
from waza_engine.model.records import TriggerResult
from waza_engine.model.suite import ExperimentArm, Metric, Scoring
from waza_engine.runs.planning.fingerprint import fingerprints
from waza_engine.runs.planning.plan import Overrides, Plan


@dataclass(frozen=True, slots=True)
class TaskFrame:
    """A task of a run. `fingerprint` changes with anything about the task that can change a verdict (`fingerprint.py`)."""

    id: str
    name: str
    group: str = ""
    golden: bool = False
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class RunFrame:
    """A run without its trials.

    `overrides` is how it was asked for, `unknown` what its executor could not know; `host`, `pid` and `born` say which
    process performs it. `files` are the files that the suite was read from, each with the `digest` of what was in it.
    `agent` changes with the agent that performs the tasks; it is empty when there were several, or nobody knows.
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
    born: str = ""
    scoring: Scoring | None = None
    eval_path: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    arm: ExperimentArm | None = None
    agent: str = ""


@dataclass(frozen=True, slots=True)
class RunEnd:
    """What is known when a run is over. `task_errors` are hook problems by the task's index."""

    duration_ms: int = 0
    error: str = ""
    triggers: tuple[TriggerResult, ...] = ()
    task_errors: Mapping[int, str] = field(default_factory=dict)


def frame_of(plan: Plan, process_dir: Path) -> RunFrame:
    """The frame of a run that starts now, in this process and in that directory."""
    suite, settings = plan.suite, plan.settings
    frame = RunFrame(
        suite_name=suite.name,
        skill=suite.skill,
        executor=settings.executor,
        model=settings.model,
        judge_model=settings.judge_model,
        trials=settings.trials,
        timeout_seconds=settings.timeout_seconds,
        tasks=_task_frames(plan, process_dir),
        metrics=suite.metrics,
        shard=str(plan.shard or ""),
        overrides=plan.overrides,
        scoring=suite.scoring,
        eval_path=str(suite.path),
        files=_suite_digests(plan),
        arm=suite.arm,
    )
    return claim_for_process(frame)


def claim_for_process(frame: RunFrame) -> RunFrame:
    """The frame of a run that this process goes on with."""
    return replace(frame, host=socket.gethostname(), pid=os.getpid(), born=_process_birth(os.getpid()))


def _task_frames(plan: Plan, process_dir: Path) -> tuple[TaskFrame, ...]:
    pairs = zip(plan.tasks, fingerprints(plan, process_dir), strict=True)
    return tuple(TaskFrame(it.id, it.name, it.group, it.golden, fingerprint) for it, fingerprint in pairs)


def is_running(frame: RunFrame) -> bool:
    """Whether the process that performs the run is still there; of another machine nothing is known."""
    if not frame.pid or frame.host != socket.gethostname() or frame.pid == os.getpid():
        return False
    if frame.born and frame.born != _process_birth(frame.pid):
        return False  # Its number belongs to another process by now.
    try:
        os.kill(frame.pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _suite_digests(plan: Plan) -> dict[str, str]:
    graders = (*plan.suite.graders, *(it for task in plan.tasks for it in task.graders))
    paths = {
        plan.suite.path,
        plan.suite.source_file,
        *(it.path for it in plan.tasks),
        *(it.path for it in graders),
    }
    found = {}
    for it in paths:
        # Another kind of suite may stand in no file.
        with contextlib.suppress(OSError):
            if it is not None:
                found[str(it)] = digest(it.read_bytes())
    return found


def _process_birth(pid: int) -> str:
    """When a process was started, as a text that no other process of that number has; "" where nobody says.

    One that is ending, or has ended and whose parent has not asked how, is none any more.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        status = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return ""
    # The name of the program, which may hold anything, stands in brackets before.
    fields = status.rpartition(b")")[2].split()
    has_ended = fields[0] in _ENDED_STATES or int(fields[6]) & _IS_EXITING
    return "" if has_ended else f"{boot} {fields[19].decode()}"


_ENDED_STATES = frozenset([b"Z", b"X", b"x"])
_IS_EXITING = 0x4
"""Linux's `PF_EXITING`."""
