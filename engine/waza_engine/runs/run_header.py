"""Store a run's data beside its trials: what reports, comparisons and resuming need.

The frame is made from the plan when the run starts. Totals are not stored: they are computed from the trials, which
also works for a run that was killed.
"""

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from waza_engine.lib.system.programs import exists
from waza_engine.model.results.decisions import Decisions
from waza_engine.model.results.records import TaskParts, TriggerResult
from waza_engine.model.suite import ExperimentArm, Metric, Scoring
from waza_engine.runs.planning.plan import Overrides, Plan
from waza_engine.version import __version__


@dataclass(frozen=True, slots=True)
class TaskFrame:
    """A task of a run. `fingerprint` changes with everything that can change a verdict (`planning/fingerprint.py`).

    `parts` tells what of it has changed; runs of older versions have none. `quarantine` is the reason why it does not decide
    the run.
    """

    id: str
    name: str
    group: str = ""
    golden: bool = False
    fingerprint: str = ""
    parts: TaskParts = field(default_factory=TaskParts)
    quarantine: str = ""


@dataclass(frozen=True, slots=True)
class RunFrame:
    """A run without its trials.

    `overrides` holds the command-line options, `unknown` what the executor could not observe. `host`, `pid` and `born`
    identify the process that runs it. `files` maps the suite's files to the `digest` of their content. `agent`
    identifies the agent; it is empty if there were several, or if the agent is unknown. With `agent_versioned`, it changes
    with the agent's program or version. `engine` is the version of waza-lsp. `dialect` is that of the eval.
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
    agent_versioned: bool = False
    engine: str = ""
    dialect: str = ""


@dataclass(frozen=True, slots=True)
class RunEnd:
    """Data of a finished run. `task_errors` are hook errors by the task's index."""

    duration_ms: int = 0
    error: str = ""
    triggers: tuple[TriggerResult, ...] = ()
    task_errors: Mapping[int, str] = field(default_factory=dict)
    decisions: Decisions | None = None


_ENDED_STATES = frozenset([b"Z", b"X", b"x"])
_IS_EXITING = 0x4
"""Linux's `PF_EXITING`."""


def frame_of(plan: Plan, process_dir: Path) -> RunFrame:
    """Return the frame of a run that starts now, in this process and the directory `process_dir`."""
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
        engine=__version__,
        dialect=suite.dialect,
    )
    return claim_for_process(frame)


def claim_for_process(frame: RunFrame) -> RunFrame:
    """Return the frame with this process as the one that performs the run."""
    return replace(frame, host=_host(), pid=os.getpid(), born=_process_birth(os.getpid()))


def is_running(frame: RunFrame) -> bool:
    """Return whether another process on this machine performs the run. False for runs of other machines."""
    if not frame.pid or frame.host != _host() or frame.pid == os.getpid():
        return False
    if frame.born and frame.born != _process_birth(frame.pid):
        return False  # Another process has the pid by now.
    return exists(frame.pid)


def _host() -> str:
    # Imported late, as below: listing runs does without.
    import socket

    return socket.gethostname()


def _task_frames(plan: Plan, process_dir: Path) -> tuple[TaskFrame, ...]:
    from waza_engine.runs.planning.fingerprint import task_prints

    pairs = zip(plan.tasks, task_prints(plan, process_dir), strict=True)
    return tuple(TaskFrame(it.id, it.name, it.group, it.golden, *found, it.quarantine) for it, found in pairs)


def _suite_digests(plan: Plan) -> dict[str, str]:
    from waza_engine.lib.files.digests import digest
    from waza_engine.lib.files.safe_read import regular_bytes

    graders = (*plan.suite.graders, *(it for task in plan.tasks for it in task.graders))
    paths = {
        plan.suite.path,
        plan.suite.source_file,
        *(it.path for it in plan.tasks),
        *(it.path for it in graders),
    }
    digests = {}
    for it in paths:
        # Some kinds of suites do not come from a file.
        with contextlib.suppress(OSError):
            if it is not None:
                digests[str(it)] = digest(regular_bytes(it))
    return digests


def _process_birth(pid: int) -> str:
    """Return a string that identifies the start of a process, or "" if unknown (only Linux tells).

    Processes that are exiting, and zombies, count as gone.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        status = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return ""
    # The fields follow the program's name, which is in parentheses and may contain any character.
    fields = status.rpartition(b")")[2].split()
    has_ended = fields[0] in _ENDED_STATES or int(fields[6]) & _IS_EXITING
    return "" if has_ended else f"{boot} {fields[19].decode()}"
