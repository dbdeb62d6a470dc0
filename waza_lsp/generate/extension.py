"""The parts of the VS Code extension that come from our tables: its snippets, and its tools for chat."""

import json
from pathlib import Path
from typing import Any

from waza_engine.recognition.recognise import dialects
from waza_engine.recognition.starters import starters
from waza_lsp.cli.mcp.tools import Tool, tool_descriptions

SNIPPETS = Path("editor-client/vscode/snippets/waza.json")
MANIFEST = Path("editor-client/vscode/package.json")


def snippets() -> str:
    """Return the text of the snippets: the files to begin with of all dialects."""
    found = {
        f"{dialect.name}-{it.name}": {
            "prefix": f"{dialect.name}-{it.name}",
            "description": it.description,
            "body": it.text.splitlines(),
        }
        for dialect in sorted(dialects(), key=lambda it: not it.is_default)
        for it in starters(dialect.name)
    }
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def with_tools(before: str) -> str:
    """Return the text of `package.json` with the current tools."""
    data: dict[str, Any] = json.loads(before)
    # All extensions share one list of tools, so ours begin with our name.
    prefix = str(data["name"]).partition("-")[0]
    data["contributes"]["languageModelTools"] = [_tool(it, prefix) for it in tool_descriptions()]
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _tool(tool: Tool, prefix: str) -> dict[str, Any]:
    words = tool.name.split("_")
    return {
        "name": f"{prefix}_{tool.name}",
        "toolReferenceName": prefix + "".join(it.title() for it in words),
        "displayName": tool.title,
        "userDescription": tool.description.partition("\n")[0],
        "modelDescription": tool.description,
        "tags": ["evals"],
        "icon": "$(beaker)",
        "canBeReferencedInPrompt": True,
        "inputSchema": tool.input_schema,
    }
