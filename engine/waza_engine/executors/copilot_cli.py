"""Find the Copilot CLI, and describe models and MCP servers to it.

Apart from the executor, because the judge uses the same CLI.
"""

import shutil
from collections.abc import Mapping
from typing import Any


def cli_path(environment: Mapping[str, str]) -> str:
    """Return the path of the CLI, or "" if it is not installed."""
    return environment.get("COPILOT_CLI_PATH") or shutil.which("copilot", path=environment.get("PATH")) or ""


def provider(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the user's own model endpoint from the CLI's environment variables; empty without one."""
    address = environment.get("COPILOT_PROVIDER_BASE_URL", "")
    if not address:
        return {}
    return {
        "type": environment.get("COPILOT_PROVIDER_TYPE") or "openai",
        "base_url": address,
        "api_key": environment.get("COPILOT_PROVIDER_API_KEY") or "none",
        "wire_api": environment.get("COPILOT_PROVIDER_WIRE_API") or "completions",
    }


def cli_environment(environment: Mapping[str, str], model: str) -> dict[str, str]:
    """Return the environment of the CLI. With the user's own endpoint, it needs the model before the first session."""
    named = {"COPILOT_MODEL": model} if model and provider(environment) else {}
    return {**named, **environment}


def mcp_server(server: dict[str, Any]) -> dict[str, Any]:
    """Convert an MCP server for the SDK. waza's defaults are implicit: type `local`, all tools."""
    kind = server.get("type") or "local"
    tools = server.get("tools")
    return {**server, "type": kind, "tools": ["*"] if tools is None else list(tools)}
