"""Records of a finished run: its tasks, trials, grader outcomes and metrics. Plain values without I/O.

Statuses and scores follow docs/reference/waza-formats.md, section 14.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from waza_engine.lib.pointer import Pointer
from waza_engine.model.results.consumption import NOTHING_CONSUMED, Consumption
from waza_engine.model.results.decisions import Decisions
from waza_engine.model.results.evidence import FailedCheck
from waza_engine.model.results.scores import Status, SuiteTotals, TaskStats
from waza_engine.model.suite import ExperimentArm, Scoring
from waza_engine.model.trajectory import Trajectory

RunStatus = Literal["passed", "failed", "error", "cancelled"]
"""How a run ended."""


@dataclass(frozen=True, slots=True)
class GraderOutcome:
    """The verdict of one grader, or its error (`status` error; with `infrastructure`, whatever the agent did).

    `path` and `pointer` refer to its entry. The pointers of `parts` start at its config (for the checks of `expected`, at
    the list of strings).
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
    infrastructure: bool = False

    @property
    def passed(self) -> bool:
        """Whether the grader passed. False after an error."""
        return self.status == "passed"

    @property
    def is_expectation(self) -> bool:
        """Whether this is about a list of strings that a task expects, not about a grader's entry."""
        return bool(self.pointer) and self.name == f"_{self.pointer[-1]}"

    def pointer_of(self, part: FailedCheck) -> Pointer:
        """Return the pointer of a failed check, from the start of its file."""
        inside = () if self.is_expectation else ("config",)
        return (*self.pointer, *inside, *part.pointer)


@dataclass(frozen=True, slots=True)
class CheckpointOutcome:
    """The outcomes of a checkpoint's graders after turn `after_turn`."""

    after_turn: int
    status: Literal["passed", "failed", "error"]
    graders: tuple[GraderOutcome, ...]


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """One trial: its last attempt. `started_at` is in seconds since 1970.

    `task` is the task's id, `task_index` its index in the plan (from 0), `trial` the number of the trial (from 1). After
    an error of a grader, `graders` contains only that one (docs/reference/waza-formats.md, section 13.10: no results at
    all). `workspace` is the agent's folder if it was kept. `infrastructure` marks an error that is not the agent's: nothing
    is known about its work, so the trial does not count in rates, and resuming the run repeats it.
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
    infrastructure: bool = False


@dataclass(frozen=True, slots=True)
class TrialVerdict:
    """Status and score of one trial (from 1), without the trajectory. `task` is the task's id.

    `infrastructure` is as in `TrialRecord`.
    """

    task: str
    trial: int
    status: Status
    score: float
    infrastructure: bool = False


@dataclass(frozen=True, slots=True)
class TaskParts:
    """A digest for each part of what can change a task's verdict; all are empty in runs of older versions."""

    task: str = ""
    settings: str = ""
    graders: str = ""
    skill: str = ""
    fixtures: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between two runs: `what` is one of a few words. `before` and `after` are "" for texts and files."""

    what: str
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        return f"{self.what} ({self.before} -> {self.after})" if self.before or self.after else self.what


@dataclass(frozen=True, slots=True)
class SinceGreen:
    """What differs from the last run in which a task passed. `unknown` are the words for what runs did not record."""

    run_id: str
    started_at: float
    changes: tuple[Change, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def short_text(self) -> str:
        """What has changed in a few words; "" if that is not known."""
        return f"changed: {', '.join(map(str, self.changes))}" if self.changes else ""

    @property
    def text(self) -> str:
        """The differences in one sentence, without a final full stop."""
        unknown = f"; not recorded: {', '.join(self.unknown)}" if self.unknown else ""
        if self.changes:
            what = f"changed since: {', '.join(map(str, self.changes))}"
        elif self.unknown:
            what = "nothing else that is recorded changed since"
        else:
            what = "nothing that is recorded changed since, so the agent or something outside the eval varies"
        return f"last passed in run {self.run_id}; {what}{unknown}"


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """A task's trials, in order. Without trials there are no stats, and `error` names the hook that stopped the task.

    `task` is the task's id. Stored trials are read from the store at each access.
    """

    task: str
    name: str
    group: str
    status: Status
    trials: Sequence[TrialRecord]
    stats: TaskStats | None = None
    error: str = ""
    golden: bool = False
    since_green: SinceGreen | None = None
    """Set for a task that did not pass, if an earlier run in the store has passed it."""
    quarantine: str = ""
    """The reason why the task does not decide the run."""
    passed_in_a_row: int = 0
    """Of a quarantined task: how many runs, this one included, have passed it without a failure between them."""


@dataclass(frozen=True, slots=True)
class TriggerResult:
    """The result of one trigger prompt: what was expected and what happened.

    With `infrastructure` the `error` is not the agent's: the prompt counts in no rate.
    """

    prompt: str
    confidence: str
    should_trigger: bool
    did_trigger: bool
    error: str = ""
    infrastructure: bool = False


@dataclass(frozen=True, slots=True)
class TriggerMetrics:
    """How well the agent triggered on the right prompts. Counts are rounded weighted sums.

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
    """A metric's value and its threshold."""

    name: str
    value: float
    threshold: float
    passed: bool
    weight: float


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A whole run. `status` is `error` if the run itself failed, `cancelled` if the user stopped it.

    `started_at` is in seconds since 1970, `duration_ms` is wall time. `measures` are metrics without effect on the
    result. `baseline` is the run without skills. `shard` is `i/n` for a shard. `planned` is the number of planned tasks,
    if known; `unperformed` are the names of those that the run did not reach. `infrastructure`: nothing failed, but trials
    could not be decided for reasons of infrastructure (`status` error). `unsaved` counts the writes that the run store did
    not take: trials, or the end of the run. `decisions`: a run that went on until it was decided.
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
    infrastructure: bool = False
    unsaved: int = 0
    decisions: Decisions | None = None

    @property
    def is_left_open(self) -> bool:
        """Whether a run with `--until-decided` reached its limits before everything was decided."""
        return self.decisions is not None and self.status == "error" and self.error == self.decisions.error

    @property
    def task_count(self) -> int:
        """The number of tasks of the run, with those that it did not reach."""
        return self.totals.total + len(self.unperformed)

    @property
    def consumption(self) -> Consumption:
        """What the agents and judges of the run consumed, without its baseline."""
        return sum((it.stats.consumption for it in self.tasks if it.stats), NOTHING_CONSUMED)


@dataclass(frozen=True, slots=True)
class ReadRun:
    """A run read from results of another tool, before its totals are computed.

    `trials` maps task names to trials; `started_at` is in seconds since 1970.
    """

    suite_name: str
    trials: Mapping[str, tuple[TrialRecord, ...]]
    executor: str = ""
    model: str = ""
    scoring: Scoring | None = None
    eval_path: str = ""
    started_at: float = 0.0
