"""The Copilot CLI: where it is, and how models and MCP servers are named to it."""

import shutil
from collections.abc import Mapping
from typing import Any


def cli_path(environment: Mapping[str, str]) -> str:
    """Where the CLI is, or "" when there is none."""
    return environment.get("COPILOT_CLI_PATH") or shutil.which("copilot", path=environment.get("PATH")) or ""


def provider(environment: Mapping[str, str]) -> dict[str, str]:
    """The user's own model endpoint, as the CLI's own variables name it."""
    address = environment.get("COPILOT_PROVIDER_BASE_URL", "")
    if not address:
        return {}
    return {
        "type": environment.get("COPILOT_PROVIDER_TYPE") or "openai",
        "base_url": address,
        "api_key": environment.get("COPILOT_PROVIDER_API_KEY") or "none",
        "wire_api": environment.get("COPILOT_PROVIDER_WIRE_API") or "completions",
    }


def mcp_server(server: dict[str, Any]) -> dict[str, Any]:
    """An MCP server in the SDK's words: waza leaves out the kind of server, and that all tools are meant."""
    kind = server.get("type") or "local"
    tools = server.get("tools")
    return {**server, "type": kind, "tools": ["*"] if tools is None else list(tools)}
