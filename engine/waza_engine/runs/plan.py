"""What exactly will run: the suite, the overrides of the command line, the chosen tasks. No I/O.

Filters are Go's `filepath.Match` on the whole text (waza-formats.md, section 13.8): `--task sort` does not match
"Explain sort". Several patterns of one kind mean any of them; both kinds given, both must hold.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from waza_engine.goglob import BadPattern, match
from waza_engine.suite import RunSettings, Suite, Task


class PlanError(Exception):
    """Nothing can be run as asked: a configuration error, exit status 2. The text says what to do."""


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line says; None and () leave the suite's own word."""

    tasks: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    trials: int | None = None
    workers: int | None = None
    executor: str | None = None
    model: str | None = None
    judge_model: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A run that can start: `tasks` are the chosen ones, `settings` have the overrides in them, `workers` is final."""

    suite: Suite
    tasks: tuple[Task, ...]
    settings: RunSettings
    workers: int


def make_plan(suite: Suite, overrides: Overrides, processors: int = 4) -> Plan:
    """The plan for one run. `processors` bounds the workers when the suite leaves their number open.

    Raises:
        PlanError: a filter is malformed, or nothing is left to run.

    """
    settings = _settings(suite.settings, overrides)
    tasks = chosen_tasks(suite.tasks, overrides.tasks, overrides.tags)
    if not suite.tasks:
        raise PlanError(f"{suite.path} has no tasks; add task files that its 'tasks' patterns match")
    if not tasks:
        raise PlanError(_nothing_left(suite, overrides))
    if settings.group_by == "model":  # the only grouping that waza knows
        tasks = tuple(replace(it, group=settings.model) for it in tasks)
    return Plan(suite, tasks, settings, _workers(settings, len(tasks), processors))


def chosen_tasks(tasks: Iterable[Task], names: Iterable[str], tags: Iterable[str]) -> tuple[Task, ...]:
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
    }
    return replace(settings, **{key: value for key, value in changes.items() if value is not None})  # type: ignore[arg-type]  # the values fit their keys


def _workers(settings: RunSettings, tasks: int, processors: int) -> int:
    if not settings.parallel:
        return 1
    wanted = settings.workers if settings.workers > 0 else max(processors, 1)
    return max(1, min(wanted, tasks))


def _nothing_left(suite: Suite, overrides: Overrides) -> str:
    asked = [*(f"--task {it}" for it in overrides.tasks), *(f"--tag {it}" for it in overrides.tags)]
    ids = ", ".join(it.id for it in suite.tasks[:10]) + (", ..." if len(suite.tasks) > 10 else "")
    return (
        f"No task matches {' '.join(asked)}. A pattern must match a whole name, id or tag; "
        f"* matches any part of one. Tasks: {ids}"
    )
