"""What a run asks for and its executor makes no use of: said once, before the run, instead of silently doing nothing."""

from collections.abc import Iterator

from waza_engine.executors.base import (
    ALLOWED_TOOLS,
    COMMAND_MOCKS,
    MCP_SERVERS,
    REASONING_EFFORT,
    RESPONDER,
    SKILLS,
    SYSTEM_MESSAGE,
    Executor,
)
from waza_engine.executors.replay import ReplayExecutor
from waza_engine.runs.plan import Plan


def ignores(executor: Executor) -> frozenset[str]:
    """What the executor makes no use of; one that does not say makes use of everything."""
    return getattr(executor, "ignores", frozenset())


def ignored(plan: Plan, executor: Executor) -> str:
    """A sentence about it, or "" when there is nothing to say. A recorded agent had what it had."""
    if executor.name == ReplayExecutor.name:
        return ""
    unused = ignores(executor)
    names = [name for word, name in _asked_for(plan) if word in unused]
    if not names:
        return ""
    return f"The executor '{executor.name}' makes no use of: {', '.join(dict.fromkeys(names))}"


def _asked_for(plan: Plan) -> Iterator[tuple[str, str]]:
    settings, suite = plan.settings, plan.suite
    if any(it.responder for it in plan.tasks):
        yield RESPONDER, "inputs.responder"
    if any(it.instructions for it in plan.tasks):
        yield SYSTEM_MESSAGE, "instruction_files in the system message"
    if settings.inject_skill_body and suite.skill and settings.skill_directories:
        yield SYSTEM_MESSAGE, "the text of the skill in the system message"
    if settings.skill_directories:
        yield SKILLS, "skill_directories"
    if settings.mcp_servers:
        yield MCP_SERVERS, "mcp_servers"
    if suite.mcp_mocks:
        yield MCP_SERVERS, "mcp_mocks"
    if any(it.command_mocks for it in plan.tasks):
        yield COMMAND_MOCKS, "command_mocks"
    if settings.reasoning_effort:
        yield REASONING_EFFORT, "reasoning_effort"
    if (agent := suite.agent) and agent.tools is not None:
        yield ALLOWED_TOOLS, f"the tools of {agent.path.name}"
