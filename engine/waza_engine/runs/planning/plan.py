"""Plan a run from the suite, the command line's overrides and the task filters.

It reads no file but those with comments that quarantine tasks.

Filters use Go's `filepath.Match` on the whole string (docs/reference/waza-formats.md, section 13.8): `--task sort` does
not match "Explain sort". A task is selected if any name pattern and any tag pattern match.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from waza_engine.lib.go.glob import BadPattern, match
from waza_engine.lib.process.sandbox_choice import Sandbox
from waza_engine.model.suite import GROUPINGS, RunSettings, Suite, Task
from waza_engine.runs.planning.quarantine import with_quarantine
from waza_engine.runs.planning.until_decided import UntilDecided


class PlanError(Exception):
    """The request cannot be run: a configuration error, exit status 2. The message says what to do."""


@dataclass(frozen=True, slots=True)
class Overrides:
    """Command-line values that override the suite's. None, () and "" keep the suite's own value.

    `tasks` holds patterns for names or ids, `tags` patterns for tags. `timeout` is in seconds per turn. The executors
    `command` and `acp` start `agent_command`; `agent_format` is the output format that `command` expects. A trial that
    cannot be judged for reasons of infrastructure is repeated up to `retry_infrastructure` times.
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
    sandbox: Sandbox | None = None
    retry_infrastructure: int = 0
    until_decided: UntilDecided | None = None


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `index` (from 1) of `total` parts of a run that is spread over machines."""

    index: int
    total: int

    def __str__(self) -> str:
        return f"{self.index}/{self.total}"

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Parse a shard such as `2/5`.

        Raises:
            PlanError: the text is not a shard.

        """
        index, slash, total = text.partition("/")
        if not (slash and index.isdecimal() and total.isdecimal() and 1 <= int(index) <= int(total)):
            raise PlanError(f"'{text}' is not a shard. Write i/n, from 1/n to n/n")
        return cls(int(index), int(total))


