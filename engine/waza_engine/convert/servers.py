"""MCP servers in the words of the other dialect: waza's time limits are in milliseconds, vally's have a unit."""

from collections.abc import Mapping
from typing import Any


def as_vally_server(server: Any) -> dict[str, Any]:
    """A server of a waza eval, as read or as it stands in the file, for `environment.mcpServers`."""
    given = server if isinstance(server, Mapping) else server.model_dump(exclude_defaults=True)
    made = {
        key: it
        for key, it in given.items()
        if it not in (None, [], {}, "") and key not in {"tools", "timeout"}
    }
    if given.get("type") in {"local", None, ""}:
        made["type"] = "stdio"
    if milliseconds := given.get("timeout"):
        made["timeout"] = f"{milliseconds}ms"
    return made


def as_waza_server(server: Mapping[str, Any]) -> dict[str, Any]:
    """A server of a vally spec, as plain data, for `config.mcp_servers`."""
    made = {key: it for key, it in server.items() if key not in {"timeout", "type"}}
    if server.get("type") not in {None, "stdio"}:
        made["type"] = server["type"]
    return made
