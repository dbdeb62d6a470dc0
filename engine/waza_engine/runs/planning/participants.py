"""The judge of a run: only made when somebody needs one, and missed before the agent starts, not after.

An endpoint that the environment describes comes first; a run with the Copilot CLI otherwise asks that, as waza does.

The agent program that is named on the command line: an executor that starts it is chosen with it.

Without that the program would be passed over in silence wherever the eval's executor starts none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from waza_engine.executors.command import CommandExecutor
from waza_engine.executors.registry import executor_names, starts_agent
from waza_engine.graders.registry import find_grader
from waza_engine.model.judge import Judge, JudgeMissing
from waza_engine.model.suite import GraderEntry, Suite
from waza_engine.runs.planning.plan import Overrides, Plan, PlanError

_COPILOT = "copilot-sdk"


def judge_for(plan: Plan, environment: Mapping[str, str]) -> Judge | None:
    """The judge that the environment describes; None when nobody needs one, or none is described."""
    is_needed = any(needs_judge(it) for it in _grader_entries(plan)) or any(it.responder for it in plan.tasks)
    if not is_needed:
        return None
    # Imported here: most runs need no HTTP client.
    from waza_engine.judges.openai import OpenAIJudge

    try:
        return OpenAIJudge.from_environment(environment, plan.settings.model)
    except JudgeMissing:
        return _copilot_judge(plan, environment) if plan.settings.executor == _COPILOT else None


def _copilot_judge(plan: Plan, environment: Mapping[str, str]) -> Judge:
    from waza_engine.executors.copilot_cli import cli_path, provider
    from waza_engine.judges.copilot import CopilotJudge

    model = plan.settings.model or environment.get("COPILOT_MODEL", "")
    return CopilotJudge(model, cli_path(environment), provider(environment) or None, dict(environment))


def needs_judge(entry: GraderEntry) -> bool:
    """Whether the grader can give no verdict without a judge."""
    kind = find_grader(entry.type, entry.dialect)
    return kind is not None and kind.asks_judge


def _grader_entries(plan: Plan) -> Iterable[GraderEntry]:
    yield from plan.suite.graders
    for task in plan.tasks:
        yield from task.graders
        for it in task.checkpoints:
            yield from it.graders


def with_agent(overrides: Overrides, suite: Suite) -> Overrides:
    """The overrides; those that name an agent and no executor choose `command`, if the suite's own starts no agent.

    Raises:
        PlanError: the executor that they name starts no agent.
        UnavailableError: an executor cannot be loaded.

    """
    if problem := unused_agent_problem(overrides):
        raise PlanError(problem)
    if not overrides.agent_command or overrides.executor or starts_agent(suite.settings.executor):
        return overrides
    return replace(overrides, executor=CommandExecutor.name)


def unused_agent_problem(overrides: Overrides) -> str:
    """Why the agent that is named would not be started, or "". Executors that there are not have an error of their own.

    Raises:
        UnavailableError: the executor cannot be loaded.

    """
    name = overrides.executor
    if not overrides.agent_command or name not in executor_names() or starts_agent(name):
        return ""
    return (
        f"--agent-command names the agent of the executors command and acp, and '{name}' starts none. "
        "Leave one of the two out"
    )
