"""Print what `waza-lsp run --dry-run` would run."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from waza_engine.reports.inert import one_line
from waza_engine.runs.planning.plan import Plan

_MAX_TASKS = 20


@dataclass(frozen=True, slots=True)
class ExperimentHeader:
    """The experiment whose arms are planned."""

    name: str
    baseline: str


def plans_text(plans: Sequence[Plan], header: ExperimentHeader | None) -> str:
    """Return the plans as text."""
    return "\n".join(_lines(plans, header))


def _lines(plans: Sequence[Plan], header: ExperimentHeader | None) -> Iterator[str]:
    if header is not None:
        yield f"Experiment: {one_line(header.name)}"
        yield f"Baseline:   {one_line(header.baseline)}"
        yield f"Plans:      {len(plans)}"
    for plan in plans:
        yield from _plan_lines(plan, header)


def _plan_lines(plan: Plan, header: ExperimentHeader | None) -> Iterator[str]:
    suite, settings, arm = plan.suite, plan.settings, plan.suite.arm
    if header is not None and arm is not None:
        yield ""
        yield f"{one_line(arm.variant)}{' (baseline)' if arm.variant == header.baseline else ''}"
    names = [one_line(it.id) for it in plan.tasks]
    more = f" and {len(names) - _MAX_TASKS} more" if len(names) > _MAX_TASKS else ""
    yield f"  Eval:        {one_line(suite.name)}"
    yield f"  File:        {one_line(str(suite.path))}"
    yield f"  Executor:    {one_line(settings.executor)}"
    yield f"  Model:       {one_line(settings.model) or '(default)'}"
    yield f"  Tasks:       {', '.join(names[:_MAX_TASKS])}{more}"
    yield f"  Trials:      {len(names) * settings.trials}, {settings.trials} of each task, {plan.workers} at once"
    if arm is not None:
        skills = sorted({it for task in plan.tasks for it in task.skill_directories or ()})
        yield f"  Skills:      {one_line(', '.join(skills)) or 'none'}"
        yield f"  Config hash: {arm.config_hash}"
        yield f"  Eval hash:   {arm.eval_hash}"


def plans_json(plans: Sequence[Plan], header: ExperimentHeader | None) -> str:
    """Return the plans as JSON."""
    data: dict[str, Any] = {"plans": [_data(it) for it in plans]}
    if header is not None:
        data = {"experiment": header.name, "baseline": header.baseline, **data}
    return json.dumps(data, indent=2, ensure_ascii=False)


def _data(plan: Plan) -> dict[str, Any]:
    arm = plan.suite.arm
    about = {"variant": arm.variant, "configHash": arm.config_hash, "evalHash": arm.eval_hash} if arm else {}
    return {
        **about,
        "eval": plan.suite.name,
        "evalFile": str(plan.suite.path),
        "executor": plan.settings.executor,
        "model": plan.settings.model,
        "tasks": [it.id for it in plan.tasks],
        "trials": plan.settings.trials,
        "workers": plan.workers,
    }
