"""What each agent needs in a project: which entry in which file. And the changes that add or remove these entries.

The formats were tried with Copilot CLI 1.0.102 and Claude Code 2.1.330 (docs/agents.md).
"""

import errno
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.lib.files.safe_write import require_inside, write_bytes_atomic
from waza_lsp.cli.agents.jsonc import MISSING, JsonTextError, data_at, put, remove

AGENTS = ("copilot", "claude")
_NAME = "waza-lsp"
_LANGUAGES = {".yaml": "yaml", ".yml": "yaml"}
_MAX_BYTES = 1_000_000
_BOM = "\ufeff"


class ConfigurationError(Exception):
    """A configuration file cannot be read or changed. The message names it and says why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What one file gets: `data` at a path of keys. An empty path is the whole file."""

    agent: str
    file: str
    keys: tuple[str, ...]
    data: Mapping[str, Any]

    @property
    def new_text(self) -> str:
        """The text of a file that has only this entry."""
        data: Any = self.data
        for key in reversed(self.keys):
            data = {key: data}
        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class Change:
    """One file before and after. None: it does not exist."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Plan:
    """All changes, and notes on the entries that stay as they are."""

    changes: Sequence[Change]
    notes: Sequence[str]


def entries(agents: Sequence[str], command: str) -> list[Entry]:
    """Return the entries for these agents. `command` starts this program."""
    lsp = {"command": command, "args": ["serve"]}
    mcp = {"command": command, "args": ["mcp"]}
    plugin = {
        "name": _NAME,
        "description": "Findings in eval files after each edit, and tools to write evals.",
        "lspServers": {_NAME: {**lsp, "extensionToLanguage": _LANGUAGES}},
        "mcpServers": {_NAME: {"command": command, "args": ["mcp", "--folder", "${CLAUDE_PROJECT_DIR}"]}},
    }
    every = [
        Entry("copilot", ".github/lsp.json", ("lspServers", _NAME), {**lsp, "fileExtensions": _LANGUAGES}),
        Entry("copilot", ".github/mcp.json", ("mcpServers", _NAME), {**mcp, "tools": ["*"]}),
        # Claude Code loads folders in .claude/skills that have a manifest as plugins, once the project is trusted.
        Entry("claude", f".claude/skills/{_NAME}/.claude-plugin/plugin.json", (), plugin),
    ]
    return [it for it in every if it.agent in agents]


def plan_install(folder: Path, wanted: Sequence[Entry]) -> Plan:
    """Return the changes that add the entries.

    Raises:
        ConfigurationError: a file cannot be read, or is not JSON.

    """
    changes, notes = [], []
    for entry in wanted:
        text = _text(folder, entry.file)
        if text is None:
            changes.append(Change(entry.file, None, entry.new_text))
            continue
        found = _data(entry, text)
        if found is MISSING:
            after = put(text, entry.keys, entry.data) if entry.keys else entry.new_text
            changes.append(Change(entry.file, text, after))
        elif found == entry.data:
            notes.append(f"{entry.file}: already done")
        else:
            notes.append(f"{entry.file}: {_what(entry)} exists and is different. It stays as it is")
    return Plan(changes, notes)


def plan_remove(folder: Path, wanted: Sequence[Entry]) -> Plan:
    """Return the changes that remove the entries, unless the user has changed them.

    Raises:
        ConfigurationError: a file cannot be read, or is not JSON.

    """
    changes, notes = [], []
    for entry in wanted:
        text = _text(folder, entry.file)
        found = MISSING if text is None else _data(entry, text)
        if text is None or found is MISSING:
            notes.append(f"{entry.file}: nothing to remove")
        elif _without_command(found) != _without_command(entry.data):
            notes.append(f"{entry.file}: {_what(entry)} was changed since. Remove it yourself")
        elif not entry.keys or (_is_all(entry, text) and not (folder / entry.file).is_symlink()):
            changes.append(Change(entry.file, text, None))
        else:
            changes.append(Change(entry.file, text, remove(text, entry.keys)))
    return Plan(changes, notes)


def apply(folder: Path, change: Change) -> None:
    """Write or delete one file.

    Raises:
        ConfigurationError: it has changed since the plan was made, or cannot be written.

    """
    path = folder / change.name
    if _text(folder, change.name) != change.before:
        raise ConfigurationError(f"{change.name} has changed in the meantime. Try again")
    try:
        require_inside(path, folder)
        if change.after is not None:
            write_bytes_atomic(path, [change.after.encode()])
        else:
            path.unlink()
            _remove_empty(path.parent, folder)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{change.name} cannot be changed: {_reason(error)}") from error


def _remove_empty(folder: Path, root: Path) -> None:
    while folder != root and not folder.is_symlink():
        try:
            folder.rmdir()
        except OSError as error:
            if error.errno in {errno.ENOTEMPTY, errno.EEXIST}:
                return
            raise
        folder = folder.parent


def _text(folder: Path, name: str) -> str | None:
    """Return the text of a file with its line ends and byte-order mark; None if no such file exists."""
    path = folder / name
    try:
        require_inside(path, folder)
        if not os.path.lexists(path):
            return None
        return regular_bytes(path, _MAX_BYTES, inside=folder).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{name} is not UTF-8. Nothing was changed") from error
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{name} cannot be read: {_reason(error)}. Nothing was changed") from error


def _data(entry: Entry, text: str) -> Any:
    """Return what the file has in the entry's place, or `MISSING`."""
    if not text.strip(f"{_BOM} \t\r\n"):
        return MISSING
    try:
        return data_at(text, entry.keys)
    except JsonTextError as error:
        raise ConfigurationError(f"{entry.file}, {error}. Correct it first. Nothing was changed") from error


def _is_all(entry: Entry, text: str) -> bool:
    """Whether the file has nothing but the entry, as `install` wrote it."""
    found = _data(entry, text)
    return text == Entry(entry.agent, entry.file, entry.keys, found).new_text


def _what(entry: Entry) -> str:
    return repr(".".join(entry.keys)) if entry.keys else "the file"


def _without_command(data: Any) -> Any:
    """Return the data without the names of programs: `install --command` may have set another one."""
    if isinstance(data, Mapping):
        return {key: _without_command(it) for key, it in data.items() if key != "command"}
    return data


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
