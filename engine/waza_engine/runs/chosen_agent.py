"""The agent program that is named on the command line: an executor that starts it is chosen with it.

Without that the program would be passed over in silence wherever the eval's executor starts none.
"""

from dataclasses import replace

from waza_engine.executors.command import CommandExecutor
from waza_engine.executors.registry import executor_names, starts_agent
from waza_engine.runs.plan import Overrides, PlanError
from waza_engine.suite import Suite


def with_agent(overrides: Overrides, suite: Suite) -> Overrides:
    """The overrides; those that name an agent and no executor choose `command`, if the suite's own starts no agent.

    Raises:
        PlanError: the executor that they name starts no agent.
        UnavailableError: an executor cannot be loaded.

    """
    if problem := unused_agent(overrides):
        raise PlanError(problem)
    if not overrides.agent_command or overrides.executor or starts_agent(suite.settings.executor):
        return overrides
    return replace(overrides, executor=CommandExecutor.name)


def unused_agent(overrides: Overrides) -> str:
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
