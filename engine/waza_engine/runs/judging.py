"""The judge of a run: only made when a grader needs one, and missed before the agent starts, not after."""

from collections.abc import Iterable, Mapping

from waza_engine.graders.registry import find_grader, newest_generation
from waza_engine.judges.base import Judge, JudgeMissing
from waza_engine.runs.plan import Plan
from waza_engine.suite import GraderEntry

NO_JUDGE = "No judge is configured: set OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint"


def judge_for(plan: Plan, environment: Mapping[str, str]) -> Judge | None:
    """The judge that the environment describes; None when no grader needs one, or none is described."""
    if not any(needs_judge(it) for it in _entries(plan)):
        return None
    # Imported here: most runs need no HTTP client.
    from waza_engine.judges.openai import OpenAIJudge

    try:
        return OpenAIJudge.from_environment(environment, plan.settings.model)
    except JudgeMissing:
        return None


def needs_judge(entry: GraderEntry) -> bool:
    """Whether the grader can give no verdict without a judge."""
    kind = find_grader(entry.type, newest_generation(entry.type))
    return kind is not None and kind.asks_judge


def _entries(plan: Plan) -> Iterable[GraderEntry]:
    yield from plan.suite.graders
    for task in plan.tasks:
        yield from task.graders
