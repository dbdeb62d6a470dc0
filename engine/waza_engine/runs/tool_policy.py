"""Whether a custom agent kept to the tools that its file allows it (docs/reference/waza-formats.md, section 8)."""

from waza_engine.suite import CustomAgent
from waza_engine.tool_names import is_same_tool
from waza_engine.trajectory import Trajectory


def denied_tool(agent: CustomAgent | None, trajectory: Trajectory) -> str:
    """What is wrong: the first tool that was called and is not the agent's to use; "" when all is well."""
    if agent is None or agent.tools is None:
        return ""
    for it in trajectory.tool_events:
        if not any(is_same_tool(known, it.tool_name) for known in agent.tools):
            return f"The custom agent '{agent.name}' called '{it.tool_name}', which its tools do not allow"
    return ""
