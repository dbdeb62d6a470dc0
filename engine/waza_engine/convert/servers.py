"""Convert MCP servers: waza's time limits are in milliseconds, vally's have a unit.

Apart from the two converters, which both use it.
"""

from collections.abc import Mapping
from typing import Any

from waza_engine.dialects.vally.fields import milliseconds


def as_vally_server(server: Any) -> dict[str, Any]:
    """Convert a server of a waza eval, typed or raw, for `environment.mcpServers`."""
    options = server if isinstance(server, Mapping) else server.model_dump(exclude_defaults=True)
    converted = {
        key: value
        for key, value in options.items()
        if value not in (None, [], {}, "") and key not in {"tools", "timeout"}
    }
    if options.get("type") in {"local", None, ""}:
        converted["type"] = "stdio"
    if milliseconds := options.get("timeout"):
        converted["timeout"] = f"{milliseconds}ms"
    return converted


def as_waza_server(server: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a server of a vally spec, as plain data, for `config.mcp_servers`."""
    converted = {key: it for key, it in server.items() if key not in {"timeout", "type"}}
    if server.get("type") not in {None, "stdio"}:
        converted["type"] = server["type"]
    if timeout := server.get("timeout"):
        converted["timeout"] = milliseconds(str(timeout)) or 0
    return converted
