"""Rewrite the paths in a file that are relative to it, for a copy in another folder."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_ENVIRONMENT = ("skills/*", "files/*/src", "git/source")
_OF_STIMULUS = (
    *(
        f"{key}/{it}"
        for key in ("environment", "agent_environment", "grading_environment")
        for it in _ENVIRONMENT
    ),
    "golden_patch/path",
    "golden_trajectory/path",
    "golden_custom_metrics/path",
    "attachments/*",
)
_OF_TASK = ("skill_directories/*", "command_mocks/*/responses/*/fixture", "mcp_mocks/*/fixtures")
_PLACES = {
    "vally": (*_OF_STIMULUS, *(f"stimuli/*/{it}" for it in _OF_STIMULUS)),
    "waza": (*_OF_TASK, "config/skill_directories/*"),
}
"""Where paths relative to the eval are, by dialect; `*` is any item."""
_NO_PATHS = frozenset(["none", "*", ""])


def moved_paths(data: Mapping[str, Any], dialect: str, source: Path, out: Path) -> dict[str, Any]:
    """Return a copy of the data of an eval or a task, with the paths from `source` written from `out`."""
    made: dict[str, Any] = _copied(data)
    for place in _PLACES[dialect]:
        _move(made, place.split("/"), source, out)
    return made


def _move(value: Any, place: Sequence[str], source: Path, out: Path) -> None:
    key, *rest = place
    if isinstance(value, dict):
        keys: list[Any] = [key] if key in value else []
    else:
        keys = list(range(len(value))) if isinstance(value, list) and key == "*" else []
    for it in keys:
        if rest:
            _move(value[it], rest, source, out)
        elif isinstance(value[it], str) and value[it] not in _NO_PATHS and not Path(value[it]).is_absolute():
            value[it] = relative_path(value[it], source, out)


def relative_path(path: str, source: Path, out: Path) -> str:
    """Return the path that leads from `out` to what `path` is from `source`; unchanged in the same folder."""
    if source == out:
        return path
    return Path(os.path.relpath(source / path, out)).as_posix()


def _copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copied(it) for key, it in value.items()}
    return [_copied(it) for it in value] if isinstance(value, list) else value
