"""What exactly will run: the suite, the overrides of the command line, the chosen tasks. No I/O.

Filters are Go's `filepath.Match` on the whole text (docs/reference/waza-formats.md, section 13.8): `--task
sort` does not match "Explain sort". Several patterns of one kind mean any of them; both kinds given, both
must hold.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from waza_engine.lib.go.glob import BadPattern, match
from waza_engine.model.suite import RunSettings, Suite, Task


class PlanError(Exception):
    """Nothing can be run as asked: a configuration error, exit status 2. The text says what to do."""


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line says; None, () and "" leave the suite's own word.

    `tasks` and `tags` are patterns for names or ids, and for tags. `timeout` is in seconds per turn. `agent_command` is
    what the executors `command` and `acp` start, `agent_format` how `command` reads it.
    """

    tasks: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    trials: int | None = None
    workers: int | None = None
    executor: str | None = None
    model: str | None = None
    judge_model: str | None = None
    timeout: int | None = None
    baseline: bool | None = None
    no_skills: bool = False
    skip_graders: bool = False
    keep_workspace: bool = False
    update_snapshots: bool = False
    shard: "Shard | None" = None
    agent_command: str = ""
    agent_format: str = ""


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `index` (from 1) of `total` parts of a run that is spread over machines."""

    index: int
    total: int

    def __str__(self) -> str:
        return f"{self.index}/{self.total}"

    @classmethod
    def of(cls, text: str) -> "Shard":
        """The shard written as `2/5`.

        Raises:
            PlanError: the text is no such thing.

        """
        index, slash, total = text.partition("/")
        if not (slash and index.isdecimal() and total.isdecimal() and 1 <= int(index) <= int(total)):
            raise PlanError(f"A shard is written i/n, from 1/n to n/n, not '{text}'")
        return cls(int(index), int(total))


@dataclass(frozen=True, slots=True)
class Plan:
    """A run that can start: `tasks` are the chosen ones, `settings` have the overrides in them, `workers` is final.

    `settings.baseline` asks for a second pass without skills; in the plan of that pass `without_skills` is set.
    `warnings` say what was asked for and will not happen.
    """

    suite: Suite
    tasks: tuple[Task, ...]
    settings: RunSettings
    workers: int
    without_skills: bool = False
    skip_graders: bool = False
    keep_workspace: bool = False
    update_snapshots: bool = False
    shard: Shard | None = None
    warnings: tuple[str, ...] = ()
    overrides: Overrides = field(default_factory=Overrides)

    @property
    def compares_skills(self) -> bool:
        """Whether this is one of the two passes of a run with a baseline."""
        return self.settings.baseline or self.without_skills


def plan_without_skills(plan: Plan) -> Plan:
    """The second pass of a run with a baseline: the same, with all skills forced off (docs/reference/waza-formats.md, section 13.7)."""
    settings = replace(_without_skills(plan.settings), baseline=False)
    tasks = tuple(replace(it, skill_directories=()) for it in plan.tasks)
    suite = replace(plan.suite, triggers=None, warnings=(), skill="", agent=None)
    return replace(plan, suite=suite, tasks=tasks, settings=settings, without_skills=True, warnings=())


def make_plan(suite: Suite, overrides: Overrides, processors: int = 4) -> Plan:
    """The plan for one run. `processors` bounds the workers when the suite leaves their number open.

    Raises:
        PlanError: a filter is malformed, or nothing is left to run.

    """
    settings = _settings(suite.settings, overrides)
    tasks = select_tasks(suite.tasks, overrides.tasks, overrides.tags)
    if not suite.tasks:
        raise PlanError(
            f"{suite.path} has no task to run: all are disabled, or no row of its dataset is taken"
        )
    if not tasks:
        raise PlanError(_no_match_message(suite, overrides))
    if settings.group_by == "model":  # the only grouping that waza knows
        tasks = tuple(replace(it, group=settings.model) for it in tasks)
    if overrides.shard:
        tasks = _shard_tasks(tasks, overrides.shard)
    settings, warnings = _drop_pointless_baseline(suite, settings)
    return Plan(
        suite,
        tasks,
        settings,
        _workers(settings, len(tasks), processors),
        skip_graders=overrides.skip_graders,
        keep_workspace=overrides.keep_workspace,
        update_snapshots=overrides.update_snapshots,
        shard=overrides.shard,
        warnings=warnings,
        overrides=overrides,
    )


def with_workers(plan: Plan, workers: int) -> Plan:
    """The plan with so many tasks at once, unless it asks for a number itself."""
    if plan.settings.parallel and plan.settings.workers > 0:
        return plan
    return replace(
        plan, settings=replace(plan.settings, parallel=True), workers=max(1, min(workers, len(plan.tasks)))
    )


def _shard_tasks(tasks: tuple[Task, ...], shard: Shard) -> tuple[Task, ...]:
    """Every n-th task, so that neighbours, which are often alike, are spread over the parts."""
    share = tasks[shard.index - 1 :: shard.total]
    if not share:
        raise PlanError(f"Shard {shard} is empty: there are only {len(tasks)} tasks. Use fewer shards")
    return share


def _drop_pointless_baseline(suite: Suite, settings: RunSettings) -> tuple[RunSettings, tuple[str, ...]]:
    if not settings.baseline or settings.skill_directories or settings.required_skills or suite.skill:
        return settings, ()
    warning = (
        "baseline: there is no skill to leave out; name one with 'skill' or config.skill_directories. "
        "This is a normal run"
    )
    return replace(settings, baseline=False), (warning,)


def select_tasks(tasks: Iterable[Task], names: Iterable[str], tags: Iterable[str]) -> tuple[Task, ...]:
    """The tasks whose name or id matches one of `names`, and of whose tags one matches one of `tags`.

    Raises:
        PlanError: a pattern is malformed.

    """
    names, tags = tuple(names), tuple(tags)
    _refuse_malformed((*names, *tags))
    return tuple(
        it
        for it in tasks
        if (not names or _any_matches(names, (it.name, it.id))) and (not tags or _any_matches(tags, it.tags))
    )


def _any_matches(patterns: Iterable[str], texts: tuple[str, ...]) -> bool:
    return any(match(pattern, text) for pattern in patterns for text in texts)


def _refuse_malformed(patterns: Iterable[str]) -> None:
    for it in patterns:
        try:
            match(it, "")
        except BadPattern as error:
            raise PlanError(f"The filter '{it}' is no valid pattern: {error}") from error


def _settings(settings: RunSettings, overrides: Overrides) -> RunSettings:
    changes: dict[str, object] = {
        "trials": overrides.trials,
        "workers": overrides.workers,
        # Asking for a number of workers is asking for a parallel run, unless the number is one.
        "parallel": None if overrides.workers is None else overrides.workers > 1,
        "executor": overrides.executor,
        "model": overrides.model,
        "judge_model": overrides.judge_model,
        "timeout_seconds": overrides.timeout,
        "baseline": overrides.baseline,
    }
    settings = _without_skills(settings) if overrides.no_skills else settings
    return replace(settings, **{key: value for key, value in changes.items() if value is not None})  # type: ignore[arg-type]  # the values fit their keys


def _without_skills(settings: RunSettings) -> RunSettings:
    return replace(
        settings, skill_directories=(), required_skills=(), inject_skill_body=False, skills_of_process=False
    )


def _workers(settings: RunSettings, tasks: int, processors: int) -> int:
    if not settings.parallel:
        return 1
    wanted = settings.workers if settings.workers > 0 else max(processors, 1)
    return max(1, min(wanted, tasks))


def _no_match_message(suite: Suite, overrides: Overrides) -> str:
    asked = [*(f"--task {it}" for it in overrides.tasks), *(f"--tag {it}" for it in overrides.tags)]
    ids = ", ".join(it.id for it in suite.tasks[:10]) + (", ..." if len(suite.tasks) > 10 else "")
    return (
        f"No task matches {' '.join(asked)}. A pattern must match a whole name, id or tag; "
        f"* matches any part of one. Tasks: {ids}"
    )
