"""Events of a run in progress: one frozen value each, and one JSON object per line for other programs.

Every event carries the run's id. Every start has a matching end, even when the run is cancelled, so a progress display
never has to invent one. Members may be added but are never removed.
"""

import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from waza_engine.model.results.decisions import DecisionWord
from waza_engine.model.results.records import GraderOutcome, RunStatus
from waza_engine.model.results.scores import Status


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The run begins. `tasks` are the ids of the selected tasks, in order; `workers` is 1 for a sequential run.

    With `until_decided`, `trials` is the most that a task can have.
    """

    run_id: str
    eval: Path
    name: str
    executor: str
    model: str
    tasks: tuple[str, ...]
    trials: int
    workers: int
    until_decided: bool = False


@dataclass(frozen=True, slots=True)
class TaskStarted:
    """A task begins. `path` and `pointer` locate it in its file."""

    run_id: str
    task: str
    name: str
    path: Path | None
    pointer: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class TrialStarted:
    """A trial (counted from 1) begins."""

    run_id: str
    task: str
    trial: int


@dataclass(frozen=True, slots=True)
class TrialProgress:
    """The agent did something; `text` is one line about it."""

    run_id: str
    task: str
    trial: int
    text: str


@dataclass(frozen=True, slots=True)
class TrialFinished:
    """A trial has its verdict. `duration_ms` is the agent's time. With `infrastructure` it could not be judged."""

    run_id: str
    task: str
    trial: int
    status: Status
    score: float
    weighted_score: float
    attempts: int
    duration_ms: int
    error: str
    graders: tuple[GraderOutcome, ...]
    infrastructure: bool = False


@dataclass(frozen=True, slots=True)
class TaskFinished:
    """A task has its verdict. Scores are means over its trials. `error` says why it has no trials.

    With `infrastructure` nothing failed, but some of its trials could not be judged. With `partial` it was graded with some
    of its graders only, which is no verdict on the task.
    """

    run_id: str
    task: str
    status: Status
    score: float
    weighted_score: float
    error: str = ""
    infrastructure: bool = False
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Decided:
    """A question of a run with `--until-decided` has its answer, or stays open for a `reason`.

    For a task, `mean` of its `count` trials is above or below `threshold`, and lies between `lower` and `upper` at all looks
    together. With `task` "" the run is better or worse than another one: `mean` is the mean difference of `count` tasks.
    """

    run_id: str
    task: str
    decision: DecisionWord
    count: int
    mean: float
    threshold: float | None = None
    lower: float | None = None
    upper: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """Something the user should know: a hook that failed, a run that cannot be stored."""

    run_id: str
    level: Literal["info", "warning", "error"]
    message: str


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run is over. A cancelled run has the status `cancelled` and the results so far."""

    run_id: str
    status: RunStatus
    exit_status: int
    score: float
    weighted_score: float
    total: int
    succeeded: int
    failed: int
    skipped: int
    duration_ms: int
    error: str = ""
    errors: int = 0
    """Tasks that could not be judged."""


@dataclass(frozen=True, slots=True)
class ExecutorUnavailable:
    """The run ends because its executor cannot work on this machine. The first sentence of `message` says why.

    `extra` is the extra of this distribution that would help, if that is the reason.
    """

    run_id: str
    executor: str
    message: str
    extra: str = ""


@dataclass(frozen=True, slots=True)
class BaselineEvent:
    """An event of the baseline pass, the one without skills. It is no verdict on the tasks."""

    run_id: str
    told: "Event"


@dataclass(frozen=True, slots=True)
class ArmEvent:
    """An event of an experiment's arm, which is a run of its own.

    The experiment itself appears as a run whose tasks are its arms: `run_id` is that run, `task` the arm.
    """

    run_id: str
    task: str
    told: "Event"


Event = (
    RunStarted
    | TaskStarted
    | TrialStarted
    | TrialProgress
    | TrialFinished
    | TaskFinished
    | Decided
    | Note
    | RunFinished
    | ExecutorUnavailable
    | BaselineEvent
    | ArmEvent
)
"""Any event of a run; `match` on the class."""

Listener = Callable[[Event], None]
"""Called with each event of a run, in order, in the thread of the run; it must not block."""

_EVENT_NAMES: dict[type[Any], str] = {
    RunStarted: "run_started",
    TaskStarted: "task_started",
    TrialStarted: "trial_started",
    TrialProgress: "trial_progress",
    TrialFinished: "trial_finished",
    TaskFinished: "task_finished",
    Decided: "decided",
    Note: "note",
    RunFinished: "run_finished",
    ExecutorUnavailable: "executor_unavailable",
    BaselineEvent: "baseline",
    ArmEvent: "arm",
}
_EVENT_CLASSES = {name: kind for kind, name in _EVENT_NAMES.items()}


def event_line(event: Event) -> str:
    """Return the event as one line of JSON, without line end: `{"event": "task_started", "run_id": ..., ...}`."""
    return json.dumps(_event_members(event), default=str, separators=(",", ":"))


def event_data(event: Event) -> dict[str, Any]:
    """Return the event as plain JSON data, exactly as `event_line` writes it."""
    data: dict[str, Any] = json.loads(event_line(event))
    return data


def parse_line(line: str | bytes) -> Event | None:
    """Return the event on a line of JSON, or None if it is not an event that this version knows.

    Unknown members are ignored.
    """
    try:
        return _parse_data(json.loads(line))
    except (ValueError, RecursionError):
        return None


def _event_members(event: Event) -> dict[str, Any]:
    name = _EVENT_NAMES[type(event)]
    if isinstance(event, BaselineEvent | ArmEvent):
        # `asdict` would also convert the inner event, once per level.
        own = {it.name: getattr(event, it.name) for it in dataclasses.fields(event)}
        return {"event": name, **own, "told": _event_members(event.told)}
    return {"event": name, **dataclasses.asdict(event)}


def _parse_data(data: object) -> Event | None:
    if not isinstance(data, Mapping):
        return None
    kind: Any = _EVENT_CLASSES.get(str(data.get("event")))
    if kind is None:
        return None
    if kind in {BaselineEvent, ArmEvent}:
        told = _parse_data(data.get("told"))
        return _adapter(kind).validate_python({**data, "told": told}) if told is not None else None
    # `validate_json` turns lists into tuples and strings into paths.
    event: Event = _adapter(kind).validate_json(json.dumps(data))
    return event


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
