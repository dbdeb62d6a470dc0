"""Find the parts of a file that the other dialect lacks, and preserve them as comments.

The conversion back restores the parts from the comments. All functions are pure, on the raw data of the file.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ruamel.yaml import YAML

from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.lib.yaml.scalars import plain

TAGS, SKILL, TRIGGER = "tags", "skill", "trigger-test"
"""The tags of a stimulus for keys that only waza has."""

_EVAL_KEYS = {"name", "description", "skill", "config", "tasks", "tasks_from", "range", "graders", "inputs"}
_CONFIG_KEYS = {
    *("trials_per_task", "timeout_seconds", "executor", "model", "judge_model", "judge_reasoning_effort"),
    *("skill_directories", "mcp_servers", "parallel", "workers"),
}
_TASK_KEYS = {"id", "graders", "inputs", "tags", "enabled"}
_INPUT_KEYS = {"prompt", "prompt_file", "files", "follow_up_prompts", "environment"}

_SPEC_KEYS = {
    *("name", "description", "tags", "environment", "defaults", "config", "stimuli", "graders", "scoring"),
}
_STIMULUS_KEYS = {"name", "prompt", "turns", "tags", "environment", "graders", "constraints"}
_ENVIRONMENT_KEYS = {"skills", "files", "env", "mcpServers"}


def left_of_eval(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a waza eval that vally lacks."""
    return _rest_of(data, _EVAL_KEYS) | _rest_in(data, "config", _CONFIG_KEYS)


def left_of_task(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a waza task that vally lacks. A stimulus has only one name, for the task's id."""
    return _rest_of(data, _TASK_KEYS) | _rest_in(data, "inputs", _INPUT_KEYS)


def left_of_spec(data: Mapping[str, Any], commands: Sequence[str] = ()) -> dict[str, Any]:
    """Return the parts of a vally spec that waza lacks; `commands` are those of a named environment."""
    parts = _rest_of(data, _SPEC_KEYS) | _rest_in(data, "environment", _ENVIRONMENT_KEYS)
    if commands:
        parts["environment"] = {"commands": list(commands)}
    parts |= _rest_in(data, "tags", {SKILL})
    scoring = data.get("scoring")
    return parts | ({"scoring": plain(scoring)} if isinstance(scoring, Mapping) and scoring else {})


def left_of_stimulus(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a stimulus that waza lacks."""
    parts = _rest_of(data, _STIMULUS_KEYS) | _rest_in(data, "environment", _ENVIRONMENT_KEYS)
    return parts | _rest_in(data, "tags", {TAGS})


def _rest_of(data: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
    """The keys of a mapping that are not converted, as plain data, without empty values."""
    return {
        key: plain(value)
        for key, value in data.items()
        if key not in known and plain(value) not in (None, [], {}, "")
    }


def _rest_in(data: Mapping[str, Any], key: str, known: set[str]) -> dict[str, Any]:
    """The same for the mapping under a key; empty if nothing is left."""
    inner = data.get(key)
    left = _rest_of(inner, known) if isinstance(inner, Mapping) else {}
    return {key: left} if left else {}


def as_comment(parts: Mapping[str, Any], dialect: str) -> list[str]:
    """Return the parts as comment lines without `#`; none without parts."""
    if not parts:
        return []
    stream = io.StringIO()
    writer = YAML()
    writer.width = 4096
    writer.indent(mapping=2, sequence=4, offset=2)
    writer.dump(dict(parts), stream)
    lines = stream.getvalue().splitlines()
    return [_title(dialect), *(f" | {it}" for it in lines)]


def from_comment(lines: Iterable[str], dialect: str) -> tuple[dict[str, Any], list[str]]:
    """Return the parts that `as_comment` put into these lines, and the user's own lines."""
    own: list[str] = []
    kept: list[str] = []
    title = _title(dialect)
    for line in lines:
        bare = line.removeprefix(" ")
        if bare.startswith("|"):
            kept.append(bare.removeprefix("|").removeprefix(" "))
        elif line.strip() != title.strip():
            own.append(line)
    try:
        found = read_yaml("\n".join(kept)) if kept else {}
    except YamlError:
        return {}, list(lines)
    return (found, own) if isinstance(found, dict) else ({}, list(lines))


def _title(dialect: str) -> str:
    return f" kept from {dialect}, which has more words for it:"