@dataclass(frozen=True, slots=True)
class Plan:
    """A run that can start: the selected tasks, the settings with all overrides, the final number of workers.

    `settings.baseline` requests a second pass without skills; the plan of that pass has `without_skills` set.
    `warnings` list requested options that will have no effect.
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
        """Return whether this is one of the two passes of a run with a baseline."""
        return self.settings.baseline or self.without_skills


def plan_without_skills(plan: Plan) -> Plan:
    """Return the plan of the baseline pass: the same tasks with all skills off.

    See docs/reference/waza-formats.md, section 13.7.
    """
    settings = replace(_without_skills(plan.settings), baseline=False)
    tasks = tuple(replace(it, skill_directories=()) for it in plan.tasks)
    suite = replace(plan.suite, triggers=None, warnings=(), skill="", agent=None)
    return replace(plan, suite=suite, tasks=tasks, settings=settings, without_skills=True, warnings=())


def make_plan(suite: Suite, overrides: Overrides, processors: int = 4) -> Plan:
    """Return the plan for one run. `processors` limits the workers if the suite sets no number.

    Raises:
        PlanError: a filter is malformed, or no task is left to run.

    """
    suite, of_comments = with_quarantine(suite)
    settings = _settings(suite.settings, overrides)
    tasks = select_tasks(suite.tasks, overrides.tasks, overrides.tags)
    if not suite.tasks:
        raise PlanError(
            f"{suite.path} has no task to run: all tasks are disabled, or no row of its dataset is selected"
        )
    if not tasks:
        raise PlanError(_no_match_message(suite, overrides))
    if settings.group_by in GROUPINGS:
        tasks = tuple(replace(it, group=_group(it, settings)) for it in tasks)
    if overrides.shard:
        tasks = _shard_tasks(tasks, overrides.shard)
    settings, warnings = _drop_pointless_baseline(suite, settings)
    if overrides.until_decided is not None:
        settings = _until_decided(suite, settings, overrides, overrides.until_decided)
    return Plan(
        suite,
        tasks,
        settings,
        _workers(settings, len(tasks), processors),
        skip_graders=overrides.skip_graders,
        keep_workspace=overrides.keep_workspace,
        update_snapshots=overrides.update_snapshots,
        shard=overrides.shard,
        warnings=(*warnings, *of_comments),
        overrides=overrides,
    )


def with_workers(plan: Plan, workers: int) -> Plan:
    """Return the plan with this many parallel tasks, unless it sets a number itself."""
    if plan.settings.parallel and plan.settings.workers > 0:
        return plan
    return replace(
        plan, settings=replace(plan.settings, parallel=True), workers=max(1, min(workers, len(plan.tasks)))
    )


def _group(task: Task, settings: RunSettings) -> str:
    """Return the group of a task in the results: the model, or all tags of the task together.

    waza does not say how it groups tasks with several tags (docs/reference/waza-newest.md, section 8).
    """
    return settings.model if settings.group_by == "model" else ", ".join(task.tags)


def _until_decided(
    suite: Suite, settings: RunSettings, overrides: Overrides, until: UntilDecided
) -> RunSettings:
    """Return the settings of a run that goes on until it is decided: each task has at most so many trials."""
    if settings.baseline:
        raise PlanError(
            "--until-decided does not decide about a run with a baseline. Add --no-baseline, or compare two runs with "
            "--against RUN"
        )
    conflicts = {
        "--trials": overrides.trials,
        "--shard": overrides.shard,
        "--skip-graders": overrides.skip_graders,
    }
    for option, value in conflicts.items():
        if value:
            raise PlanError(f"--until-decided decides itself what runs. Remove {option}")
    if until.threshold is None and not until.against and own_threshold(suite) is None:
        raise PlanError(
            "--until-decided needs a question. The eval has no threshold, so add --threshold RATE (such as 0.8) or "
            "--against RUN"
        )
    # Trials of earlier runs were looked at before.
    return replace(settings, trials=until.most_trials, use_cache=False)


def own_threshold(suite: Suite) -> float | None:
    """Return the least score that the eval itself demands; None if it demands none."""
    return suite.scoring.threshold if suite.scoring is not None else None


def _shard_tasks(tasks: tuple[Task, ...], shard: Shard) -> tuple[Task, ...]:
    """Return every n-th task: neighbours are often alike, and this spreads them over the shards."""
    selected = tasks[shard.index - 1 :: shard.total]
    if not selected:
        raise PlanError(f"Shard {shard} is empty: there are only {len(tasks)} tasks. Use fewer shards")
    return selected


def _drop_pointless_baseline(suite: Suite, settings: RunSettings) -> tuple[RunSettings, tuple[str, ...]]:
    if not settings.baseline or settings.skill_directories or settings.required_skills or suite.skill:
        return settings, ()
    warning = (
        "baseline: the eval names no skill to leave out, so this is a normal run. "
        "Add 'skill' or config.skill_directories"
    )
    return replace(settings, baseline=False), (warning,)


def select_tasks(tasks: Iterable[Task], names: Iterable[str], tags: Iterable[str]) -> tuple[Task, ...]:
    """Return the tasks whose name or id matches one of `names` and that have a tag matching one of `tags`.

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
            raise PlanError(f"The filter '{it}' is not a valid pattern: {error}") from error


def _settings(settings: RunSettings, overrides: Overrides) -> RunSettings:
    changes: dict[str, object] = {
        "trials": overrides.trials,
        "workers": overrides.workers,
        # A number of workers also requests a parallel run, unless the number is one.
        "parallel": None if overrides.workers is None else overrides.workers > 1,
        "executor": overrides.executor,
        "model": overrides.model,
        "judge_model": overrides.judge_model,
        "timeout_seconds": overrides.timeout,
        "baseline": overrides.baseline,
        "sandbox": overrides.sandbox,
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
    limit = settings.workers if settings.workers > 0 else max(processors, 1)
    return max(1, min(limit, tasks))


def _no_match_message(suite: Suite, overrides: Overrides) -> str:
    filters = [*(f"--task {it}" for it in overrides.tasks), *(f"--tag {it}" for it in overrides.tags)]
    # Imported late: few patterns are misspelt.
    from waza_engine.lib.spelling import nearest

    names = [name for it in suite.tasks for name in (it.id, it.name)]
    # Authors also give the path of the task's file.
    words = [it.removesuffix(".yaml").rpartition("/")[2] for it in overrides.tasks]
    close = dict.fromkeys(name for it in words for name in nearest(it, names, most=1))
    guess = " Did you mean '{}'?".format("' or '".join(close)) if close else ""
    ids = ", ".join(it.id for it in suite.tasks[:10]) + (", ..." if len(suite.tasks) > 10 else "")
    return (
        f"No task matches {' '.join(filters)}.{guess} A pattern must match a whole name, id or tag; "
        f"use * for any text. Tasks: {ids}"
    )
