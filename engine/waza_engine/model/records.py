"""What a run leaves behind: plain values, no I/O.

Statuses and scores follow docs/reference/waza-formats.md, section 14.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from waza_engine.lib.pointer import Pointer
from waza_engine.model.scores import Status, SuiteTotals, TaskStats
from waza_engine.model.suite import ExperimentArm, Scoring
from waza_engine.model.trajectory import Trajectory

RunStatus = Literal["passed", "failed", "error", "cancelled"]
"""How a run ended."""


class Seen(str):
    """What was there instead, in a few words; with the lines around the place, where there is one."""

    __slots__ = ("excerpt",)
    excerpt: str

    def __new__(cls, said: str, excerpt: str = "") -> Self:
        made = super().__new__(cls, said)
        made.excerpt = excerpt
        return made


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """One check of a grader that failed: which option of the config it stands in, and in one line what is wrong.

    `found` says what was there instead, for people who look at the line; "" when there is nothing to say. `excerpt` are
    the lines around that place, with their numbers, for people who want to see more: a `Seen` brings them along.
    """

    pointer: Pointer
    message: str
    found: str = ""
    excerpt: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.found, Seen):
            object.__setattr__(self, "excerpt", self.found.excerpt)
            object.__setattr__(self, "found", str(self.found))


@dataclass(frozen=True, slots=True)
class GraderOutcome:
    """What one grader said, or why it said nothing (`status` error).

    `path` and `pointer` lead back to its entry; those of `parts` count from its config (for the checks of `expected`,
    from the list of texts).
    """

    name: str
    type: str
    status: Literal["passed", "failed", "error"]
    score: float
    weight: float
    feedback: str = ""
    details: Mapping[str, Any] | None = None
    duration_ms: int = 0
    path: Path | None = None
    pointer: Pointer = ()
    parts: tuple[FailedCheck, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the grader is content; one that errored is not."""
        return self.status == "passed"


@dataclass(frozen=True, slots=True)
class CheckpointOutcome:
    """What the graders of a checkpoint said after turn `after_turn`."""

    after_turn: int
    status: Literal["passed", "failed", "error"]
    graders: tuple[GraderOutcome, ...]


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """One trial: its last attempt. `started_at` is in seconds since 1970.

    `task` is the task's id, `task_index` its place in the plan (from 0), `trial` the number of the trial
    (from 1). After a grader that errored, `graders` holds that one alone (docs/reference/waza-formats.md,
    section 13.10: no results at all). `workspace` is where the agent worked, if that was kept.
    """

    task: str
    task_index: int
    trial: int
    status: Status
    score: float
    weighted_score: float
    trajectory: Trajectory
    graders: tuple[GraderOutcome, ...] = ()
    error: str = ""
    attempts: int = 1
    started_at: float = 0.0
    checkpoints: tuple[CheckpointOutcome, ...] = ()
    workspace: str = ""


@dataclass(frozen=True, slots=True)
class TrialVerdict:
    """One trial (from 1) of one task, by the task's id, without what the agent did."""

    task: str
    trial: int
    status: Status
    score: float


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """A task's trials, in order. Without trials there are no stats, and `error` says which hook stopped the task.

    `task` is the task's id. Trials that are in the store are read from there whenever they are looked at.
    """

    task: str
    name: str
    group: str
    status: Status
    trials: Sequence[TrialRecord]
    stats: TaskStats | None = None
    error: str = ""
    golden: bool = False


@dataclass(frozen=True, slots=True)
class TriggerResult:
    """One trigger prompt: what was expected and what happened."""

    prompt: str
    confidence: str
    should_trigger: bool
    did_trigger: bool
    error: str = ""


@dataclass(frozen=True, slots=True)
class TriggerMetrics:
    """How well the prompts were told apart; counts are rounded weighted sums.

    See docs/reference/waza-formats.md, section 6.
    """

    true_positives: int
    false_positives: int
    true_negatives: int
    false_negatives: int
    errors: int
    precision: float
    recall: float
    f1: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class MetricResult:
    """A measured metric and the threshold it is held to."""

    name: str
    value: float
    threshold: float
    passed: bool
    weight: float


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A whole run. `status` is `error` when the run itself could not go on, `cancelled` when the user stopped it.

    `started_at` is in seconds since 1970, `duration_ms` wall time. `measures` are metrics that are shown and hold
    up nothing. `baseline` is the pass without skills. `shard` is `i/n` for a part of a run. `planned` is how many tasks
    were to be performed, where that is known, `unperformed` the names of those that the run never came to.
    """

    run_id: str
    suite_name: str
    skill: str
    executor: str
    model: str
    judge_model: str
    trials: int
    timeout_seconds: int
    started_at: float
    duration_ms: int
    status: RunStatus
    tasks: tuple[TaskRecord, ...]
    totals: SuiteTotals
    triggers: tuple[TriggerResult, ...] = ()
    trigger_metrics: TriggerMetrics | None = None
    metrics: tuple[MetricResult, ...] = ()
    error: str = ""
    measures: tuple[MetricResult, ...] = ()
    baseline: "RunRecord | None" = None
    shard: str = ""
    scoring: Scoring | None = None
    eval_path: str = ""
    arm: ExperimentArm | None = None
    planned: int = 0
    unperformed: tuple[str, ...] = ()
