"""How much the verdicts of a task and of its graders vary, if nothing that is recorded has changed.

A task is flaky if its trials get different verdicts. Then either the agent varies, or a grader does: the same work of the
agent gets different verdicts. Runs that replay a recording, and agents that do the same twice, tell the two apart.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from waza_engine.lib.pointer import Pointer
from waza_engine.model.results.scores import ConfidenceInterval
from waza_engine.statistics.flips import FlipRate, flip_rate
from waza_engine.statistics.rates import wilson

Cause = Literal["", "agent", "grader", "agent and grader", "agent or grader"]
"""Who varies: "" if nothing does, the last one if no recording tells."""


_ENOUGH_REPEATS = 3
"""A grader that may vary counts as steady if it repeated its verdict so often."""


class GraderVerdict(NamedTuple):
    """The verdict of one grader on one trial."""

    name: str
    type: str
    passed: bool


class PastTrial(NamedTuple):
    """A decided trial of a task. `conditions` is the same for trials whose verdicts may be compared.

    `judging` is the same for trials that are judged in the same way. `work` is a digest of what the agent did, "" if it is
    not known. A replay tells about graders only.
    """

    run: str
    passed: bool
    conditions: str
    judging: str
    work: str
    graders: tuple[GraderVerdict, ...]
    is_replay: bool = False


@dataclass(frozen=True, slots=True)
class GraderFlakiness:
    """How a grader's verdicts vary: over the trials of a task, and on the same work.

    A grader that runs no program and asks no model is `deterministic`.
    """

    name: str
    type: str
    over_trials: FlipRate
    on_same_work: FlipRate
    deterministic: bool
    repeats: int = 0
    """How often it judged work that it had judged before."""
    path: Path | None = None
    pointer: Pointer = ()
    """Where a flaky grader is in its file."""

    @property
    def is_flaky(self) -> bool:
        """Whether the same work got different verdicts."""
        return self.on_same_work.mixed > 0


@dataclass(frozen=True, slots=True)
class TaskFlakiness:
    """How the verdicts on a task vary. `streak` is the number of its newest runs that passed without a failed trial."""

    task: str
    trials: int
    passed: int
    runs: int
    interval: ConfidenceInterval
    flips: FlipRate
    graders: tuple[GraderFlakiness, ...]
    cause: Cause
    streak: int
    quarantine: str = ""
    """The reason why the task does not decide runs, as of its newest run."""

    @property
    def is_flaky(self) -> bool:
        """Whether trials got different verdicts, or a grader did on the same work."""
        return bool(self.cause) or any(it.is_flaky for it in self.graders)


def task_flakiness(
    task: str, trials: Sequence[PastTrial], is_deterministic: Callable[[str], bool]
) -> TaskFlakiness:
    """Return how the verdicts on a task vary under the conditions of its newest trial. `trials` are oldest first.

    Replays count for graders, and for the task if there is nothing else. `is_deterministic` tells of a grader's type
    whether the same work always gets the same verdict.
    """
    performed = [it for it in trials if not it.is_replay] or trials
    same = [it for it in performed if it.conditions == performed[-1].conditions]
    judged_alike = [it for it in trials if it.judging == trials[-1].judging and it.judging]
    passed = [it.passed for it in same]
    kinds = {grader.name: grader.type for it in (*judged_alike, *same) for grader in it.graders}
    graders = tuple(
        _grader(name, kind, same, judged_alike, deterministic=is_deterministic(kind))
        for name, kind in kinds.items()
    )
    return TaskFlakiness(
        task=task,
        trials=len(same),
        passed=sum(passed),
        runs=len({it.run for it in same}),
        interval=wilson(sum(passed), len(passed)),
        flips=flip_rate([passed]),
        graders=graders,
        cause=_cause(graders) if 0 < sum(passed) < len(passed) else "",
        streak=_streak(performed),
    )


def _grader(
    name: str, kind: str, same: Sequence[PastTrial], judged_alike: Sequence[PastTrial], *, deterministic: bool
) -> GraderFlakiness:
    by_work: dict[str, list[bool]] = {}
    for it in judged_alike:
        if it.work:
            by_work.setdefault(it.work, []).extend(_verdicts(it, name))
    verdicts = [one for it in same for one in _verdicts(it, name)]
    on_same_work = list(by_work.values())
    return GraderFlakiness(
        name,
        kind,
        flip_rate([verdicts]),
        flip_rate(on_same_work),
        deterministic,
        repeats=sum(len(it) - 1 for it in on_same_work if it),
    )


def _verdicts(trial: PastTrial, name: str) -> Iterable[bool]:
    return (it.passed for it in trial.graders if it.name == name)


def _cause(graders: Sequence[GraderFlakiness]) -> Cause:
    """Return who makes the verdicts of trials vary."""
    suspects = [it for it in graders if it.over_trials.mixed]
    flaky = [it for it in suspects if it.is_flaky]
    if flaky:
        return "grader" if len(flaky) == len(suspects) else "agent and grader"
    # Without suspects the agent itself ended with an error.
    steady = all(it.deterministic or it.repeats >= _ENOUGH_REPEATS for it in suspects)
    return "agent" if steady else "agent or grader"


def _streak(trials: Sequence[PastTrial]) -> int:
    """Return how many of the newest runs passed all their trials."""
    verdicts: dict[str, bool] = {}
    for it in trials:
        verdicts[it.run] = verdicts.get(it.run, True) and it.passed
    passed = list(verdicts.values())
    return next((count for count, it in enumerate(reversed(passed)) if not it), len(passed))
