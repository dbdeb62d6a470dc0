"""The judge of a run: only made when somebody needs one, and missed before the agent starts, not after.

An endpoint that the environment describes comes first; a run with the Copilot CLI otherwise asks that, as waza does.
"""

from collections.abc import Iterable, Mapping

from waza_engine.graders.registry import find_grader
from waza_engine.judges.base import Judge, JudgeMissing
from waza_engine.runs.plan import Plan
from waza_engine.suite import GraderEntry

_COPILOT = "copilot-sdk"


def judge_for(plan: Plan, environment: Mapping[str, str]) -> Judge | None:
    """The judge that the environment describes; None when nobody needs one, or none is described."""
    is_needed = any(needs_judge(it) for it in _entries(plan)) or any(it.responder for it in plan.tasks)
    if not is_needed:
        return None
    # Imported here: most runs need no HTTP client.
    from waza_engine.judges.openai import OpenAIJudge

    try:
        return OpenAIJudge.from_environment(environment, plan.settings.model)
    except JudgeMissing:
        return _copilot(plan, environment) if plan.settings.executor == _COPILOT else None


def _copilot(plan: Plan, environment: Mapping[str, str]) -> Judge:
    from waza_engine.executors.copilot_cli import cli_path, provider
    from waza_engine.judges.copilot import CopilotJudge

    model = plan.settings.model or environment.get("COPILOT_MODEL", "")
    return CopilotJudge(model, cli_path(environment), provider(environment) or None, dict(environment))


def needs_judge(entry: GraderEntry) -> bool:
    """Whether the grader can give no verdict without a judge."""
    kind = find_grader(entry.type, entry.dialect)
    return kind is not None and kind.asks_judge


def _entries(plan: Plan) -> Iterable[GraderEntry]:
    yield from plan.suite.graders
    for task in plan.tasks:
        yield from task.graders
        for it in task.checkpoints:
            yield from it.graders
