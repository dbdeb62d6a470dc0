"""How many tasks and trials a comparison of two runs needs, and what they cost, from what the last run has shown."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from waza_engine.model.results.records import RunRecord
from waza_engine.model.results.scores import TaskStats
from waza_engine.statistics.power import detectable_effect, half_width, tasks_needed
from waza_engine.statistics.task_model import Design, expected_between, expected_rate

_TRIALS = (1, 3, 5, 10)


@dataclass(frozen=True, slots=True)
class TrialCost:
    """What one trial took in the run that the plan is based on. 0: not recorded."""

    seconds: float = 0.0
    tokens: float = 0.0


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to show the effect: trials of each task, and tasks (None: no number suffices)."""

    trials: int
    tasks: int | None

    @property
    def total_trials(self) -> int:
        """The trials of one run."""
        return self.trials * (self.tasks or 0)


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """A plan. `design` is the eval as it is, with the assumptions; `effect` is below 0 if a drop is planned for.

    `run_id` is the run that the assumptions come from, "" for none. `detectable` is the least change that the eval shows.
    """

    design: Design
    effect: float
    power: float
    run_id: str
    known_to: float
    detectable: float | None
    choices: tuple[Choice, ...]
    cost: TrialCost


def plan_power(
    tasks: int,
    trials: int,
    record: RunRecord | None,
    *,
    effect: float,
    power: float,
    rate: float | None = None,
) -> PowerPlan:
    """Plan for a change of the pass rate by `effect`, towards one half: such a change needs the most tasks."""
    stats = [it.stats for it in record.tasks if it.stats and it.stats.decided_runs] if record else []
    seen = [(it.passed_runs, it.decided_runs) for it in stats]
    design = Design(tasks, trials, rate if rate is not None else expected_rate(seen), expected_between(seen))
    change = -effect if design.rate >= 0.5 else effect
    options = sorted({*_TRIALS, trials})
    detectable = detectable_effect(design, power) if tasks else None
    return PowerPlan(
        design=design,
        effect=change,
        power=power,
        run_id=record.run_id if record and stats else "",
        known_to=half_width(design),
        detectable=detectable,
        choices=tuple(Choice(it, tasks_needed(replace(design, trials=it), change, power)) for it in options),
        cost=_cost(stats),
    )


def _cost(stats: Sequence[TaskStats]) -> TrialCost:
    trials = sum(it.total_runs for it in stats)
    if not trials:
        return TrialCost()
    used = [it.consumption for it in stats]
    tokens = sum(
        it.agent_input_tokens + it.agent_output_tokens + it.judge_input_tokens + it.judge_output_tokens
        for it in used
    )
    milliseconds = sum(it.avg_duration_ms * it.total_runs for it in stats)
    return TrialCost(milliseconds / trials / 1000, tokens / trials)
