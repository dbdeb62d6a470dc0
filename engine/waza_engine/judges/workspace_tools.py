"""Two read-only tools that let a judge at a plain chat endpoint read the workspace.

Apart from that judge, because they need nothing of it and are tested as a boundary.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from waza_engine.lib.files.safe_read import open_regular
from waza_engine.lib.paths import real_path
from waza_engine.model.judge import JudgeTool

_MOST_CHARACTERS = 100_000
_MOST_FILES = 1_000
_PATH = {
    "type": "object",
    "properties": {"path": {"type": "string", "description": "Path of the file, relative to the workspace."}},
    "required": ["path"],
}
WORKSPACE_TOOLS = (
    JudgeTool(
        "list_files",
        "List all files of the workspace the agent worked in.",
        {"type": "object", "properties": {}},
    ),
    JudgeTool("read_file", "Read a text file of the workspace.", _PATH),
)


def workspace_answer(workspace: Path, tool: str, arguments: Mapping[str, Any]) -> str | None:
    """Return the tool's answer, or None for another tool. Files outside the workspace are never read."""
    root = real_path(workspace)
    if tool == "list_files":
        return _listing(root)
    if tool != "read_file":
        return None
    path = arguments.get("path")
    if not isinstance(path, str):
        return "'path' must be a string"
    try:
        target = real_path(root / path)
        if not target.is_relative_to(root):
            return f"{path} is outside the workspace"
        with open_regular(target, inside=root) as file:
            text = file.read(4 * _MOST_CHARACTERS + 4).decode("utf-8", "replace")
    except OSError as error:
        return f"{path} cannot be read: {error.strerror or error}"
    except ValueError as error:
        return f"{path} cannot be read: {error}"
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}\n(cut off)"


def _listing(root: Path) -> str:
    names: list[str] = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(it for it in folders if it != ".git")
        names += [(Path(folder) / it).relative_to(root).as_posix() for it in sorted(files)]
        if len(names) >= _MOST_FILES:
            return "\n".join([*names[:_MOST_FILES], "(and more)"])
    return "\n".join(names) or "(there are no files)"
