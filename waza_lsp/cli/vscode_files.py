"""Write the parts of the VS Code extension that come from our tables: its snippets, and its tools for chat.

`python -m waza_lsp.cli.vscode_files` writes both in a checkout, the working directory. A test compares them.
"""

import json
import sys
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


def manifest(before: str) -> str:
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


def write(root: Path) -> None:
    """Write both files of a checkout."""
    (root / SNIPPETS).write_text(snippets(), encoding="utf-8")
    path = root / MANIFEST
    path.write_text(manifest(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
